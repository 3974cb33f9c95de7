// Questions to a cluster, so many at a time. Owners take turns, and who has too much waiting is asked to come again.
import { FairQueue, type Owned } from '../domain/fair-queue.ts';
import { type ReadOptions, StoreOverloadError } from '../domain/store.ts';

interface Waiting extends Owned {
  readonly go: () => void;
}

const RETRY_AFTER_SECONDS = 1;

export class QuestionTurns {
  readonly #maxRunning: number;
  readonly #maxQueued: number;
  readonly #queue = new FairQueue<Waiting>();
  #running = 0;

  /** `maxQueued` is that of one owner. */
  constructor({ maxRunning, maxQueued }: { readonly maxRunning: number; readonly maxQueued: number }) {
    this.#maxRunning = maxRunning;
    this.#maxQueued = maxQueued;
  }

  checkRoom(owner: string): void {
    if (this.#queue.countOf(owner) >= this.#maxQueued) throw new StoreOverloadError(RETRY_AFTER_SECONDS);
  }

  async take<T>(owner: string, { signal }: ReadOptions, work: () => Promise<T>): Promise<T> {
    this.checkRoom(owner);
    if (this.#running >= this.#maxRunning) await this.#wait(owner, { signal });
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes the place over.
      const next = this.#queue.shift();
      if (next) next.go();
      else this.#running -= 1;
    }
  }

  async #wait(owner: string, { signal }: ReadOptions): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        go: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        this.#queue.remove((each) => each === waiting);
        signal?.removeEventListener('abort', leave);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave);
      this.#queue.push(waiting);
    });
  }
}
