// Pages of the change list from what the build has sorted: the rises and falls above a threshold are the two ends of one
// list, found by binary search, and a page is cut out of them wherever it lies.

import type { Slice } from '../../domain/page.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import type { MoveBounds, MoveOrder } from './moves.ts';
import type { TrendDocuments } from './trend-selection.ts';

/** Documents by descending value; equal ones ascending. */
interface SortedList {
  readonly documents: Uint32Array;
  /** What the list is sorted by. */
  readonly keyOf: (document: number) => number;
}

/** A part of an answer: a list from front to back, or by ascending value, where equal ones are still ascending. */
interface Run {
  readonly list: SortedList;
  readonly isReversed: boolean;
}

export type ChangeView = Pick<SnapshotView, 'previousRanks' | 'latestRanks' | 'changeOrder' | 'absChangeOrder'>;

/** All moves of at least `least`, which must be above 0, in the order of the change or of its size. */
export function sliceChanges(
  view: ChangeView,
  {
    bounds,
    order,
    slice,
  }: {
    readonly bounds: MoveBounds;
    readonly order: MoveOrder & { readonly field: 'change' | 'abs_change' };
    readonly slice: Slice;
  },
): TrendDocuments {
  const runs = listRuns(view, bounds, order);
  const totalCount = runs.reduce((sum, { list }) => sum + list.documents.length, 0);
  const documents: number[] = [];
  let before = 0;
  for (const run of runs) {
    const count = run.list.documents.length;
    const from = Math.max(0, slice.offset - before);
    const to = Math.min(count, slice.offset + slice.limit - before);
    if (from < to) for (const document of readRun(run, { from, to })) documents.push(document);
    before += count;
  }
  return { totalCount, documents };
}

function listRuns(view: ChangeView, { least, direction }: MoveBounds, order: MoveOrder): readonly Run[] {
  const changeOf = (document: number) => (view.previousRanks[document] ?? 0) - (view.latestRanks[document] ?? 0);
  const isAscending = order.direction === 'asc';
  if (order.field === 'abs_change' && direction === undefined) {
    const all = { documents: view.absChangeOrder, keyOf: (document: number) => Math.abs(changeOf(document)) };
    return [{ list: upTo(all, countFrom(all, least)), isReversed: isAscending }];
  }
  const all = { documents: view.changeOrder, keyOf: changeOf };
  const rises = upTo(all, countFrom(all, least));
  const falls = { ...all, documents: all.documents.subarray(countFrom(all, 1 - least)) };
  if (direction === 'positive') return [{ list: rises, isReversed: isAscending }];
  // The largest fall is the smallest change.
  if (direction === 'negative') return [{ list: falls, isReversed: isAscending === (order.field === 'change') }];
  const runs = [rises, falls].map((list) => ({ list, isReversed: isAscending }));
  return isAscending ? runs.reverse() : runs;
}

function readRun({ list, isReversed }: Run, { from, to }: { readonly from: number; readonly to: number }) {
  const { documents, keyOf } = list;
  if (!isReversed) return documents.subarray(from, to);
  const read = new Uint32Array(to - from);
  // Groups of equal keys come from the end, each of them from its front.
  let end = countFrom(list, keyOf(documents[documents.length - 1 - from] ?? 0));
  for (let place = from; place < to; ) {
    const start = groupStart(list, end);
    const placeOfStart = documents.length - end;
    for (const last = Math.min(to, documents.length - start); place < last; place += 1) {
      read[place - from] = documents[start + place - placeOfStart] ?? 0;
    }
    end = start;
  }
  return read;
}

/** Where the group of equal keys begins that ends before `end`. Most hold one document. */
function groupStart(list: SortedList, end: number): number {
  const { documents, keyOf } = list;
  const key = keyOf(documents[end - 1] ?? 0);
  const isAlone = end < 2 || keyOf(documents[end - 2] ?? 0) !== key;
  return isAlone ? end - 1 : countFrom(list, key + 1);
}

/** How many have at least this value. */
function countFrom({ documents, keyOf }: SortedList, value: number): number {
  let low = 0;
  let high = documents.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(documents[middle] ?? 0) >= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function upTo(list: SortedList, count: number): SortedList {
  return { ...list, documents: list.documents.subarray(0, count) };
}
