// Organizations take turns at the event loop. Between two looks at what has arrived, one request of each is begun. Whoever has
// more than that waits behind itself. Whoever floods is also slowed down while others, who do not, are at work: it would take the
// processor and the database from them, and each of the many steps of their requests would wait for one of its.
import { FairQueue, type Owned } from '../domain/fair-queue.ts';

/** Who floods begins one request in this time, for the sake of others. */
const MIN_HOLD_MS = 10;
/** Or in so many times the time that its last one took, so that nothing of it is under way most of the time. */
const HOLD_RATIO = 3;
const MAX_HOLD_MS = 250;
/** Others are at work for so long after their last request: a person reads and types in between. */
const CALM_MS = 30_000;
/** Who has so many waiting floods. A browser opens six connections. */
const FLOOD_LENGTH = 8;

interface Waiting extends Owned {
  readonly go: () => void;
}

export class RequestTurns {
  readonly #queue = new FairQueue<Waiting>();
  /** Who has begun one since the event loop last looked at its sockets. */
  readonly #served = new Set<string>();
  /** Requests under way. */
  readonly #running = new Map<string, number>();
  #lastCalmMs = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  #hold: NodeJS.Timeout | undefined;
  #holdMs = MIN_HOLD_MS;

  /** Resolves when a request of this organization may begin, with what to call at its end. */
  async take(organizationId: string): Promise<() => void> {
    this.#schedule();
    if (!this.#served.has(organizationId) && this.#queue.countOf(organizationId) === 0) this.#begin(organizationId);
    else await new Promise<void>((go) => this.#queue.push({ owner: organizationId, go }));
    const beganMs = performance.now();
    return () => this.#end(organizationId, performance.now() - beganMs);
  }

  #begin(organizationId: string): void {
    this.#served.add(organizationId);
    this.#running.set(organizationId, (this.#running.get(organizationId) ?? 0) + 1);
  }

  #end(organizationId: string, tookMs: number): void {
    if (this.#queue.countOf(organizationId) >= FLOOD_LENGTH) {
      this.#holdMs = Math.min(Math.max(HOLD_RATIO * tookMs, this.#holdMs / 2, MIN_HOLD_MS), MAX_HOLD_MS);
    }
    const left = (this.#running.get(organizationId) ?? 0) - 1;
    if (left > 0) this.#running.set(organizationId, left);
    else this.#running.delete(organizationId);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#served.clear();
      if (this.#queue.length === 0) return;
      if (this.#queue.shortestLane < FLOOD_LENGTH || !this.#isCalmOneAtWork()) this.#beginNext();
      else this.#hold ??= setTimeout(() => this.#beginNext(), this.#holdMs);
    });
  }

  /** Whether anyone has, or had a moment ago, a request under way and none waiting. */
  #isCalmOneAtWork(): boolean {
    const nowMs = performance.now();
    for (const owner of this.#running.keys()) if (this.#queue.countOf(owner) === 0) this.#lastCalmMs = nowMs;
    return nowMs - this.#lastCalmMs < CALM_MS;
  }

  /** One of each that waits. */
  #beginNext(): void {
    clearTimeout(this.#hold);
    this.#hold = undefined;
    for (;;) {
      const next = this.#queue.shift(({ owner }) => !this.#served.has(owner));
      if (!next) break;
      this.#begin(next.owner);
      next.go();
    }
    this.#schedule();
  }
}
