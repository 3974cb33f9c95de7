import type { Cancellation } from '../domain/cancellation.ts';

/**
 * Whether the client has left. Node keeps an AbortSignal, with all that listens to it, until the garbage collector goes
 * through the whole heap; one for each request is enough to make it do so every few seconds, and requests wait meanwhile.
 */
export class ClientDeparture implements Cancellation {
  readonly #listeners = new Set<() => void>();
  #reason: Error | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): Error | undefined {
    return this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  leave(): void {
    this.#reason ??= new Error('the client has left');
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
