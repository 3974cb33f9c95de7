import type { Tenant } from '../domain/account.ts';
import { contain } from '../domain/containment.ts';
import type { SearchResultCount } from '../domain/search-history.ts';
import type { Pool } from './pool.ts';

const WRITE_AFTER_MS = 100;
const MAX_PER_WRITE = 1000;

interface Pending {
  readonly organization: Tenant['organizationId'];
  readonly user: Tenant['userId'];
  readonly id: string;
  readonly count: number;
}

/** How many results each search had, written to the history a moment later and many at a time: nobody waits for it. */
export class ResultCounts implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #onError: (error: unknown) => void;
  #pending: Pending[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(pool: Pool, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
  }

  record({ tenant, searchId, resultCount }: SearchResultCount): void {
    this.#pending.push({
      organization: tenant.organizationId,
      user: tenant.userId,
      id: searchId,
      count: resultCount,
    });
    this.#timer ??= setTimeout(() => this.#write(), WRITE_AFTER_MS);
  }

  /** Resolves when all that was recorded before has been written. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#pending.length > 0) this.#write();
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }

  #write(): void {
    this.#timer = undefined;
    const batch = this.#pending.splice(0, MAX_PER_WRITE);
    if (batch.length === 0) return;
    if (this.#pending.length > 0) this.#timer = setTimeout(() => this.#write(), 0);
    const write = () => this.#pool.query('SELECT record_result_counts($1)', [JSON.stringify(batch)]);
    this.#writing = Promise.all([this.#writing, contain(write, this.#onError)]).then(() => {});
  }
}
