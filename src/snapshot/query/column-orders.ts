// Orders by what is known of a document without the query: summaries, ranks of a period, shares of products.
import type { OrderDirection } from '../../domain/search-query.ts';
import { NONE_16 } from '../format/format.ts';
import type { SnapshotView, Triple } from '../format/snapshot-view.ts';
import { gatherValues, type SparseColumn, walkValues } from '../format/sparse-column.ts';
import { takeRoom } from './arena.ts';
import type { BlockBounds, LowestKeys } from './block-bounds.ts';
import type { DocumentList } from './document-list.ts';
import { boundsOf, directedKey, gatherKeys, type KeyOrder, NULL_KEY } from './key-order.ts';
import { LruCache } from './lru-cache.ts';
import { HIGHEST_KEY, LAST_KEY } from './selection.ts';

/** A number of periods and as many upper bits of a rank as fit make a key of 32 bits. */
const RANK_BITS = 26;

/** By a rank that every document has. */
export function columnOrder(values: Uint32Array, direction: OrderDirection): KeyOrder {
  const keysOf = (documents: DocumentList): Uint32Array => gatherKeys(documents, { column: values, direction });
  const keyOf = (document: number): number => directedKey(values[document] ?? 0, direction);
  return {
    keysOf: ({ documents }) => keysOf(documents),
    ties: 'rank',
    bounded: () => ({ keysOf, bounds: boundColumn(values, direction, keyOf) }),
    column: { values, direction },
  };
}

/**
 * By a number of periods, or by one of them. So many documents have the same that a page is bounded only together with the rank that
 * decides among them.
 */
export function periodNumberOrder(
  numbers: Uint16Array,
  {
    latestRanks,
    direction,
    periodCount,
  }: { readonly latestRanks: Uint32Array; readonly direction: OrderDirection; readonly periodCount: number },
): KeyOrder {
  const rankBits = Math.min(RANK_BITS, Math.clz32(periodCount));
  const scale = { unit: 2 ** rankBits, shift: RANK_BITS - rankBits };
  const boundOf = (document: number): number => {
    const number = numbers[document] ?? 0;
    const first = direction === 'asc' ? number : periodCount - number;
    return coarseKey({ first, rank: latestRanks[document] ?? 0, ...scale });
  };
  const boundsOfSome = (documents: DocumentList): Uint32Array => {
    const keys = takeRoom('orderKeys', documents.length).subarray(0, documents.length);
    for (let i = 0; i < keys.length; i += 1) keys[i] = boundOf(documents[i] ?? 0);
    return keys;
  };
  return {
    keysOf: ({ documents }) => gatherKeys(documents, { column: numbers, direction }),
    ties: 'rank',
    bounded: () => ({ keysOf: boundsOfSome, bounds: boundColumn(numbers, direction, boundOf) }),
  };
}

/** A function of its own, because the compiler makes it twice as fast as the same lines within the other. */
function coarseKey({ first, rank, unit, shift }: { first: number; rank: number; unit: number; shift: number }): number {
  return first * unit + (rank >>> shift);
}

/** By the ranks of one period; no rank is null. Undefined ranks are those of a period without data. */
export function periodOrder(
  view: SnapshotView,
  { ranks, direction }: { readonly ranks: SparseColumn | undefined; readonly direction: OrderDirection },
): KeyOrder {
  const { documentSlots, slotDocuments } = view;
  const keyOf = (rank: number): number => (rank === 0 ? NULL_KEY : directedKey(rank, direction));
  const keysOf = (documents: DocumentList): Uint32Array => periodKeys(documents, { documentSlots, ranks, direction });
  const order: KeyOrder = { keysOf: ({ documents }) => keysOf(documents), ties: 'rank' };
  if (!ranks) return order;
  // Slot by slot, as the column is stored.
  const addKeys = (lowest: LowestKeys): void => {
    walkValues(ranks, (slot, rank) => lowest.add(slotDocuments[slot] ?? 0, keyOf(rank)));
  };
  return { ...order, bounded: () => ({ keysOf, bounds: periodBounds(view, { ranks, direction, addKeys }) }) };
}

