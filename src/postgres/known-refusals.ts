// An organization that has used up its hour stays refused until its oldest counted search turns one hour old: no server can
// admit it earlier, so asking the database again would only cost its neighbours. What could change that is a change of its
// plan, which is heard of by notification; while notifications cannot be heard, nothing is known.
import type { OrganizationId } from '../domain/account.ts';
import type { Admission, RateLimitState } from '../domain/rate-limit.ts';
import { CHANGES_CHANNEL } from './account-changes.ts';
import type { Listener } from './listener.ts';

/** Long enough that a flood costs one decision in it, and short for whoever changes the database by hand. */
const MAX_KNOWN_MS = 1_000;
const MAX_ORGANIZATIONS = 10_000;

interface Refusal {
  readonly state: RateLimitState;
  /** When the state came; the decision was made a little before. */
  readonly toldMs: number;
  readonly untilMs: number;
}

/** Takes note of what was decided. */
export type NoteDecision = (organizationId: OrganizationId, admissions: readonly Admission[] | undefined) => void;

export class KnownRefusals {
  readonly #listener: Listener;
  readonly #nowMs: () => number;
  readonly #refusals = new Map<OrganizationId, Refusal>();
  #changes = 0;

  private constructor(listener: Listener, nowMs: () => number) {
    this.#listener = listener;
    this.#nowMs = nowMs;
  }

  static async open(listener: Listener, nowMs = () => performance.now()): Promise<KnownRefusals> {
    const known = new KnownRefusals(listener, nowMs);
    await listener.subscribe({
      channel: CHANGES_CHANNEL,
      onNotification: async () => known.#forget(),
      onLost: () => known.#forget(),
    });
    return known;
  }

  find(organizationId: OrganizationId): Admission | undefined {
    const refusal = this.#refusals.get(organizationId);
    if (!refusal) return undefined;
    const nowMs = this.#nowMs();
    if (nowMs >= refusal.untilMs) {
      this.#refusals.delete(organizationId);
      return undefined;
    }
    const { state, toldMs } = refusal;
    // Never later than the database's clock, so that no Retry-After is too short.
    const now = new Date(state.now.getTime() + Math.floor(nowMs - toldMs));
    return { admitted: false, rateLimit: { ...state, now } };
  }

  /** To be called before the database is asked: a change that is heard of meanwhile makes its answer worthless. */
  beginDecision(): NoteDecision {
    const [askedMs, changes] = [this.#nowMs(), this.#changes];
    return (organizationId, admissions) => {
      const last = admissions?.at(-1);
      if (!last || last.admitted || changes !== this.#changes || !this.#listener.isConnected) return;
      const { rateLimit: state } = last;
      // Counted from the question, and so never past the moment at which the slot frees; both times were cut to whole
      // milliseconds.
      const untilMs = askedMs + Math.min(MAX_KNOWN_MS, state.resetsAt.getTime() - state.now.getTime() - 1);
      if (this.#refusals.size >= MAX_ORGANIZATIONS) this.#refusals.clear();
      this.#refusals.set(organizationId, { state, toldMs: this.#nowMs(), untilMs });
    };
  }

  #forget(): void {
    this.#changes += 1;
    this.#refusals.clear();
  }
}
