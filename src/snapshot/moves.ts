// A move is a document with a rank in the newest period and one in an earlier period. The documents of the newest period are
// the first ones and stand in the order of their rank, then of their term: the order in which ties of every trend list
// break. So one pass over them gives a list, and a page of it is selected by keys alone.
import type { OrderDirection } from '../domain/search-query.ts';
import { MAX_RANK } from '../domain/store.ts';
import { type ChangeDirection, type ChangeOrder, changeHundredths } from '../domain/trend.ts';
import type { DocumentList } from './document-list.ts';
import { takeRoom } from './scratch-room.ts';
import { type SelectionOrder, selectPositions } from './selection.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { type Candidates, CHECK_EVERY, type TrendOptions } from './trend-candidates.ts';

/** What the lists need of a snapshot, and the earlier ranks, by document of the newest period; 0 for none. */
export type MoveRanks = Pick<SnapshotView, 'latestRanks' | 'termPlaces'> & { readonly earlierRanks: Uint32Array };

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

export interface TrendSlice {
  readonly offset: number;
  readonly limit: number;
}

export interface TrendDocuments {
  readonly totalCount: number;
  /** Those of the slice, in order. */
  readonly documents: readonly number[];
}

/** Float32 keeps whole numbers up to here; above it the next one may be this far away. */
const MAX_RESIDUE = 2 ** 16;

/** Ascending, in memory that the next call uses again. */
export function listMoves(
  { earlierRanks, latestRanks }: MoveRanks,
  { candidates, bounds }: { readonly candidates: Candidates; readonly bounds: MoveBounds },
  { throwIfCancelled }: TrendOptions,
): DocumentList {
  const { documents, from, to } = candidates;
  const out = takeRoom('documents', to - from);
  const least = Math.max(bounds.least, 1);
  // A change between the two is not listed; with both at 1 and a least of 0 nothing is left out.
  const rise = bounds.direction === 'negative' ? Number.POSITIVE_INFINITY : least;
  const fall = bounds.direction === 'positive' ? Number.NEGATIVE_INFINITY : -least;
  const keepsAll = bounds.least === 0 && bounds.direction === undefined;
  let count = 0;
  for (let chunk = from; chunk < to; chunk += CHECK_EVERY) {
    throwIfCancelled();
    const end = Math.min(to, chunk + CHECK_EVERY);
    for (let i = chunk; i < end; i += 1) {
      const document = documents ? (documents[i] ?? 0) : i;
      const earlier = earlierRanks[document] ?? 0;
      const change = earlier - (latestRanks[document] ?? 0);
      out[count] = document;
      count += earlier !== 0 && (keepsAll || change >= rise || change <= fall) ? 1 : 0;
    }
  }
  return out.subarray(0, count);
}

/** One page of a list that is ascending. */
export function selectMoves(
  ranks: MoveRanks,
  {
    documents,
    order,
    slice,
  }: { readonly documents: DocumentList; readonly order: MoveOrder; readonly slice: TrendSlice },
  { throwIfCancelled }: TrendOptions,
): TrendDocuments {
  const totalCount = documents.length;
  const [from, to] = [slice.offset, Math.min(slice.offset + slice.limit, totalCount)];
  if (from >= to) return { totalCount, documents: [] };
  if (order.field === 'current_rank' && order.direction === 'asc') {
    return { totalCount, documents: Array.from(documents.subarray(from, to)) };
  }
  throwIfCancelled();
  const keys = moveKeys(ranks, { documents, order });
  throwIfCancelled();
  const near = gatherNear(keys, { from, to, bits: KEY_BITS[order.field] });
  throwIfCancelled();
  const nearDocuments = near.positions.map((position) => documents[position] ?? 0);
  const ties =
    order.field === 'change_percentage' ? percentageTies(ranks, { documents: nearDocuments, order }) : undefined;
  const nearSlice = { from: from - near.before, to: to - near.before };
  const selected = selectPositions({ keys: near.keys, ties }, nearSlice, throwIfCancelled);
  return { totalCount, documents: selected.map((position) => nearDocuments[position] ?? 0) };
}

/** Keys are below two to this power: ranks and places are below 2 ** 26. */
const KEY_BITS: Readonly<Record<ChangeOrder, number>> = {
  change: 27,
  abs_change: 26,
  change_percentage: 32,
  current_rank: 26,
  previous_rank: 26,
  query: 26,
};

