/** What was opened, to be closed in the opposite order. (Node 20 has no AsyncDisposableStack.) */
export class ResourceStack implements AsyncDisposable {
  #closers: (() => unknown)[] = [];

  use<T extends AsyncDisposable>(resource: T): T {
    this.defer(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Hands everything over to a new stack: disposing this one then closes nothing. */
  move(): ResourceStack {
    const moved = new ResourceStack();
    moved.#closers = this.#closers;
    this.#closers = [];
    return moved;
  }

  /** Closes everything even when one of them fails, and then throws the first failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
