// When the processor itself was slow. Some machines lower its clock to a fraction for a tenth of a second every other second, and
// virtual ones have it taken away; whatever is measured then, by anyone, says more about that than about a service.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface SpeedSample {
  /** Since 1970. */
  readonly atMs: number;
  /** How long the same piece of arithmetic took. */
  readonly pieceMs: number;
  /** How much time the host of a virtual machine has given to others so far, in the system's ticks. */
  readonly stolen: number;
}

/** Of the median; below, the processor is called slow when two samples in a row say so. */
const NORMAL_SPEED = 0.87;
/** Slow moments closer together are one. */
const GAP_MS = 30;
/** What was sent shortly before is not answered yet, and what was held up has to be worked off. */
const BEFORE_MS = 60;
const AFTER_MS = 400;

/** Ten minutes of them. */
export const MAX_SAMPLES = 300_000;

/** Places in `control`. */
export const STOP = 0;
export const COUNT = 1;

/** Memory that is shared with the thread that measures. */
export interface SpeedRecord {
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly atMs: Float64Array<SharedArrayBuffer>;
  readonly pieceMs: Float64Array<SharedArrayBuffer>;
  readonly stolen: Float64Array<SharedArrayBuffer>;
}

interface Span {
  readonly fromMs: number;
  toMs: number;
}

export class ProcessorSpeed {
  readonly #thread: Worker;
  readonly #record: SpeedRecord;
  readonly #ended: Promise<unknown>;

  private constructor(thread: Worker, record: SpeedRecord) {
    this.#thread = thread;
    this.#record = record;
    this.#ended = once(thread, 'exit');
  }

  static async watch(): Promise<ProcessorSpeed> {
    const numbers = () => new Float64Array(new SharedArrayBuffer(MAX_SAMPLES * Float64Array.BYTES_PER_ELEMENT));
    const record: SpeedRecord = {
      control: new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)),
      atMs: numbers(),
      pieceMs: numbers(),
      stolen: numbers(),
    };
    const thread = new Worker(new URL('./processor-speed-thread.js', import.meta.url), { workerData: record });
    const speed = new ProcessorSpeed(thread, record);
    await once(thread, 'online');
    // Should what is measured fail, nobody stops it, and nothing must wait for it.
    thread.unref();
    return speed;
  }

  /** Tells, of a moment since the start of this process, whether the processor was slow around it. */
  async stop(): Promise<(atMs: number) => boolean> {
    const { control, atMs, pieceMs, stolen } = this.#record;
    this.#thread.ref();
    Atomics.store(control, STOP, 1);
    Atomics.notify(control, STOP);
    await this.#ended;
    const samples = Array.from(pieceMs.subarray(0, control[COUNT]), (each, i) => ({
      atMs: atMs[i] ?? 0,
      pieceMs: each,
      stolen: stolen[i] ?? 0,
    }));
    const spans = listSlowSpans(samples);
    return (moment) => {
      const sinceEpochMs = performance.timeOrigin + moment;
      return spans.some(({ fromMs, toMs }) => sinceEpochMs > fromMs - BEFORE_MS && sinceEpochMs < toMs + AFTER_MS);
    };
  }
}

export function listSlowSpans(samples: readonly SpeedSample[]): readonly Span[] {
  const pieces = samples.map(({ pieceMs }) => pieceMs).sort((a, b) => a - b);
  const longestMs = (pieces[pieces.length >> 1] ?? 0) / NORMAL_SPEED;
  const spans: Span[] = [];
  samples.forEach(({ atMs, pieceMs, stolen }, i) => {
    const before = samples[i - 1];
    if (!before) return;
    const isSlow = pieceMs > longestMs && before.pieceMs > longestMs;
    if (!isSlow && stolen === before.stolen) return;
    const last = spans.at(-1);
    if (last && atMs - last.toMs < GAP_MS) last.toMs = atMs;
    else spans.push({ fromMs: before.atMs, toMs: atMs });
  });
  return spans;
}
