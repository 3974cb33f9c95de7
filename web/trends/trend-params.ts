// Parameters of the trend lists as the address bar holds them, under the names of the API except for the frequency, which is
// the same word in every view.

import { OPERATIONS, SEARCH_FILTERS } from '../api/operations.ts';
import type { Frequency, Pagination } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';

export const TREND_LIMIT = 100;
/** The same for every list. */
const KNOWN = OPERATIONS['/v1/trends/new']?.parameters ?? {};
export const TREND_FILTERS = [
  'query',
  ...SEARCH_FILTERS.map(({ parameter }) => parameter).filter((name) => name in KNOWN),
];

export function trendParams(
  type: Frequency,
  names: readonly string[],
  fixed: Readonly<Record<string, string>> = {},
): URLSearchParams {
  const params = new URLSearchParams({ type: type === 'monthly' ? 'M' : 'W', limit: String(TREND_LIMIT) });
  for (const name of [...names, ...TREND_FILTERS, 'marketplace', 'offset', 'limit']) {
    const values = place.value.params.getAll(name).filter((value) => value.trim() !== '');
    if (values.length === 0) continue;
    params.delete(name);
    for (const value of values) params.append(name, value);
  }
  for (const [name, value] of Object.entries(fixed)) params.set(name, value);
  return params;
}

const DESCENDING: ReadonlySet<string> = new Set(['abs_change', 'change_percentage', 'strength']);

/** Orders by a field, or turns the order around. */
export function sortTrend(
  field: string,
  {
    order,
    isDescending,
    defaults,
  }: { readonly order: string; readonly isDescending: boolean; readonly defaults: string },
): void {
  // Words and ranks are read upwards, moves downwards.
  const isBestDescending = DESCENDING.has(field);
  const next = field === order ? !isDescending : isBestDescending;
  changeParams({
    order_by: field === defaults && next === isBestDescending ? null : field,
    order_direction: field === defaults && next === isBestDescending ? null : next ? 'DESC' : 'ASC',
    offset: null,
  });
}

export function goToPage(page: number, { page_size: size }: Pagination): void {
  changeParams({ offset: page === 1 ? null : String((page - 1) * size) });
  window.scrollTo(0, 0);
}