/** Bounds of periods that were asked for last, by view: those of all periods would take more memory than their ranks. */
const MAX_PERIOD_BOUNDS = 8;
const knownPeriodBounds = new WeakMap<SnapshotView, Record<OrderDirection, LruCache<SparseColumn, BlockBounds>>>();

function periodBounds(
  view: SnapshotView,
  options: { ranks: SparseColumn; direction: OrderDirection; addKeys: (lowest: LowestKeys) => void },
): BlockBounds {
  const { ranks, direction, addKeys } = options;
  const known = knownPeriodBounds.get(view) ?? {
    asc: new LruCache(MAX_PERIOD_BOUNDS),
    desc: new LruCache(MAX_PERIOD_BOUNDS),
  };
  knownPeriodBounds.set(view, known);
  return boundsOf(ranks, { known: known[direction], documentCount: view.documentCount, addKeys });
}

/** Documents are numbered by their latest period, the newest first. */
export function latestPeriodOrder(view: SnapshotView, direction: OrderDirection): KeyOrder {
  return {
    keysOf: ({ documents }) => (direction === 'desc' ? undefined : latestPeriodKeys(view, documents)),
    ties: 'document',
  };
}

/** By the best known share among the products that were asked for; none is null. */
export function shareOrder(
  view: SnapshotView,
  options: { shares: Triple<Uint16Array>; products: ReadonlySet<number>; direction: OrderDirection },
): KeyOrder {
  const { shares, products, direction } = options;
  const keyOf = (document: number): number => {
    let best = -1;
    for (const [i, column] of view.products.entries()) {
      const share = shares[i]?.[document] ?? NONE_16;
      if (share !== NONE_16 && products.has(column[document] ?? 0)) best = Math.max(best, share);
    }
    return best < 0 ? NULL_KEY : directedKey(best, direction);
  };
  return { keysOf: ({ documents }) => Uint32Array.from(documents, keyOf), ties: 'rank' };
}

/** By column. */
const knownBounds: Readonly<Record<OrderDirection, WeakMap<Uint32Array | Uint16Array, BlockBounds>>> = {
  asc: new WeakMap(),
  desc: new WeakMap(),
};

function boundColumn(
  column: Uint32Array | Uint16Array,
  direction: OrderDirection,
  keyOf: (document: number) => number,
): BlockBounds {
  const addKeys = (lowest: LowestKeys): void => {
    for (let document = 0; document < column.length; document += 1) lowest.add(document, keyOf(document));
  };
  return boundsOf(column, { known: knownBounds[direction], documentCount: column.length, addKeys });
}

function periodKeys(
  documents: DocumentList,
  options: { documentSlots: Uint32Array; ranks: SparseColumn | undefined; direction: OrderDirection },
): Uint32Array {
  const { documentSlots, ranks, direction } = options;
  const keys = gatherKeys(documents, { column: documentSlots, direction: 'asc' });
  if (!ranks) return keys.fill(NULL_KEY);
  gatherValues(ranks, { values: keys, count: keys.length, width: 1, from: 0, to: 0 });
  for (let i = 0; i < keys.length; i += 1) {
    const rank = keys[i] ?? 0;
    keys[i] = rank === 0 ? NULL_KEY : direction === 'asc' ? rank : HIGHEST_KEY - rank;
  }
  return keys;
}

/** Oldest latest period first. */
function latestPeriodKeys(view: SnapshotView, documents: DocumentList): Uint32Array {
  const keys = new Uint32Array(documents.length);
  let group = 0;
  for (let i = 0; i < keys.length; i += 1) {
    while ((documents[i] ?? 0) >= (view.periodEnds[group] ?? LAST_KEY)) group += 1;
    keys[i] = view.periods.length - group;
  }
  return keys;
}
