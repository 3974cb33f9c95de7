// The order of a table whose rows are all at hand; the address holds it.
import { changeParams, place } from '../app/location.ts';
import type { SortState } from '../parts/data-grid.tsx';

/** The one in the address; a column that is asked for a second time is turned around. */
export function sortOf(absent: string): SortState {
  const { params } = place.value;
  return { order: params.get('sort') ?? absent, isDescending: params.get('direction') === 'desc' };
}

export function sortBy(order: string, sort: SortState): void {
  const isDescending = sort.order === order && !sort.isDescending;
  changeParams({ sort: order || null, direction: isDescending ? 'desc' : null }, { replaces: true });
}

/** Rows without a value are last in both directions; without an order rows stay as they are. */
export function sortedRows<Row>(
  rows: readonly Row[],
  { isDescending }: SortState,
  read: ((row: Row) => string | number | null) | undefined,
): readonly Row[] {
  if (!read) return rows;
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [read(a), read(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left < right ? -1 : left > right ? 1 : 0);
  });
}
