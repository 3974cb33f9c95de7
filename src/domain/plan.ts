// A plan says how much an organization may ask and how far back it sees. Three ship; operators make others.
import { OperatorError } from './error.ts';
import { comparePeriods, type Frequency, isSamePeriod, type Period } from './period.ts';

/** How many of the newest published periods are visible. */
export type PeriodLimit = number | 'all';

export interface Plan {
  readonly name: string;
  /** Spec 8.1: searches per organization in any hour. */
  readonly searchesPerHour: number;
  /** Spec 8.4. */
  readonly months: PeriodLimit;
  readonly weeks: PeriodLimit;
}

export const PRO: Plan = { name: 'pro', searchesPerHour: 100, months: 24, weeks: 6 };
export const STUDIO: Plan = { name: 'studio', searchesPerHour: 500, months: 'all', weeks: 6 };
/** For those who run the service for themselves. */
export const OWNER: Plan = { name: 'owner', searchesPerHour: 10_000, months: 'all', weeks: 'all' };

/** Each admitted search is a row for an hour, and a decision counts them. */
export const MAX_SEARCHES_PER_HOUR = 100_000;
/** More than nine hundred years; whoever wants all says so. */
export const MAX_PERIOD_LIMIT = 10_000;
export const PLAN_NAME_PATTERN = /^[a-z][a-z0-9-]{0,39}$/;
/** Words that mean something else where the name of a plan is expected. */
const RESERVED_NAMES: readonly string[] = ['all', 'none'];

export function parsePlanName(text: string): string {
  if (PLAN_NAME_PATTERN.test(text) && !RESERVED_NAMES.includes(text)) return text;
  throw new OperatorError(`"${text}" cannot be the name of a plan.`, {
    hint: `Use 1 to 40 of a-z, 0-9 and hyphens, a letter first, and none of ${RESERVED_NAMES.join(', ')}.`,
  });
}

/** The part of `newestFirst` that a plan can see; it must hold the published periods of one frequency. */
export function visiblePeriods<P extends { readonly frequency: Frequency }>(
  plan: Plan,
  newestFirst: readonly P[],
): readonly P[] {
  return newestFirst.filter(({ frequency }, index) => {
    const limit = frequency === 'monthly' ? plan.months : plan.weeks;
    return limit === 'all' || index < limit;
  });
}

/** The published periods of one frequency that a plan can see, oldest first. */
export function visibleWindow({
  plan,
  frequency,
  published,
}: {
  readonly plan: Plan;
  readonly frequency: Frequency;
  /** In any order. */
  readonly published: readonly Period[];
}): readonly Period[] {
  const newestFirst = published.filter((period) => period.frequency === frequency).sort((a, b) => comparePeriods(b, a));
  return [...visiblePeriods(plan, newestFirst)].reverse();
}

/**
 * Throws unless the window is the newest of these periods, which are oldest first; an empty window sees nothing. Every plan for a
 * rank store has such a window, and engines rely on it.
 */
export function checkWindow(window: readonly Period[], periods: readonly Period[]): void {
  const first = periods.length - window.length;
  const isNewest = window.every((period, i) => {
    const published = periods[first + i];
    return published !== undefined && isSamePeriod(period, published);
  });
  if (!isNewest) throw new Error(`a window of ${window.length} is not the newest of ${periods.length} periods`);
}
