// How long this process could have heard an answer. A deadline on the clock of the wall blames the database for time in which
// the process itself was busy or had no processor: the answer lies in its socket, unread. Here time in which the event loop
// did not turn hardly counts.

const TICK_MS = 50;
/** Most that counts between two turns of the event loop. */
const MAX_STEP_MS = 2 * TICK_MS;

export class ListeningClock {
  #heardMs = 0;
  #tickedMs = 0;
  #ticking: NodeJS.Timeout | undefined;

  /** Milliseconds since some moment; for differences. */
  nowMs(): number {
    if (!this.#ticking) {
      this.#tickedMs = performance.now();
      this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref();
    }
    return this.#heardMs + Math.min(performance.now() - this.#tickedMs, MAX_STEP_MS);
  }

  /** Calls back at that time, unless it is cancelled before. What has arrived by then is read first. */
  at(timeMs: number, call: () => void): { cancel(): void } {
    let isCancelled = false;
    const look = (): NodeJS.Timeout =>
      setTimeout(() => {
        if (this.nowMs() < timeMs) timer = look();
        else setImmediate(() => isCancelled || call());
      }, timeMs - this.nowMs());
    let timer = look();
    return {
      cancel: () => {
        isCancelled = true;
        clearTimeout(timer);
      },
    };
  }

  #tick(): void {
    const nowMs = performance.now();
    this.#heardMs += Math.min(nowMs - this.#tickedMs, MAX_STEP_MS);
    this.#tickedMs = nowMs;
  }
}

/** One event loop, one clock. */
export const listeningClock = new ListeningClock();
