// Planning turns a query into what a rank store executes: a numbered list of pure rules, each of which settles one
// question. No rule sees rank data, only which periods are published.
import { type Comparison, NO_COMPARISON, planComparison } from './comparison.ts';
import type { Period } from './period.ts';
import { type Plan, visibleWindow } from './plan.ts';
import { parseQueryTexts, type QueryText } from './query-text.ts';
import {
  distinctAsins,
  type Filters,
  NO_FILTERS,
  planFilterQuery,
  type ReadPeriod,
  SEARCH_FILTERS,
} from './search-filter.ts';
import { type AsinQuery, ORDERS, type OrderDirection, type SearchQuery } from './search-query.ts';
import { normalizeTerm } from './term.ts';
import { parseVisiblePeriod } from './visible-period.ts';

/** Which keywords are results at all. Terms are normalised; they and texts are distinct. */
export type Match =
  | { readonly kind: 'exact'; readonly terms: readonly string[] }
  | { readonly kind: 'similar'; readonly queries: readonly QueryText[]; readonly excluded: readonly QueryText[] }
  | { readonly kind: 'asins'; readonly asins: readonly string[] };

/** One that callers name, or the order in which they named the terms of an exact search. */
export type OrderField = keyof typeof ORDERS | 'query_order';

export type Order =
  | { readonly kind: 'field'; readonly field: OrderField; readonly direction: OrderDirection }
  | { readonly kind: 'period'; readonly period: Period; readonly direction: OrderDirection };

export interface SearchPlan {
  /** The visible periods, oldest first. Nothing outside of them may show in the answer. */
  readonly window: readonly Period[];
  readonly match: Match;
  readonly filters: Filters;
  readonly order: Order;
  /** The periods that `change`, `change_percentage` and `year_change` compare, in orders, filters and insights. */
  readonly comparison: Comparison;
  /** Whether rows carry insights. */
  readonly includesInsights: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface PlanContext {
  readonly plan: Plan;
  /** The published periods of the marketplace and the query's frequency, in any order. */
  readonly published: readonly Period[];
}

type PlannedQuery = SearchQuery | AsinQuery;
type Rule = (draft: SearchPlan, query: PlannedQuery, context: PlanContext) => SearchPlan;

/** The rules in the order in which they apply. The window comes first because later rules depend on it. */
export const SEARCH_RULES: readonly Rule[] = [
  planWindow, // 1
  planMatch, // 2
  planExclusions, // 3
  planFilters, // 4
  planOrder, // 5
  planSlice, // 6
  planInsights, // 7
];

export function planSearch(query: SearchQuery, context: PlanContext): SearchPlan {
  return applyRules(query, context);
}

export function planAsinSearch(query: AsinQuery, context: PlanContext): SearchPlan {
  return applyRules(query, context);
}

/** Rule 1. Only the periods that the plan sees exist for everything that follows (Spec 8.4). */
export function planWindow(draft: SearchPlan, query: PlannedQuery, { plan, published }: PlanContext): SearchPlan {
  return { ...draft, window: visibleWindow({ plan, frequency: query.frequency, published }) };
}

/** Rule 2. Queries are compared in normalised form, so two spellings of one term are one query. */
export function planMatch(draft: SearchPlan, query: PlannedQuery): SearchPlan {
  if (!isKeywordQuery(query)) return { ...draft, match: { kind: 'asins', asins: distinctAsins(query.asins) } };
  if (query.method === 'similar') {
    return { ...draft, match: { kind: 'similar', queries: parseQueryTexts(query.queries), excluded: [] } };
  }
  return { ...draft, match: { kind: 'exact', terms: [...new Set(query.queries.map(normalizeTerm))] } };
}

/** Rule 3. Exclusions apply to similar searches and are ignored for exact ones (Spec 4.1). */
export function planExclusions(draft: SearchPlan, query: PlannedQuery): SearchPlan {
  if (draft.match.kind !== 'similar' || !isKeywordQuery(query)) return draft;
  return { ...draft, match: { ...draft.match, excluded: parseQueryTexts(query.excludeQueries) } };
}

/** Rule 4. Every filter is in the form in which it is compared. Products are what an ASIN search finds, not a filter of it. */
export function planFilters(draft: SearchPlan, query: PlannedQuery): SearchPlan {
  const { frequency } = query;
  const readPeriod: ReadPeriod = (key, parameter) =>
    parseVisiblePeriod(key, { parameter, frequency, window: draft.window, otherwise: 'leave the parameter out' });
  // The ASINs of an ASIN search are what matches.
  const given = isKeywordQuery(query) ? query : { ...query, asins: undefined };
  return { ...draft, filters: planFilterQuery(SEARCH_FILTERS, given, readPeriod) };
}

/**
 * Rule 5. A period must exist and lie in the window. Relevance says nothing about an exact or an ASIN search: the first
 * keeps the order of the queries, the second puts the most searched first.
 */
export function planOrder(draft: SearchPlan, query: PlannedQuery): SearchPlan {
  const { orderBy, orderDirection } = query;
  if (typeof orderBy !== 'string') {
    const period = parseVisiblePeriod(orderBy.periodKey, {
      parameter: 'order_by',
      frequency: query.frequency,
      window: draft.window,
      otherwise: 'order by a field such as latest_rank',
    });
    return { ...draft, order: { kind: 'period', period, direction: orderDirection ?? 'asc' } };
  }
  const { best, about } = ORDERS[orderBy];
  if (about === 'words' && draft.match.kind === 'exact') {
    return { ...draft, order: { kind: 'field', field: 'query_order', direction: 'asc' } };
  }
  if (about === 'words' && draft.match.kind === 'asins') {
    return { ...draft, order: { kind: 'field', field: 'latest_period', direction: 'desc' } };
  }
  return { ...draft, order: { kind: 'field', field: orderBy, direction: orderDirection ?? best } };
}

/** Rule 6. Pages count from 1; one past the end is empty, not an error. */
export function planSlice(draft: SearchPlan, query: PlannedQuery): SearchPlan {
  return { ...draft, offset: (query.page - 1) * query.limit, limit: query.limit };
}

/** Rule 7. The newest visible period is compared with an earlier one, and a period is never put in the place of another. */
export function planInsights(draft: SearchPlan, query: PlannedQuery): SearchPlan {
  const { frequency, compareTo, includesInsights = false } = query;
  return { ...draft, comparison: planComparison({ window: draft.window, frequency, compareTo }), includesInsights };
}

function applyRules(query: PlannedQuery, context: PlanContext): SearchPlan {
  const empty: SearchPlan = {
    window: [],
    match: { kind: 'exact', terms: [] },
    filters: NO_FILTERS,
    order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
    comparison: NO_COMPARISON,
    includesInsights: false,
    offset: 0,
    limit: 0,
  };
  return SEARCH_RULES.reduce((draft, rule) => rule(draft, query, context), empty);
}

function isKeywordQuery(query: PlannedQuery): query is SearchQuery {
  return 'queries' in query;
}
