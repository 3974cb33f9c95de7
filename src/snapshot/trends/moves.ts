// A move is a document with a rank in the newest period and one in an earlier period. The documents of the newest period are
// the first ones and stand in the order of their rank, then of their term: the order in which ties of every trend list
// break. So a page of moves is selected by keys alone. Other pairs of periods are in pair-moves.ts.

import { MAX_RANK } from '../../domain/ranking.ts';
import type { OrderDirection } from '../../domain/search-query.ts';
import type { ChangeDirection, ChangeOrder } from '../../domain/trend.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import type { DocumentList } from '../query/document-list.ts';
import type { KeyBounds } from '../query/selection.ts';
import type { Gathered, GatherKeys } from './trend-selection.ts';

/** What the lists need of a snapshot. */
type MovesView = Pick<SnapshotView, 'latestRanks' | 'termPlaces' | 'percentagePlaces'>;

interface MovesWanted {
  /** By document of the newest period; 0 for none. */
  readonly earlierRanks: Uint32Array;
  readonly bounds: MoveBounds;
  readonly order: MoveOrder;
}

export interface MoveBounds {
  /** Smaller moves are left out; 0 keeps also what stands still. */
  readonly least: number;
  /** Undefined means both. */
  readonly direction: ChangeDirection | undefined;
}

export interface MoveOrder {
  readonly field: ChangeOrder;
  readonly direction: OrderDirection;
}

/** Keys are below two to this power: a rank, a place, a change counted from the deepest fall, or what pair-order.ts makes of texts. */
export const KEY_BITS = 29;

/** All bits or none, to be used with `&`: a choice without a branch. */
export function maskOf(isChosen: boolean): number {
  return isChosen ? -1 : 0;
}

/** A descending key is what is left to the highest one, which has all bits flipped. */
export function flipOf(direction: OrderDirection): number {
  return direction === 'desc' ? 2 ** KEY_BITS - 1 : 0;
}

/** All moves within the bounds. */
export function gatherMoves(view: MovesView, wanted: MovesWanted): GatherKeys {
  const { earlierRanks, bounds, order } = wanted;
  const byChange = maskOf(order.field === 'change');
  const bySize = maskOf(order.field === 'abs_change');
  const list: MoveList = {
    earlierRanks,
    latestRanks: view.latestRanks,
    column: columnOf(view, wanted),
    ...{ byChange, bySize, byColumn: ~(byChange | bySize) },
    flip: flipOf(order.direction),
    isBoth: maskOf(bounds.direction === undefined),
    isFall: maskOf(bounds.direction === 'negative'),
    least: Math.min(bounds.least, MAX_RANK),
  };
  return (documents, near, gathered) => gatherNearMoves(list, { documents, near, gathered });
}

/** All documents, by a column. */
export function gatherColumn(column: Uint32Array, direction: OrderDirection): GatherKeys {
  const flip = flipOf(direction);
  return (documents, near, gathered) => gatherNearValues({ column, flip }, { documents, near, gathered });
}

/** A list of moves: where it is read from and, as masks, what its keys are. */
interface MoveList {
  readonly earlierRanks: Uint32Array;
  readonly latestRanks: Uint32Array;
  readonly column: Uint32Array;
  readonly byColumn: number;
  readonly bySize: number;
  readonly byChange: number;
  readonly flip: number;
  readonly isBoth: number;
  readonly isFall: number;
  readonly least: number;
}

interface Gathering {
  readonly documents: DocumentList;
  readonly near: KeyBounds;
  readonly gathered: Gathered;
}

/**
 * Which documents moved far enough is as unpredictable as their keys, and both follow from two columns of ranks. So there is one
 * loop for all lists, and everything in it but the rare document near the page is arithmetic.
 */
function gatherNearMoves(list: MoveList, { documents, near: { low, high }, gathered }: Gathering): void {
  const { earlierRanks, latestRanks, column, byColumn, bySize, byChange, flip, isBoth, isFall, least } = list;
  let { below, listed, near } = gathered;
  for (let i = 0; i < documents.length; i += 1) {
    const document = documents[i] ?? 0;
    const earlier = (earlierRanks[document] ?? 0) | 0;
    const change = earlier - ((latestRanks[document] ?? 0) | 0);
    const sign = ((change >> 31) & isBoth) | isFall;
    const size = (change ^ sign) - sign;
    // Negative when the move is too small, or when there was no rank before.
    const isListed = ~((size - least) | (earlier - 1)) >> 31;
    const columnKey = (column[document] ?? 0) & byColumn;
    const key = (columnKey | (size & bySize) | ((MAX_RANK + change) & byChange)) ^ flip;
    listed -= isListed;
    below += ((key - low) & isListed) >>> 31;
    if (((key - low) | (high - key) | ~isListed) >= 0) {
      gathered.documents[near] = document;
      gathered.keys[near] = key;
      near += 1;
    }
  }
  gathered.below = below;
  gathered.listed = listed;
  gathered.near = near;
}

function gatherNearValues(
  { column, flip }: Pick<MoveList, 'column' | 'flip'>,
  { documents, near: { low, high }, gathered }: Gathering,
): void {
  let { below, near } = gathered;
  for (let i = 0; i < documents.length; i += 1) {
    const document = documents[i] ?? 0;
    const key = (column[document] ?? 0) ^ flip;
    below += (key - low) >>> 31;
    if (((key - low) | (high - key)) >= 0) {
      gathered.documents[near] = document;
      gathered.keys[near] = key;
      near += 1;
    }
  }
  gathered.below = below;
  gathered.listed += documents.length;
  gathered.near = near;
}

/** Any for the orders that follow from the change. */
function columnOf(view: MovesView, { earlierRanks, order }: MovesWanted): Uint32Array {
  switch (order.field) {
    case 'change_percentage':
      return view.percentagePlaces;
    case 'previous_rank':
      return earlierRanks;
    case 'query':
      return view.termPlaces;
    default:
      return view.latestRanks;
  }
}
