// What the rows of a page show, fetched column by column. Rows lie anywhere in gigabytes of columns, and loops that do nothing
// but fetch let the processor wait for many values at once.

import type { SnapshotView } from '../format/snapshot-view.ts';
import { gatherValues, valueAt } from '../format/sparse-column.ts';
import { takeRoom } from './arena.ts';
import type { PlanWindow } from './plan-window.ts';

/** Where the values of a row stand, counted from its start; of three of a kind the first, and of ranks that of the oldest period. */
export const FIELDS = {
  slot: 0,
  original: 1,
  totalPeriods: 2,
  bestRank: 3,
  worstRank: 4,
  avgRank: 5,
  latestRank: 6,
  brand: 7,
  product: 10,
  clickShare: 13,
  conversionShare: 16,
  category: 19,
  ranks: 22,
} as const;

/** Products of a row, and as many of whatever belongs to them. */
export const PLACES = 3;

type Column = Uint32Array | Uint16Array | Uint8Array;

export interface PageValues {
  /** Row after row; valid until the next page. */
  readonly values: Uint32Array;
  /** Values of one row. */
  readonly width: number;
}

export function fetchPage(
  view: SnapshotView,
  { documents, window }: { readonly documents: readonly number[]; readonly window: PlanWindow },
): PageValues {
  const ranks = view.ranks.slice(window.firstPeriod);
  const width = FIELDS.ranks + ranks.length;
  const values = takeRoom('pageValues', documents.length * width);
  for (const [field, column] of documentColumns(view, window)) {
    for (let row = 0, at = field; row < documents.length; row += 1, at += width) {
      values[at] = column[documents[row] ?? 0] ?? 0;
    }
  }
  const count = documents.length;
  for (let row = 0, at = FIELDS.original; row < count; row += 1, at += width) {
    values[at] = valueAt(view.originals, documents[row] ?? 0);
  }
  for (let period = 0; period < ranks.length; period += 1) {
    const column = ranks[period];
    // Written out: copying an object costs more than the values of a row.
    if (column) gatherValues(column, { values, count, width, from: FIELDS.slot, to: FIELDS.ranks + period });
  }
  return { values, width };
}

function documentColumns(view: SnapshotView, { summaries }: PlanWindow): readonly (readonly [number, Column])[] {
  const triple = (field: number, columns: readonly Column[]) =>
    columns.map((column, place) => [field + place, column] as const);
  return [
    [FIELDS.slot, view.documentSlots],
    [FIELDS.totalPeriods, summaries.totalPeriods],
    [FIELDS.bestRank, summaries.bestRanks],
    [FIELDS.worstRank, summaries.worstRanks],
    [FIELDS.avgRank, summaries.avgRanks],
    [FIELDS.latestRank, view.latestRanks],
    ...triple(FIELDS.brand, view.brands),
    ...triple(FIELDS.product, view.products),
    ...triple(FIELDS.clickShare, view.clickShares),
    ...triple(FIELDS.conversionShare, view.conversionShares),
    ...triple(FIELDS.category, view.categories),
  ];
}
