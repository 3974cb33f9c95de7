// Trends compare the newest visible period with an earlier one. Planning settles which periods those are, so that a rank
// store never has to know about plans.
//
// Order. Ties break by the newer of the two ranks, then by normalised term in code point order, both ascending in either
// direction. The order `query` is that of the normalised terms, so capitals do not count; it has no ties.
import type { Frequency, Period } from './period.ts';
import { type Plan, visibleWindow } from './plan.ts';
import type { OrderDirection } from './search-query.ts';

/** Spec 4.4. */
export const CHANGE_ORDERS = ['change', 'abs_change', 'current_rank', 'previous_rank', 'query'] as const;
export type ChangeOrder = (typeof CHANGE_ORDERS)[number];

export const CHANGE_DIRECTIONS = ['positive', 'negative'] as const;
export type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];

/** Spec 4.3. */
export const SOCIAL_ORDERS = ['total_improvement', 'start_rank', 'end_rank', 'query'] as const;
export type SocialOrder = (typeof SOCIAL_ORDERS)[number];

/** Social ranks are followed over this many of the newest visible periods. */
const SOCIAL_SPAN_PERIODS = 6;

interface TrendQuery<Order extends string> {
  readonly frequency: Frequency;
  readonly orderBy: Order;
  readonly orderDirection: OrderDirection;
  readonly offset: number;
  readonly limit: number;
}

export interface ChangeQuery extends TrendQuery<ChangeOrder> {
  /** In ranks, above 0, not always whole. */
  readonly threshold: number;
  /** Undefined means both. */
  readonly direction: ChangeDirection | undefined;
}

export type SocialQuery = TrendQuery<SocialOrder>;

export interface TrendContext {
  readonly plan: Plan;
  /** The published periods of the set that is asked, in any order. */
  readonly published: readonly Period[];
}

interface TrendPlan<Field extends string> {
  readonly order: { readonly field: Field; readonly direction: OrderDirection };
  readonly offset: number;
  readonly limit: number;
}

/** Lists keywords that are ranked in both periods and moved by more than the threshold. */
export interface ChangePlan extends TrendPlan<ChangeOrder> {
  /** Undefined while fewer than two periods are visible: then nothing is listed. */
  readonly previous: Period | undefined;
  /** The newest visible period, also when it is the only one; undefined when there is none. */
  readonly current: Period | undefined;
  readonly threshold: number;
  readonly direction: ChangeDirection | undefined;
}

/** Lists keywords that are ranked in both the first and the last period of the span. */
export interface SocialPlan extends TrendPlan<SocialOrder> {
  /** Oldest first; empty while nothing is published. In a span of one period nothing has moved. */
  readonly span: readonly Period[];
}

/** Asks for the newest visible rank of each term. */
export interface LatestRankPlan {
  /** The visible periods, oldest first. */
  readonly window: readonly Period[];
  /** Normalised. */
  readonly terms: readonly string[];
}

export function planChanges(query: ChangeQuery, context: TrendContext): ChangePlan {
  const window = visibleWindow({ ...context, frequency: query.frequency });
  const { threshold, direction } = query;
  return { ...planTrend(query), previous: window.at(-2), current: window.at(-1), threshold, direction };
}

export function planSocialRanks(query: SocialQuery, context: TrendContext): SocialPlan {
  return {
    ...planTrend(query),
    span: visibleWindow({ ...context, frequency: query.frequency }).slice(-SOCIAL_SPAN_PERIODS),
  };
}

export function planLatestRanks(
  { frequency, terms }: { readonly frequency: Frequency; readonly terms: readonly string[] },
  context: TrendContext,
): LatestRankPlan {
  return { window: visibleWindow({ ...context, frequency }), terms };
}

/** The change in percent of the earlier rank, rounded to two decimals, halves away from zero; positive is up. */
export function changePercentage({
  previousRank,
  currentRank,
}: {
  readonly previousRank: number;
  readonly currentRank: number;
}): number {
  const change = previousRank - currentRank;
  const hundredths = Math.round((Math.abs(change) * 10_000) / previousRank);
  // A tiny fall must not become a negative zero.
  return hundredths === 0 ? 0 : (Math.sign(change) * hundredths) / 100;
}

function planTrend<Order extends string>(query: TrendQuery<Order>): TrendPlan<Order> {
  const { orderBy, orderDirection, offset, limit } = query;
  return { order: { field: orderBy, direction: orderDirection }, offset, limit };
}
