// What the rows of a page show, fetched column by column. Rows lie anywhere in gigabytes of columns, and loops that do nothing
// but fetch let the processor wait for many values at once.

import type { SnapshotView } from '../format/snapshot-view.ts';
import { gatherValues, valueAt } from '../format/sparse-column.ts';
import type { TextColumn } from '../format/text-column.ts';
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

/** A usual text of a page is about as long. */
const TOUCHED_BYTES = 32;

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

/**
 * Reads a little of each text of the page. What is read is not looked at: the texts lie anywhere, too, and are in the cache when they are written
 * one after the other.
 */
export function touchTexts({ terms, brandNames, asins, titles }: SnapshotView, page: PageValues, count: number): void {
  touchColumn(terms, page, { field: FIELDS.slot, count });
  for (let place = 0; place < PLACES; place += 1) {
    touchColumn(brandNames, page, { field: FIELDS.brand + place, count });
    touchColumn(asins, page, { field: FIELDS.product + place, count });
    touchColumn(titles.codes, page, { field: FIELDS.product + place, count });
  }
}

/** Of a column of several parts, none is touched that does not lie in the first. */
function touchColumn(
  { ends, bytes, limit }: TextColumn,
  { values, width }: PageValues,
  { field, count }: { readonly field: number; readonly count: number },
): void {
  const starts = takeRoom('textStarts', count);
  const end = Math.min(limit, ends.length);
  for (let row = 0, at = field; row < count; row += 1, at += width) {
    const text = values[at] ?? 0;
    starts[row] = text > 0 && text < end ? (ends[text - 1] ?? 0) : 0;
  }
  const last = bytes.length - 1;
  for (let row = 0; row < count; row += 1) {
    const start = starts[row] ?? 0;
    // Half of them lie in two lines of the cache.
    starts[row] = (bytes[Math.min(start, last)] ?? 0) + (bytes[Math.min(start + TOUCHED_BYTES, last)] ?? 0);
  }
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
