// Organizations take turns at the event loop. Between two looks at what has arrived, one request of each is begun. Whoever has
// more than that waits behind itself. Whoever floods is also slowed down while others, who do not, are at work: it would take the
// processor and the database from them, and each of the many steps of their requests would wait for one of its. Then it also has
// only a few requests under way; the rest waits here, where it is seen to be a flood.
import { FairQueue, type Owned } from '../domain/fair-queue.ts';

/** Who floods begins one request in this time, for the sake of others. */
const MIN_HOLD_MS = 10;
/** Or in so many times the time that its last one took, so that nothing of it is under way most of the time. */
const HOLD_RATIO = 3;
const MAX_HOLD_MS = 250;
/** Others are at work for so long after their last request: a person reads and types in between. */
const CALM_MS = 30_000;
/** Who has so many waiting floods, and beside others has no more under way. A browser opens six connections. */
const FLOOD_LENGTH = 8;

interface Waiting extends Owned {
  readonly go: () => void;
}

interface Calm extends Owned {
  readonly lastMs: number;
}

export class RequestTurns {
  readonly #queue = new FairQueue<Waiting>();
  /** Who has begun one since the event loop last looked at its sockets. */
  readonly #served = new Set<string>();
  /** Requests under way. */
  readonly #running = new Map<string, number>();
  /** Who last had a request that nothing waited behind, and who did before. */
  #calm: Calm = { owner: '', lastMs: Number.NEGATIVE_INFINITY };
  #calmBefore = this.#calm;
  #isScheduled = false;
  #hold: NodeJS.Timeout | undefined;
  #holdMs = MIN_HOLD_MS;

  /** Resolves when a request of this owner may begin, with what to call at its end. */
  async take(owner: string): Promise<() => void> {
    this.#schedule();
    if (this.#queue.countOf(owner) === 0 && this.#mayBegin(owner)) {
      this.#begin(owner);
      this.#noteCalm(owner);
    } else await new Promise<void>((go) => this.#queue.push({ owner, go }));
    const beganMs = performance.now();
    return () => this.#end(owner, performance.now() - beganMs);
  }

  #mayBegin(owner: string): boolean {
    if (this.#served.has(owner)) return false;
    return (this.#running.get(owner) ?? 0) < FLOOD_LENGTH || !this.#isCalmOneBeside(owner);
  }

  #begin(owner: string): void {
    this.#served.add(owner);
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
  }

  #end(owner: string, tookMs: number): void {
    if (this.#queue.countOf(owner) >= FLOOD_LENGTH) {
      this.#holdMs = Math.min(Math.max(HOLD_RATIO * tookMs, this.#holdMs / 2, MIN_HOLD_MS), MAX_HOLD_MS);
    }
    this.#noteCalm(owner);
    const left = (this.#running.get(owner) ?? 0) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#served.clear();
      if (this.#queue.length === 0) return;
      if (this.#queue.shortestLane < FLOOD_LENGTH || !this.#isCalmOneBeside()) this.#beginNext();
      else this.#hold ??= setTimeout(() => this.#beginNext(), this.#holdMs);
    });
  }

  /** Nothing of it waits, and little is under way. */
  #isCalm(owner: string): boolean {
    return this.#queue.countOf(owner) === 0 && (this.#running.get(owner) ?? 0) < FLOOD_LENGTH;
  }

  #noteCalm(owner: string): void {
    if (!this.#isCalm(owner)) return;
    if (owner !== this.#calm.owner) this.#calmBefore = this.#calm;
    this.#calm = { owner, lastMs: performance.now() };
  }

  /** Whether anyone who is calm has a request under way, or had a moment ago. */
  #isCalmOneBeside(flooding?: string): boolean {
    const sinceMs = performance.now() - CALM_MS;
    return [this.#calm, this.#calmBefore].some(
      ({ owner, lastMs }) => lastMs > sinceMs && owner !== flooding && this.#isCalm(owner),
    );
  }

  /** One of each that waits. */
  #beginNext(): void {
    clearTimeout(this.#hold);
    this.#hold = undefined;
    for (;;) {
      const next = this.#queue.shift(({ owner }) => this.#mayBegin(owner));
      if (!next) break;
      this.#begin(next.owner);
      next.go();
    }
    // When none may begin, the next end of a request says so.
    if (this.#served.size > 0) this.#schedule();
  }
}
