// A move is a document with a rank in the newest period and one in an earlier period. The documents of the newest period are
// the first ones and stand in the order of their rank, then of their term: the order in which ties of every list of moves
// break. So one scan over them gives the list, and a page of it is selected by keys alone, or by term.
import { isSamePeriod, type Period } from '../domain/period.ts';
import type { OrderDirection } from '../domain/search-query.ts';
import { MAX_RANK } from '../domain/store.ts';
import type { ChangeDirection, ChangeOrder } from '../domain/trend.ts';
import { LAST_KEY, selectPositions } from './selection.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { selectByTerm } from './term-selection.ts';

/** Documents between two looks at the cancellation flag. */
const CHECK_EVERY = 65_536;

type RankField = Exclude<ChangeOrder, 'query'>;

export interface MovePlan {
  readonly earlier: Period;
  /** Must be the newest period of the snapshot; every plan window ends with it. */
  readonly newest: Period;
  /** Smaller and equal moves are left out. Undefined keeps all, also what stands still. */
  readonly threshold: number | undefined;
  readonly direction: ChangeDirection | undefined;
  readonly order: { readonly field: ChangeOrder; readonly direction: OrderDirection };
  readonly offset: number;
  readonly limit: number;
}

export interface Moves {
  readonly totalCount: number;
  /** Those of the plan's slice, in order. */
  readonly documents: readonly number[];
}

interface MoveList {
  /** Ascending. */
  readonly documents: Uint32Array;
  readonly earlierRanks: Uint32Array;
}

export function findMoves(
  view: SnapshotView,
  plan: MovePlan,
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
): Moves {
  const list = listMoves(view, plan, throwIfCancelled);
  throwIfCancelled();
  const totalCount = list.documents.length;
  const slice = { from: plan.offset, to: plan.offset + plan.limit };
  if (slice.from >= totalCount) return { totalCount, documents: [] };
  const { field, direction } = plan.order;
  if (field === 'query') return { totalCount, documents: selectMovesByTerm(view, list, plan) };
  if (field === 'current_rank' && direction === 'asc') {
    return { totalCount, documents: Array.from(list.documents.subarray(slice.from, slice.to)) };
  }
  const keys = moveKeys(view, list, { field, direction });
  const positions = selectPositions({ keys, ties: undefined }, slice);
  return { totalCount, documents: positions.map((position) => list.documents[position] ?? 0) };
}

/** The rank of a document in a period; 0 is none. */
export function rankIn(view: SnapshotView, at: { readonly document: number; readonly period: number }): number {
  // Columns end behind the last slot that has a rank.
  return view.ranks[at.period]?.[view.documentSlots[at.document] ?? 0] ?? 0;
}

export function periodIndex(view: SnapshotView, wanted: Period): number {
  const index = view.periods.findIndex((period) => isSamePeriod(period, wanted));
  if (index < 0) throw new Error('the plan names a period that the snapshot does not have');
  return index;
}

function listMoves(view: SnapshotView, plan: MovePlan, throwIfCancelled: () => void): MoveList {
  if (periodIndex(view, plan.newest) !== view.periods.length - 1) {
    throw new Error('the newest period of the plan is not the newest of the snapshot');
  }
  const ranks = view.ranks[periodIndex(view, plan.earlier)] ?? new Uint32Array(0);
  const newestCount = view.periodEnds[0] ?? 0;
  const documents = new Uint32Array(newestCount);
  const earlierRanks = new Uint32Array(newestCount);
  // Changes are whole numbers, so to be above the threshold is to reach the next whole number.
  const least = plan.threshold === undefined ? 0 : Math.floor(plan.threshold) + 1;
  const [up, down] = [plan.direction !== 'negative', plan.direction !== 'positive'];
  let count = 0;
  for (let document = 0; document < newestCount; document += 1) {
    if (document % CHECK_EVERY === 0) throwIfCancelled();
    const slot = view.documentSlots[document] ?? 0;
    const earlier = slot < ranks.length ? (ranks[slot] ?? 0) : 0;
    if (earlier === 0) continue;
    const change = earlier - (view.latestRanks[document] ?? 0);
    if (change >= 0 ? change < least || !up : -change < least || !down) continue;
    documents[count] = document;
    earlierRanks[count] = earlier;
    count += 1;
  }
  return { documents: documents.subarray(0, count), earlierRanks: earlierRanks.subarray(0, count) };
}

function moveKeys(
  view: SnapshotView,
  { documents, earlierRanks }: MoveList,
  { field, direction }: { readonly field: RankField; readonly direction: OrderDirection },
): Uint32Array {
  const keys = new Uint32Array(documents.length);
  for (let i = 0; i < keys.length; i += 1) {
    const earlier = earlierRanks[i] ?? 0;
    const current = view.latestRanks[documents[i] ?? 0] ?? 0;
    const key = moveKey(field, { earlier, current });
    keys[i] = direction === 'asc' ? key : LAST_KEY - key;
  }
  return keys;
}

function moveKey(
  field: RankField,
  { earlier, current }: { readonly earlier: number; readonly current: number },
): number {
  switch (field) {
    case 'change':
      // Keys are not negative.
      return MAX_RANK + earlier - current;
    case 'abs_change':
      return Math.abs(earlier - current);
    case 'current_rank':
      return current;
    case 'previous_rank':
      return earlier;
  }
}

/** By normalised term. No two are equal, so the descending order is the ascending one from its other end. */
function selectMovesByTerm(
  view: SnapshotView,
  { documents }: MoveList,
  { order, offset, limit }: MovePlan,
): readonly number[] {
  const slots = new Uint32Array(documents.length);
  for (let i = 0; i < slots.length; i += 1) slots[i] = view.documentSlots[documents[i] ?? 0] ?? 0;
  const isAscending = order.direction === 'asc';
  const end = Math.min(offset + limit, slots.length);
  const slice = isAscending ? { from: offset, to: end } : { from: slots.length - end, to: slots.length - offset };
  const selected = selectByTerm(view.terms, slots, slice).map((slot) => view.slotDocuments[slot] ?? 0);
  return isAscending ? selected : selected.reverse();
}
