// What this machine does to a steady load by itself: pieces of plain arithmetic, all alike, in as many threads as search. No
// search is steadier than that.
import { Worker } from 'node:worker_threads';
import { calculate } from './arithmetic.ts';

const CALIBRATION_STEPS = 200_000;
const CALIBRATIONS = 50;

export class PlainWork implements AsyncDisposable {
  readonly #threads: readonly Worker[];
  readonly #idle: Worker[];
  readonly #waiting: (() => void)[] = [];
  readonly #steps: number;

  /** Pieces that take one thread so long when the machine is at its best. */
  constructor({ threads, pieceMs }: { readonly threads: number; readonly pieceMs: number }) {
    this.#threads = Array.from(
      { length: threads },
      () => new Worker(new URL('./plain-work-thread.js', import.meta.url)),
    );
    this.#idle = [...this.#threads];
    this.#steps = Math.round((pieceMs / calibrate()) * CALIBRATION_STEPS);
  }

  /** One piece, when a thread is free. */
  async run(): Promise<void> {
    while (this.#idle.length === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const thread = this.#idle.pop() as Worker;
    await new Promise((resolve) => {
      thread.once('message', resolve);
      thread.postMessage(this.#steps);
    });
    this.#idle.push(thread);
    this.#waiting.shift()?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

/** Milliseconds for so many steps. */
function calibrate(): number {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < CALIBRATIONS; n += 1) {
    const startMs = performance.now();
    calculate(CALIBRATION_STEPS);
    bestMs = Math.min(bestMs, performance.now() - startMs);
  }
  return bestMs;
}
