import { comparePeriods, type Frequency, isSamePeriod, type Period } from './period.ts';

export const PLANS = ['pro', 'studio'] as const;
export type Plan = (typeof PLANS)[number];

/** Spec 8.1: searches per organization in any hour. */
export const SEARCHES_PER_HOUR: Readonly<Record<Plan, number>> = { pro: 100, studio: 500 };

/** Spec 8.4: how many of the newest published periods a plan can see. */
const VISIBLE_PERIODS: Readonly<Record<Plan, Readonly<Record<Frequency, number>>>> = {
  pro: { monthly: 24, weekly: 6 },
  studio: { monthly: Number.POSITIVE_INFINITY, weekly: 6 },
};

/** The part of `newestFirst` that a plan can see; it must hold the published periods of one frequency. */
export function visiblePeriods<P extends { readonly frequency: Frequency }>(
  plan: Plan,
  newestFirst: readonly P[],
): readonly P[] {
  return newestFirst.filter((period, index) => index < VISIBLE_PERIODS[plan][period.frequency]);
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
 * Throws unless the window is what a plan sees of these periods, which are oldest first; an empty window sees nothing. Every plan
 * for a rank store has such a window, and engines rely on it.
 */
export function checkWindow(window: readonly Period[], periods: readonly Period[]): void {
  const first = periods.length - window.length;
  const isNewest = window.every((period, i) => {
    const published = periods[first + i];
    return published !== undefined && isSamePeriod(period, published);
  });
  const isOfPlan = PLANS.some((plan) => window.length === visiblePeriods(plan, periods).length);
  if (!isNewest || (window.length > 0 && !isOfPlan)) {
    throw new Error(`no plan sees a window of these ${window.length} of the ${periods.length} published periods`);
  }
}
