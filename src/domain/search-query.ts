// A search as the caller asked for it: typed and within limits, but not yet placed in a plan window. HTTP parameters and
// MCP tool arguments both end here; defaults are already filled in.
import type { CompareTo } from './comparison.ts';
import type { Frequency } from './period.ts';
import type { CommonFilterField, FilterQuery } from './search-filter.ts';

export const SEARCH_METHODS = ['exact', 'similar'] as const;
export type SearchMethod = (typeof SEARCH_METHODS)[number];

export const ORDER_DIRECTIONS = ['asc', 'desc'] as const;
export type OrderDirection = (typeof ORDER_DIRECTIONS)[number];

/** What a search can be ordered by beside the ranks of a period: which end is best, and what the order is about. */
export const ORDERS = {
  latest_period: { best: 'desc', about: 'summary' },
  latest_rank: { best: 'asc', about: 'summary' },
  best_rank: { best: 'asc', about: 'summary' },
  worst_rank: { best: 'asc', about: 'summary' },
  avg_rank: { best: 'asc', about: 'summary' },
  total_periods: { best: 'desc', about: 'summary' },
  fts_rank: { best: 'desc', about: 'words' },
  similarity_score: { best: 'desc', about: 'words' },
  best_match: { best: 'desc', about: 'words' },
  click_share: { best: 'desc', about: 'product' },
  conversion_share: { best: 'desc', about: 'product' },
  change: { best: 'desc', about: 'insights' },
  change_percentage: { best: 'desc', about: 'insights' },
  year_change: { best: 'desc', about: 'insights' },
  click_concentration: { best: 'desc', about: 'insights' },
  conversion_to_click: { best: 'desc', about: 'insights' },
  title_gap: { best: 'desc', about: 'insights' },
  first_seen: { best: 'desc', about: 'insights' },
} as const satisfies Readonly<
  Record<string, { best: OrderDirection; about: 'summary' | 'words' | 'product' | 'insights' }>
>;

type OrderAbout<About> = {
  [Name in keyof typeof ORDERS]: (typeof ORDERS)[Name]['about'] extends About ? Name : never;
}[keyof typeof ORDERS];

/** Spec 4.1, and those by numbers of the insights. */
export type SearchOrder = OrderAbout<'summary' | 'words' | 'insights'>;
export const SEARCH_ORDERS: readonly SearchOrder[] = [
  ...ordersAbout('summary'),
  ...ordersAbout('words'),
  ...ordersAbout('insights'),
];

/** Orders of the ASIN search beyond those of its summary: the share of the ASIN that was asked for. */
export type ShareOrder = OrderAbout<'product'>;
export const SHARE_ORDERS: readonly ShareOrder[] = ordersAbout('product');

export function ordersAbout<About extends string>(about: About): readonly OrderAbout<About>[] {
  const names = Object.entries(ORDERS).flatMap(([name, order]) => (order.about === about ? [name] : []));
  return names as OrderAbout<About>[];
}

export const DEFAULT_SEARCH_LIMIT = 50;
export const MAX_SEARCH_LIMIT = 1000;

interface PageQuery {
  readonly frequency: Frequency;
  /** Undefined means the default direction of the order. */
  readonly orderDirection: OrderDirection | undefined;
  readonly page: number;
  /** An export may ask for more than MAX_SEARCH_LIMIT. */
  readonly limit: number;
  /** What the newest period is compared with; undefined means the one before it. */
  readonly compareTo?: CompareTo | undefined;
  /** Whether each result says what its numbers mean. */
  readonly includesInsights?: boolean;
}

export interface SearchQuery extends PageQuery, FilterQuery {
  /** As typed; at least one. */
  readonly queries: readonly string[];
  readonly method: SearchMethod;
  readonly excludeQueries: readonly string[];
  /** A field, or a period key as typed. */
  readonly orderBy: SearchOrder | { readonly periodKey: string };
}

export interface AsinQuery extends PageQuery, Pick<FilterQuery, CommonFilterField> {
  /** At least one. */
  readonly asins: readonly string[];
  readonly orderBy: SearchOrder | ShareOrder | { readonly periodKey: string };
}
