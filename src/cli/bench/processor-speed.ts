// When the processor itself was slow. Some machines lower its clock to a fraction for a tenth of a second every other second,
// to save power; whatever is measured then, by anyone, says more about that than about a service.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface SpeedSample {
  /** Since 1970. */
  readonly atMs: number;
  /** How long the same piece of arithmetic took. */
  readonly pieceMs: number;
}

/** Of the median; below, the processor is called slow when two samples in a row say so. */
const NORMAL_SPEED = 0.87;
/** Slow moments closer together are one. */
const GAP_MS = 30;
/** What was sent shortly before is not answered yet, and what was held up has to be worked off. */
const BEFORE_MS = 60;
const AFTER_MS = 400;

interface Span {
  readonly fromMs: number;
  toMs: number;
}

export class ProcessorSpeed {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  static async watch(): Promise<ProcessorSpeed> {
    const thread = new Worker(new URL('./processor-speed-thread.js', import.meta.url));
    await once(thread, 'message');
    return new ProcessorSpeed(thread);
  }

  /** Tells, of a moment since the start of this process, whether the processor was slow around it. */
  async stop(): Promise<(atMs: number) => boolean> {
    this.#thread.postMessage('stop');
    const [samples] = (await once(this.#thread, 'message')) as [readonly SpeedSample[]];
    await this.#thread.terminate();
    const spans = listSlowSpans(samples);
    return (atMs) => {
      const moment = performance.timeOrigin + atMs;
      return spans.some(({ fromMs, toMs }) => moment > fromMs - BEFORE_MS && moment < toMs + AFTER_MS);
    };
  }
}

export function listSlowSpans(samples: readonly SpeedSample[]): readonly Span[] {
  const pieces = samples.map(({ pieceMs }) => pieceMs).sort((a, b) => a - b);
  const longestMs = (pieces[pieces.length >> 1] ?? 0) / NORMAL_SPEED;
  const spans: Span[] = [];
  samples.forEach(({ atMs, pieceMs }, i) => {
    const before = samples[i - 1];
    if (!before || pieceMs <= longestMs || before.pieceMs <= longestMs) return;
    const last = spans.at(-1);
    if (last && atMs - last.toMs < GAP_MS) last.toMs = atMs;
    else spans.push({ fromMs: before.atMs, toMs: atMs });
  });
  return spans;
}
