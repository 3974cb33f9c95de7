// A list that was looked up is at hand as a whole, so its order costs no search.
import type { SearchResult } from '../api/wire.ts';
import { type Comparison, changeOf } from '../parts/comparison.tsx';
import type { SortState } from '../parts/data-grid.tsx';

type ReadValue = (row: SearchResult, comparison: Comparison | undefined) => number | null | undefined;

const VALUES: Readonly<Record<string, ReadValue>> = {
  latest_rank: ({ summary }) => summary.latest_rank,
  best_rank: ({ summary }) => summary.best_rank,
  worst_rank: ({ summary }) => summary.worst_rank,
  avg_rank: ({ summary }) => summary.avg_rank,
  total_periods: ({ summary }) => summary.total_periods,
  change: ({ data }, comparison) => changeOf(data, comparison),
  year_change: ({ insights }) => insights?.year_change,
  click_concentration: ({ insights }) => insights?.click_concentration,
  conversion_to_click: ({ insights }) => insights?.conversion_to_click,
  title_gap: ({ insights }) => (typeof insights?.title_gap === 'boolean' ? Number(insights.title_gap) : null),
  first_seen: ({ insights }) => periodNumber(insights?.first_seen),
};

/** As it follows upon others: `10-2026` is 202610. */
function periodNumber(period: string | null | undefined): number | undefined {
  const [number, year] = period?.split('-').map(Number) ?? [];
  return number === undefined || year === undefined ? undefined : year * 100 + number;
}

/** What is not known is last in both directions, as in a search. */
export function sortRows(
  rows: readonly SearchResult[],
  { sort, comparison }: { readonly sort: SortState; readonly comparison: Comparison | undefined },
): readonly SearchResult[] {
  const read = VALUES[sort.order];
  if (!read) return rows;
  const sign = sort.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [read(a, comparison), read(b, comparison)];
    if (first === null || first === undefined) return second === null || second === undefined ? 0 : 1;
    return second === null || second === undefined ? -1 : sign * (first - second);
  });
}
