// Searches of one organization wait for the same row lock, and each decision costs a flush to disk. While one decision is
// under way the searches that arrive are gathered and decided together by the next. So a burst costs a few flushes instead
// of hundreds, and an organization never holds more than one connection, however hard it pushes. One that is known to be over
// its limit costs no decision at all.
import type { OrganizationId } from '../domain/account.ts';
import type { Admission, SearchAttempt } from '../domain/rate-limit.ts';
import { DatabaseBusyError } from './fair-pool.ts';
import type { KnownRefusals } from './known-refusals.ts';
import { listeningClock } from './listening-clock.ts';
import { isDatabaseUnavailable, type Pool, REQUEST_LIMIT_MS } from './pool.ts';
import { admitSearches } from './rate-log.ts';

const MAX_BATCH = 200;

interface Waiting {
  readonly attempt: SearchAttempt;
  readonly sinceMs: number;
  readonly resolve: (admission: Admission | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class AdmissionQueue {
  readonly #pool: Pool;
  readonly #refusals: KnownRefusals;
  /** Present while a decision for the organization is under way. */
  readonly #waiting = new Map<OrganizationId, Waiting[]>();

  constructor(pool: Pool, refusals: KnownRefusals) {
    this.#pool = pool;
    this.#refusals = refusals;
  }

  admit(attempt: SearchAttempt): Promise<Admission | undefined> {
    const { organizationId } = attempt.tenant;
    const refusal = this.#refusals.find(organizationId);
    if (refusal) return Promise.resolve(refusal);
    return new Promise((resolve, reject) => {
      const entry = { attempt, sinceMs: listeningClock.nowMs(), resolve, reject };
      const waiting = this.#waiting.get(organizationId);
      if (waiting) waiting.push(entry);
      else void this.#decide(organizationId, [entry]);
    });
  }

  async #decide(organizationId: OrganizationId, first: readonly Waiting[]): Promise<void> {
    const waiting: Waiting[] = [];
    this.#waiting.set(organizationId, waiting);
    for (let batch = first; batch.length > 0; batch = takeNext(waiting)) {
      try {
        const attempts = batch.map(({ attempt }) => attempt);
        const note = this.#refusals.beginDecision();
        const admissions = await admitSearches(this.#pool, organizationId, attempts);
        note(organizationId, admissions);
        batch.forEach(({ resolve }, index) => {
          resolve(admissions?.[index]);
        });
        const refusal = this.#refusals.find(organizationId);
        if (refusal) for (const { resolve } of waiting.splice(0)) resolve(refusal);
      } catch (error) {
        // Whoever waits behind a database that does not answer would only wait for the same failure.
        const alike = isDatabaseUnavailable(error) ? waiting.splice(0) : [];
        for (const { reject } of [...batch, ...alike]) reject(error);
      }
    }
    this.#waiting.delete(organizationId);
  }
}

/** The next to be decided on together. Those that have waited as long as a request may are sent away. */
function takeNext(waiting: Waiting[]): readonly Waiting[] {
  const nowMs = listeningClock.nowMs();
  while (waiting[0] && nowMs - waiting[0].sinceMs > REQUEST_LIMIT_MS) waiting.shift()?.reject(new DatabaseBusyError());
  return waiting.splice(0, MAX_BATCH);
}
