// Trends compare the newest visible period, or one that the caller names, with earlier ones. Planning settles which periods those are, so that a rank
// store never has to know about plans.
//
// Order. Ties break by the newer of the two ranks, then by normalised term in code point order, both ascending in either
// direction. The order `query` is that of the normalised terms, so capitals do not count; it has no ties. The order
// `change_percentage` is that of the numbers as they are shown.
//
// Filters mean what they mean in a keyword search over the plan's window: every word of a query is in the term, with the same
// stems and the same typo rule, and categories are those of the keyword's newest visible period.
import { type CompareTo, planComparison } from './comparison.ts';
import type { Frequency, Period } from './period.ts';
import { type Plan, visibleWindow } from './plan.ts';
import { parseQueryTexts, type QueryText } from './query-text.ts';
import {
  type FilterQuery,
  type Filters,
  planFilterQuery,
  TREND_FILTERS,
  type TrendFilterField,
} from './search-filter.ts';
import type { OrderDirection } from './search-query.ts';

/** Spec 4.4, and one more. */
export const CHANGE_ORDERS = [
  'change',
  'abs_change',
  'change_percentage',
  'current_rank',
  'previous_rank',
  'query',
] as const;
export type ChangeOrder = (typeof CHANGE_ORDERS)[number];

export const CHANGE_DIRECTIONS = ['positive', 'negative'] as const;
export type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];

/** Spec 4.3. */
export const SOCIAL_ORDERS = ['total_improvement', 'start_rank', 'end_rank', 'query'] as const;
export type SocialOrder = (typeof SOCIAL_ORDERS)[number];

export const NEW_ORDERS = ['current_rank', 'query'] as const;
export type NewOrder = (typeof NEW_ORDERS)[number];

/** Social ranks are followed over this many of the newest visible periods. */
const SOCIAL_SPAN_PERIODS = 6;

export interface TrendQuery<Order extends string> extends TrendFilterQuery {
  readonly frequency: Frequency;
  readonly orderBy: Order;
  readonly orderDirection: OrderDirection;
  readonly offset: number;
  readonly limit: number;
}

/** As typed; empty and undefined filter nothing. Ranks bound the newer of the two. */
export interface TrendFilterQuery extends Pick<FilterQuery, TrendFilterField> {
  readonly queries: readonly string[];
}

export interface ChangeQuery extends TrendQuery<ChangeOrder> {
  /** In ranks, above 0, not always whole. */
  readonly threshold: number;
  /** Undefined means both. */
  readonly direction: ChangeDirection | undefined;
  /** Key of the newer period as typed; undefined means the newest visible one. */
  readonly period?: string | undefined;
  /** Undefined means the visible period before the newer one. */
  readonly compareTo?: CompareTo | undefined;
}

export type SocialQuery = TrendQuery<SocialOrder>;
export type NewQuery = TrendQuery<NewOrder>;

export interface TrendContext {
  readonly plan: Plan;
  /** The published periods of the set that is asked, in any order. */
  readonly published: readonly Period[];
}

export interface TrendFilters extends Pick<Filters, TrendFilterField> {
  /** Distinct. */
  readonly queries: readonly QueryText[];
}

export interface TrendPlan<Field extends string> {
  /** The visible periods, oldest first. Nothing outside of them may show in the answer. */
  readonly window: readonly Period[];
  readonly filters: TrendFilters;
  readonly order: { readonly field: Field; readonly direction: OrderDirection };
  readonly offset: number;
  readonly limit: number;
}

/** Lists keywords that are ranked in both periods and moved by more than the threshold. */
export interface ChangePlan extends TrendPlan<ChangeOrder> {
  /** Undefined where there is no such visible period: then nothing is listed. */
  readonly previous: Period | undefined;
  /** The newer one, also when it is the only one; undefined when there is none. Either may lie in a gap: then nothing is listed. */
  readonly current: Period | undefined;
  readonly threshold: number;
  readonly direction: ChangeDirection | undefined;
}

/** Lists keywords that are ranked in both the first and the last period of the span. */
export interface SocialPlan extends TrendPlan<SocialOrder> {
  /** Oldest first; empty while nothing is published. In a span of one period nothing has moved. */
  readonly span: readonly Period[];
  /** The visible retail periods, oldest first: social reports have no categories, so those of the retail keyword count. */
  readonly retailWindow: readonly Period[];
}

/** Lists keywords whose only rank in the window is in its newest period. */
export type NewPlan = TrendPlan<NewOrder>;

/** Asks for the visible ranks of terms, all of them or the newest. */
export interface LatestRankPlan {
  /** The visible periods, oldest first. */
  readonly window: readonly Period[];
  /** Normalised. */
  readonly terms: readonly string[];
}

export function planChanges(query: ChangeQuery, context: TrendContext): ChangePlan {
  const plan = planTrend(query, context);
  const { frequency, threshold, direction, compareTo, period } = query;
  const { from, to } = planComparison({ window: plan.window, frequency, compareTo, period });
  return { ...plan, previous: from, current: to, threshold, direction };
}

export function planSocialRanks(
  query: SocialQuery,
  context: TrendContext & { readonly retailPublished: readonly Period[] },
): SocialPlan {
  const plan = planTrend(query, context);
  const { frequency } = query;
  return {
    ...plan,
    span: plan.window.slice(-SOCIAL_SPAN_PERIODS),
    retailWindow: visibleWindow({ plan: context.plan, frequency, published: context.retailPublished }),
  };
}

export function planNewTerms(query: NewQuery, context: TrendContext): NewPlan {
  return planTrend(query, context);
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
  return changeHundredths(previousRank, currentRank) / 100;
}

/** The same in hundredths of a percent. Called for every keyword of a list, so it takes plain numbers. */
export function changeHundredths(previousRank: number, currentRank: number): number {
  const change = previousRank - currentRank;
  const hundredths = Math.round((Math.abs(change) * 10_000) / previousRank);
  // A tiny fall must not become a negative zero.
  return change < 0 && hundredths !== 0 ? -hundredths : hundredths;
}

/** What all lists have in common. */
export function planTrend<Order extends string>(query: TrendQuery<Order>, context: TrendContext): TrendPlan<Order> {
  const { frequency, orderBy, orderDirection, offset, limit } = query;
  return {
    window: visibleWindow({ ...context, frequency }),
    filters: {
      queries: parseQueryTexts(query.queries),
      ...planFilterQuery(TREND_FILTERS, query),
    },
    order: { field: orderBy, direction: orderDirection },
    offset,
    limit,
  };
}
