// Orders by what is known of a document without the query: summaries, ranks of a period, shares of products.
import type { OrderDirection } from '../../domain/search-query.ts';
import { NONE_16 } from '../format/format.ts';
import type { SnapshotView, Triple } from '../format/snapshot-view.ts';
import type { BoundedKeys, LowestKeys } from './block-bounds.ts';
import type { DocumentList } from './document-list.ts';
import { boundsOf, directedKey, gatherKeys, type KeyOrder, NULL_KEY } from './key-order.ts';
import { HIGHEST_KEY, LAST_KEY } from './selection.ts';

/** A number of periods and as many upper bits of a rank as fit make a key of 32 bits. */
const RANK_BITS = 26;

/** By a rank that every document has. */
export function columnOrder(values: Uint32Array, direction: OrderDirection): KeyOrder {
  return {
    keysOf: ({ documents }) => gatherKeys(documents, { column: values, direction }),
    ties: 'rank',
    bounded: () => boundColumn(values, direction, (document) => directedKey(values[document] ?? 0, direction)),
    column: { values, direction },
  };
}

/** So many documents have the same number of periods that a page is bounded only together with the rank that decides among them. */
export function totalPeriodsOrder(
  totals: Uint16Array,
  {
    latestRanks,
    direction,
    periodCount,
  }: { readonly latestRanks: Uint32Array; readonly direction: OrderDirection; readonly periodCount: number },
): KeyOrder {
  const rankBits = Math.min(RANK_BITS, Math.clz32(periodCount));
  const scale = { unit: 2 ** rankBits, shift: RANK_BITS - rankBits };
  const boundOf = (document: number): number => {
    const total = totals[document] ?? 0;
    const first = direction === 'asc' ? total : periodCount - total;
    return coarseKey({ first, rank: latestRanks[document] ?? 0, ...scale });
  };
  return {
    keysOf: ({ documents }) => gatherKeys(documents, { column: totals, direction }),
    ties: 'rank',
    bounded: () => boundColumn(totals, direction, boundOf),
  };
}

/** A function of its own, because the compiler makes it twice as fast as the same lines within the other. */
function coarseKey({ first, rank, unit, shift }: { first: number; rank: number; unit: number; shift: number }): number {
  return first * unit + (rank >>> shift);
}

/** By the ranks of one period; no rank is null. Undefined ranks are those of a period without data. */
export function periodOrder(
  view: SnapshotView,
  { ranks, direction }: { readonly ranks: Uint32Array | undefined; readonly direction: OrderDirection },
): KeyOrder {
  const { documentSlots, slotDocuments } = view;
  const keyOf = (rank: number): number => (rank === 0 ? NULL_KEY : directedKey(rank, direction));
  const keysOf: KeyOrder['keysOf'] = ({ documents }) =>
    periodKeys(documents, { documentSlots, ranks: ranks ?? new Uint32Array(0), direction });
  if (!ranks) return { keysOf, ties: 'rank' };
  // Slot by slot, as the column is stored.
  const addKeys = (lowest: LowestKeys): void => {
    for (let slot = 0; slot < ranks.length; slot += 1) {
      const rank = ranks[slot] ?? 0;
      if (rank !== 0) lowest.add(slotDocuments[slot] ?? 0, keyOf(rank));
    }
  };
  const bounded = (): BoundedKeys => ({
    keyOf: (document) => keyOf(ranks[documentSlots[document] ?? 0] ?? 0),
    bounds: boundsOf(ranks, { direction, documentCount: view.documentCount, addKeys }),
  });
  return { keysOf, ties: 'rank', bounded };
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

function boundColumn(
  column: Uint32Array | Uint16Array,
  direction: OrderDirection,
  keyOf: (document: number) => number,
): BoundedKeys {
  const addKeys = (lowest: LowestKeys): void => {
    for (let document = 0; document < column.length; document += 1) lowest.add(document, keyOf(document));
  };
  return { keyOf, bounds: boundsOf(column, { direction, documentCount: column.length, addKeys }) };
}

function periodKeys(
  documents: DocumentList,
  options: { documentSlots: Uint32Array; ranks: Uint32Array; direction: OrderDirection },
): Uint32Array {
  const { documentSlots, ranks, direction } = options;
  // Slots are anywhere in the column. Loops that do nothing but fetch let the processor wait for many of them at once.
  const keys = gatherKeys(documents, { column: documentSlots, direction: 'asc' });
  for (let i = 0; i < keys.length; i += 1) {
    const slot = keys[i] ?? 0;
    keys[i] = slot < ranks.length ? (ranks[slot] ?? 0) : 0;
  }
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
