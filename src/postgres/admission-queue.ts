// A decision costs a flush to disk and most of a millisecond of processor time, whatever it decides. So while one is under way
// the searches that arrive are gathered, of all organizations, and decided together by the next, in one round trip and one commit.
// They are gathered for a moment longer while what is admitted would only wait for a thread that searches.
//
// A decision on several organizations waits for nobody's lock. What it leaves undecided, or fails on, is decided for each organization
// on its own, as are organizations with many searches waiting, which would hold up the others. One that is known to be over its limit
// costs no decision at all. An organization has one decision under way at a time, so it never holds more than one connection, however
// hard it pushes.
import type { OrganizationId } from '../domain/account.ts';
import type { Admission, SearchAttempt } from '../domain/rate-limit.ts';
import { DatabaseBusyError } from './fair-pool.ts';
import type { KnownRefusals } from './known-refusals.ts';
import { listeningClock } from './listening-clock.ts';
import { isDatabaseUnavailable, type Pool, REQUEST_LIMIT_MS } from './pool.ts';
import { admitSearches, admitTogether } from './rate-log.ts';

const MAX_BATCH = 200;
/** Organizations that are decided on together. */
const MAX_TOGETHER = 32;
/** Who has more searches waiting is decided on alone. */
const MAX_SHARE = 8;
/** Who comes waits for the end of one decision on several organizations, or of so many on one. */
const MAX_AWAITED = 2;
/** While the threads that search have others to do for longer than a decision takes, it waits for more, up to a time. */
const MAX_GATHERING_MS = 10;
/** Weight of the newest decision in the average duration. */
const NEWEST_WEIGHT = 0.1;
const LOOK_AGAIN_MS = 1;
/** Nobody waits longer for the end of a decision than this. */
const PATIENCE_MS = 25;

interface Waiting {
  readonly attempt: SearchAttempt;
  readonly sinceMs: number;
  readonly resolve: (admission: Admission | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** What waits of one organization. */
interface Line {
  readonly organizationId: OrganizationId;
  readonly waiting: Waiting[];
  isUnderWay: boolean;
  /** A decision together with others has failed, and none on its own has succeeded since. */
  isApart: boolean;
}

export class AdmissionQueue {
  readonly #pool: Pool;
  readonly #refusals: KnownRefusals;
  readonly #waitMs: () => number;
  readonly #lines = new Map<OrganizationId, Line>();
  /** Lines for the next decision; who waits longest comes first. */
  readonly #gathered = new Set<Line>();
  /** Decisions under way for whose end those who are gathered wait; one on several organizations counts as MAX_AWAITED. */
  #awaited = 0;
  /** Since when somebody is gathered, by whose first search. */
  #gatheringSinceMs = 0;
  #nextLook: NodeJS.Timeout | undefined;
  /** How long a decision on several organizations took lately. */
  #decisionMs = 0;

  /** `waitMs` tells how long what is admitted now would wait for a thread. */
  constructor(pool: Pool, refusals: KnownRefusals, waitMs: () => number = () => 0) {
    this.#pool = pool;
    this.#refusals = refusals;
    this.#waitMs = waitMs;
  }

  admit(attempt: SearchAttempt): Promise<Admission | undefined> {
    const { organizationId } = attempt.tenant;
    const refusal = this.#refusals.find(organizationId);
    if (refusal) return Promise.resolve(refusal);
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(organizationId) ?? {
        organizationId,
        waiting: [],
        isUnderWay: false,
        isApart: false,
      };
      this.#lines.set(organizationId, line);
      line.waiting.push({ attempt, sinceMs: listeningClock.nowMs(), resolve, reject });
      if (!line.isUnderWay) this.#goOn(line);
    });
  }

  /** Sees to it that what waits is decided. */
  #goOn(line: Line): void {
    if (line.waiting.length === 0) {
      if (!line.isApart) this.#lines.delete(line.organizationId);
    } else if (line.isApart || line.waiting.length > MAX_SHARE) {
      this.#gathered.delete(line);
      void this.#decideAlone(line);
    } else {
      if (this.#gathered.size === 0) this.#gatheringSinceMs = performance.now();
      this.#gathered.add(line);
      this.#decideGathered();
    }
  }

