// A search as the caller asked for it: typed and within limits, but not yet placed in a plan window. HTTP parameters and
// MCP tool arguments both end here; defaults are already filled in.
import type { Frequency } from './period.ts';

export const SEARCH_METHODS = ['exact', 'similar'] as const;
export type SearchMethod = (typeof SEARCH_METHODS)[number];

export const ORDER_DIRECTIONS = ['asc', 'desc'] as const;
export type OrderDirection = (typeof ORDER_DIRECTIONS)[number];

/** Spec 4.1. A period key is the other thing to order by. */
export const SEARCH_ORDERS = [
  'latest_period',
  'latest_rank',
  'best_rank',
  'worst_rank',
  'avg_rank',
  'total_periods',
  'fts_rank',
  'similarity_score',
  'best_match',
] as const;
export type SearchOrder = (typeof SEARCH_ORDERS)[number];

/** Orders of the ASIN search beyond those of its summary: the share of the ASIN that was asked for. */
export const SHARE_ORDERS = ['click_share', 'conversion_share'] as const;
export type ShareOrder = (typeof SHARE_ORDERS)[number];

export const DEFAULT_SEARCH_LIMIT = 50;
export const MAX_SEARCH_LIMIT = 1000;

interface PageQuery {
  readonly marketplace: string;
  readonly frequency: Frequency;
  readonly excludeNulls: boolean;
  /** Undefined means the default direction of the order. */
  readonly orderDirection: OrderDirection | undefined;
  readonly page: number;
  /** An export may ask for more than MAX_SEARCH_LIMIT. */
  readonly limit: number;
}

export interface SearchQuery extends PageQuery {
  /** As typed; at least one. */
  readonly queries: readonly string[];
  readonly method: SearchMethod;
  readonly excludeQueries: readonly string[];
  readonly brands: readonly string[];
  readonly asins: readonly string[];
  readonly categories: readonly string[];
  /** A field, or a period key as typed. */
  readonly orderBy: SearchOrder | { readonly periodKey: string };
  readonly minRank: number | undefined;
  readonly maxRank: number | undefined;
  readonly minWords: number | undefined;
  readonly maxWords: number | undefined;
}

export interface AsinQuery extends PageQuery {
  /** At least one. */
  readonly asins: readonly string[];
  readonly orderBy: SearchOrder | ShareOrder | { readonly periodKey: string };
}
