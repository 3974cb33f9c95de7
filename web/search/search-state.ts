// The search as the address bar holds it. Its parameters are those of the API under the same names, so an address of the page
// and a request differ in nothing but the path.

import { OPERATIONS } from '../api/operations.ts';
import type { Frequency } from '../api/wire.ts';
import { place } from '../app/location.ts';
import type { SortState } from '../parts/data-grid.tsx';

export const DEFAULT_LIMIT = 100;

const RANK_ORDERS = new Set(['latest_rank', 'best_rank', 'worst_rank', 'avg_rank']);

export interface SearchState {
  readonly queries: readonly string[];
  readonly method: 'similar' | 'exact';
  readonly type: Frequency;
  readonly sort: SortState;
  /** The period that decides the order, if one does. */
  readonly sortPeriod: string | undefined;
  /** What the API is asked. The period to compare with is left out where the page can compare by itself: to change it is no search. */
  readonly params: URLSearchParams;
  /** The same with it, for files and programs. */
  readonly fullParams: URLSearchParams;
}

export const CHANGE_ORDERS: ReadonlySet<string> = new Set(['change', 'change_percentage']);
const CHANGE_FILTERS = ['min_change', 'max_change', 'min_change_percentage', 'max_change_percentage'];

/** Exports ask for these where they are made. */
const EXPORT_NAMES = new Set(['format', 'color_threshold']);
const PARAMETERS = Object.entries(OPERATIONS['/v1/search/keywords']?.parameters ?? {}).filter(
  ([name]) => !EXPORT_NAMES.has(name),
);

export function readSearchState(): SearchState {
  const given = place.value.params;
  const params = new URLSearchParams();
  for (const [name, kind] of PARAMETERS) {
    const values = given.getAll(name).filter((value) => value.trim() !== '');
    for (const value of kind === 'texts' ? values : values.slice(0, 1)) params.append(name, value);
  }
  if (!params.has('limit')) params.set('limit', String(DEFAULT_LIMIT));
  // Every column can be shown without another search.
  params.set('include', 'insights');
  const order = params.get('order_by') ?? 'best_match';
  const direction = params.get('order_direction')?.toLowerCase();
  const fullParams = new URLSearchParams(params);
  if (!CHANGE_ORDERS.has(order) && !CHANGE_FILTERS.some((name) => params.has(name))) params.delete('compare_to');
  return {
    queries: params.getAll('query'),
    method: params.get('method') === 'exact' ? 'exact' : 'similar',
    type: params.get('type') === 'weekly' ? 'weekly' : 'monthly',
    sort: { order, isDescending: direction ? direction === 'desc' : isBestDescending(order) },
    sortPeriod: isPeriodKey(order) ? order : undefined,
    params,
    fullParams,
  };
}

export function isPeriodKey(order: string): boolean {
  return /^\d{1,3}-\d{4}$/.test(order);
}

/** Ranks are best when low, all else when high: the service's own defaults. */
export function isBestDescending(order: string): boolean {
  return !RANK_ORDERS.has(order) && !isPeriodKey(order);
}
