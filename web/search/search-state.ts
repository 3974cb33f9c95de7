// The search as the address bar holds it. Its parameters are those of the API under the same names, so an address of the page
// and a request differ in nothing but the path.

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
  /** What the API is asked. */
  readonly params: URLSearchParams;
}

const LIST_NAMES = ['query', 'exclude_query', 'brand', 'product', 'category'];
const SCALAR_NAMES = ['method', 'type', 'order_by', 'order_direction', 'exclude_nulls', 'marketplace', 'page', 'limit'];
const RANGE_NAMES = ['min_rank', 'max_rank', 'min_words', 'max_words'];

export function readSearchState(): SearchState {
  const given = place.value.params;
  const params = new URLSearchParams();
  for (const name of LIST_NAMES) for (const value of given.getAll(name)) if (value.trim()) params.append(name, value);
  for (const name of [...SCALAR_NAMES, ...RANGE_NAMES]) {
    const value = given.get(name);
    if (value) params.set(name, value);
  }
  if (!params.has('limit')) params.set('limit', String(DEFAULT_LIMIT));
  const order = params.get('order_by') ?? 'best_match';
  const direction = params.get('order_direction')?.toLowerCase();
  return {
    queries: params.getAll('query'),
    method: params.get('method') === 'exact' ? 'exact' : 'similar',
    type: params.get('type') === 'weekly' ? 'weekly' : 'monthly',
    sort: { order, isDescending: direction ? direction === 'desc' : isBestDescending(order) },
    sortPeriod: isPeriodKey(order) ? order : undefined,
    params,
  };
}

export function isPeriodKey(order: string): boolean {
  return /^\d{1,3}-\d{4}$/.test(order);
}

/** Ranks are best when low, all else when high: the service's own defaults. */
export function isBestDescending(order: string): boolean {
  return !RANK_ORDERS.has(order) && !isPeriodKey(order);
}