  #decideGathered(): void {
    while (this.#awaited < MAX_AWAITED && this.#gathered.size > 0) {
      if (this.#waitMs() > this.#decisionMs && performance.now() - this.#gatheringSinceMs < MAX_GATHERING_MS) {
        this.#nextLook ??= setTimeout(() => {
          this.#nextLook = undefined;
          this.#decideGathered();
        }, LOOK_AGAIN_MS);
        return;
      }
      const lines = [...this.#gathered].slice(0, MAX_TOGETHER);
      for (const line of lines) this.#gathered.delete(line);
      const [only] = lines;
      if (only && lines.length === 1) this.#awaitEnd(this.#decideAlone(only), 1);
      else this.#awaitEnd(this.#decideTogether(lines), MAX_AWAITED);
    }
  }

  #awaitEnd(decision: Promise<void>, weight: number): void {
    this.#awaited += weight;
    let isAwaited = true;
    const goOn = (): void => {
      if (!isAwaited) return;
      isAwaited = false;
      clearTimeout(impatience);
      this.#awaited -= weight;
      this.#decideGathered();
    };
    const impatience = setTimeout(goOn, PATIENCE_MS);
    void decision.then(goOn);
  }

  async #decideTogether(lines: readonly Line[]): Promise<void> {
    const batches = lines.map((line) => ({ line, batch: this.#take(line) }));
    const asked = batches.filter(({ batch }) => batch.length > 0);
    let decided: ReadonlyMap<OrganizationId, readonly Admission[]> | undefined;
    const startMs = performance.now();
    try {
      decided = await admitTogether(
        this.#pool,
        new Map(asked.map(({ line, batch }) => [line.organizationId, attemptsOf(batch)])),
      );
    } catch (error) {
      if (isDatabaseUnavailable(error))
        for (const { line, batch } of asked) rejectAll([...batch.splice(0), ...line.waiting.splice(0)], error);
      else for (const { line } of asked) line.isApart = true;
    }
    this.#decisionMs += (performance.now() - startMs - this.#decisionMs) * NEWEST_WEIGHT;
    for (const { line, batch } of batches) {
      const admissions = decided?.get(line.organizationId);
      if (admissions) resolveAll(batch, admissions);
      // What was left undecided comes first.
      else line.waiting.unshift(...batch);
      if (admissions || batch.length === 0) this.#end(line);
      else void this.#decideAlone(line);
    }
  }

  async #decideAlone(line: Line): Promise<void> {
    const { organizationId, waiting } = line;
    const batch = this.#take(line);
    try {
      const note = this.#refusals.beginDecision();
      const admissions =
        batch.length > 0 ? await admitSearches(this.#pool, organizationId, attemptsOf(batch)) : undefined;
      note(organizationId, admissions);
      line.isApart = false;
      resolveAll(batch, admissions);
      const refusal = this.#refusals.find(organizationId);
      if (refusal) for (const { resolve } of waiting.splice(0)) resolve(refusal);
    } catch (error) {
      // Whoever waits behind a database that does not answer would only wait for the same failure.
      rejectAll([...batch, ...(isDatabaseUnavailable(error) ? waiting.splice(0) : [])], error);
    }
    this.#end(line);
  }

  #take(line: Line): Waiting[] {
    line.isUnderWay = true;
    return takeNext(line.waiting);
  }

  #end(line: Line): void {
    line.isUnderWay = false;
    this.#goOn(line);
  }
}

/** The next to be decided on together. Those that have waited as long as a request may are sent away. */
function takeNext(waiting: Waiting[]): Waiting[] {
  const nowMs = listeningClock.nowMs();
  while (waiting[0] && nowMs - waiting[0].sinceMs > REQUEST_LIMIT_MS) waiting.shift()?.reject(new DatabaseBusyError());
  return waiting.splice(0, MAX_BATCH);
}

function attemptsOf(batch: readonly Waiting[]): readonly SearchAttempt[] {
  return batch.map(({ attempt }) => attempt);
}

function resolveAll(batch: readonly Waiting[], admissions: readonly Admission[] | undefined): void {
  batch.forEach(({ resolve }, index) => {
    resolve(admissions?.[index]);
  });
}

function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const { reject } of batch) reject(error);
}
