export interface JobLoopOptions {
  /** Does all that is to be done now. Never runs twice at once. */
  readonly work: () => Promise<void>;
  /** How often to look without being woken: for what became due by the clock, and for news that was not heard. */
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/** Looks for work when woken and every now and then, one look at a time. */
export class JobLoop implements AsyncDisposable {
  readonly #options: JobLoopOptions;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isClosed = false;

  constructor(options: JobLoopOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.wake(), options.everyMs);
    this.wake();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  wake(): void {
    if (this.#isClosed) return;
    this.#isWoken = true;
    this.#running ??= this.#run();
  }

  /** Ends after the look that is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false;
      await this.#options.work().catch(this.#options.onError);
    }
    this.#running = undefined;
  }
}
