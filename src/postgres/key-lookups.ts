// Keys that are not in memory cost a look into the database each, and whoever invents keys can ask for any number of them. So a few
// are looked up at a time, a few more may wait, and those that were found to be nobody's are remembered. Keys that were
// somebody's before do not wait behind invented ones.
import { DatabaseBusyError } from './fair-pool.ts';

const MAX_UNKNOWN = 10_000;
const MAX_REMEMBERED = 10_000;
/** Far fewer than the connections that requests have. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 200;

export class KeyLookups<T> {
  readonly #read: (hash: Buffer) => Promise<T | undefined>;
  /** Nobody's keys, the oldest first. */
  readonly #unknown = new Set<string>();
  /** Keys that were somebody's when they were last looked up. They outlive `forget`, because they are only let pass sooner. */
  readonly #remembered = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  /** Changes when what was learned may no longer be true. */
  #generation = 0;

  constructor(read: (hash: Buffer) => Promise<T | undefined>) {
    this.#read = read;
  }

  isUnknown(id: string): boolean {
    return this.#unknown.has(id);
  }

  /** To be called when a key may have been made or changed. */
  forget(): void {
    this.#generation += 1;
    this.#unknown.clear();
  }

  async find(id: string, hash: Buffer): Promise<T | undefined> {
    const generation = this.#generation;
    const found = this.#remembered.has(id) ? await this.#read(hash) : await this.#readInTurn(hash);
    if (found !== undefined) keep(this.#remembered, id, MAX_REMEMBERED);
    else {
      this.#remembered.delete(id);
      if (generation === this.#generation) keep(this.#unknown, id, MAX_UNKNOWN);
    }
    return found;
  }

  async #readInTurn(hash: Buffer): Promise<T | undefined> {
    if (this.#running >= MAX_AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) throw new DatabaseBusyError();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await this.#read(hash);
    } finally {
      // The place goes to the next in line.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

function keep(ids: Set<string>, id: string, most: number): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > most && oldest !== undefined) ids.delete(oldest);
}
