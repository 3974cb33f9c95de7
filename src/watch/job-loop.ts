import { contain } from '../domain/containment.ts';

export interface JobLoopOptions {
  /** Does all that is to be done now, or until the loop is stopped. Never runs twice at once. */
  readonly work: (loop: JobLoop) => Promise<void>;
  /** How often to look without being woken: for what became due by the clock, and for news that was not heard. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
  /** Waits for what the work has begun and left under way. */
  readonly drain?: () => Promise<unknown>;
}

/** Looks for work when woken and every now and then, one look at a time. No failure of the work ends the loop. */
export class JobLoop implements AsyncDisposable {
  readonly #options: JobLoopOptions;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(options: JobLoopOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.wake(), options.everyMs);
    this.wake();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    this.#running ??= this.#run();
  }

  /** Begins nothing more. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Ends after the look that is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#running;
    await this.#options.drain?.();
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      await contain(() => this.#options.work(this), this.#options.onError);
    }
    this.#running = undefined;
  }
}
