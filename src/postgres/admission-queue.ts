// Searches of one organization wait for the same row lock, and each decision costs a flush to disk. While one decision is
// under way the searches that arrive are gathered and decided together by the next. So a burst costs a few flushes instead
// of hundreds, and an organization never holds more than one connection, however hard it pushes.
import type { OrganizationId } from '../domain/account.ts';
import type { Admission, SearchAttempt } from '../domain/rate-limit.ts';
import type { Pool } from './pool.ts';
import { admitSearches } from './rate-log.ts';

const MAX_BATCH = 200;

interface Waiting {
  readonly attempt: SearchAttempt;
  readonly resolve: (admission: Admission | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class AdmissionQueue {
  readonly #pool: Pool;
  /** Present while a decision for the organization is under way. */
  readonly #waiting = new Map<OrganizationId, Waiting[]>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  admit(attempt: SearchAttempt): Promise<Admission | undefined> {
    return new Promise((resolve, reject) => {
      const { organizationId } = attempt.tenant;
      const entry = { attempt, resolve, reject };
      const waiting = this.#waiting.get(organizationId);
      if (waiting) waiting.push(entry);
      else void this.#decide(organizationId, [entry]);
    });
  }

  async #decide(organizationId: OrganizationId, first: readonly Waiting[]): Promise<void> {
    const waiting: Waiting[] = [];
    this.#waiting.set(organizationId, waiting);
    for (let batch = first; batch.length > 0; batch = waiting.splice(0, MAX_BATCH)) {
      try {
        const attempts = batch.map(({ attempt }) => attempt);
        const admissions = await admitSearches(this.#pool, organizationId, attempts);
        batch.forEach(({ resolve }, index) => {
          resolve(admissions?.[index]);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(organizationId);
  }
}