/** Ascending in the wanted direction, by position of the list. */
function moveKeys(
  { earlierRanks, latestRanks, termPlaces }: MoveRanks,
  { documents, order }: { readonly documents: DocumentList; readonly order: MoveOrder },
): Uint32Array {
  const keys = takeRoom('keys', documents.length);
  const { length } = documents;
  // A descending key is what is left to the highest one; flipping all of its bits says the same.
  const flip = order.direction === 'desc' ? 2 ** KEY_BITS[order.field] - 1 : 0;
  switch (order.field) {
    case 'change':
      // Keys are not negative.
      for (let i = 0; i < length; i += 1) {
        const document = documents[i] ?? 0;
        keys[i] = (MAX_RANK + (earlierRanks[document] ?? 0) - (latestRanks[document] ?? 0)) ^ flip;
      }
      break;
    case 'abs_change':
      for (let i = 0; i < length; i += 1) {
        const document = documents[i] ?? 0;
        keys[i] = Math.abs((earlierRanks[document] ?? 0) - (latestRanks[document] ?? 0)) ^ flip;
      }
      break;
    case 'change_percentage':
      for (let i = 0; i < length; i += 1) {
        const document = documents[i] ?? 0;
        keys[i] = floatKey(changeHundredths(earlierRanks[document] ?? 0, latestRanks[document] ?? 0)) ^ flip;
      }
      break;
    default: {
      const column = { current_rank: latestRanks, previous_rank: earlierRanks, query: termPlaces }[order.field];
      for (let i = 0; i < length; i += 1) keys[i] = (column[documents[i] ?? 0] ?? 0) ^ flip;
    }
  }
  return keys.subarray(0, length);
}

interface NearKeys {
  /** Ascending. */
  readonly positions: Uint32Array;
  readonly keys: Uint32Array;
  /** How many keys are below all of these. */
  readonly before: number;
}

const COUNTED_BITS = 16;

/** The keys that share their upper bits with those at places `from` to `to` of the order: two passes, wherever they lie. */
function gatherNear(keys: Uint32Array, { from, to, bits }: { from: number; to: number; bits: number }): NearKeys {
  const shift = bits - COUNTED_BITS;
  const counts = new Uint32Array(2 ** COUNTED_BITS);
  for (let i = 0; i < keys.length; i += 1) {
    const bucket = (keys[i] ?? 0) >>> shift;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  let first = 0;
  let before = 0;
  for (; before + (counts[first] ?? 0) <= from; first += 1) before += counts[first] ?? 0;
  let last = first;
  let count = counts[first] ?? 0;
  while (before + count < to) {
    last += 1;
    count += counts[last] ?? 0;
  }
  const positions = new Uint32Array(count);
  const near = new Uint32Array(count);
  const span = last - first;
  for (let i = 0, found = 0; found < count; i += 1) {
    const key = keys[i] ?? 0;
    // Below the first bucket this is far above the span.
    if (((key >>> shift) - first) >>> 0 > span) continue;
    positions[found] = i;
    near[found] = key;
    found += 1;
  }
  return { positions, keys: near, before };
}

const float = new Float32Array(1);
const floatBits = new Int32Array(float.buffer);
const SIGN_BIT = 0x80000000;

/** The bits of a Float32 so that they are in the order of the numbers: of negative ones all flipped, of others the sign. */
function floatKey(value: number): number {
  float[0] = value;
  const bits = floatBits[0] ?? 0;
  return bits ^ ((bits >> 31) | SIGN_BIT);
}

/** Hundredths of a percent have more digits than a Float32: what it rounds away decides among equal keys. */
function percentageTies(
  { earlierRanks, latestRanks }: MoveRanks,
  { documents, order }: { readonly documents: DocumentList; readonly order: MoveOrder },
): SelectionOrder['ties'] {
  const sign = order.direction === 'asc' ? 1 : -1;
  return {
    keyAt: (position) => {
      const document = documents[position] ?? 0;
      const hundredths = changeHundredths(earlierRanks[document] ?? 0, latestRanks[document] ?? 0);
      return MAX_RESIDUE + sign * (hundredths - Math.fround(hundredths));
    },
    compare: (a, b) => a - b,
  };
}
