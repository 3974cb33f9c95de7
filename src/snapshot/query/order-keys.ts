// The plan's order as sort keys. A key is ascending whatever the direction, and null is behind everything.
import { isSamePeriod } from '../../domain/period.ts';
import type { OrderField } from '../../domain/search-plan.ts';
import type { OrderDirection } from '../../domain/search-query.ts';
import { MAX_PERIODS, NONE_16 } from '../format/format.ts';
import type { SnapshotView, Triple } from '../format/snapshot-view.ts';
import { compareTexts } from '../format/text-column.ts';
import { takeRoom } from './arena.ts';
import { type BlockBounds, type BoundedKeys, LowestKeys } from './block-bounds.ts';
import { findProducts } from './document-filter.ts';
import type { DocumentList } from './document-list.ts';
import type { SearchContext } from './matches.ts';
import type { OrderColumn } from './near-page.ts';
import { HIGHEST_KEY, LAST_KEY, type SelectionOrder } from './selection.ts';

const NULL = LAST_KEY;

/** Ranks have 26 bits; the upper 24 of them and a number of periods make a key. */
const COARSE_RANK_BITS = 24;
const COARSE_RANK_SHIFT = 2;

/** By column, made when an order first asks for it: a few milliseconds, and a thirtieth of the column's memory. */
const knownBounds: Readonly<Record<OrderDirection, WeakMap<Uint32Array | Uint8Array, BlockBounds>>> = {
  asc: new WeakMap(),
  desc: new WeakMap(),
};

interface CodedMatches {
  readonly documents: DocumentList;
  readonly codes: Uint32Array | undefined;
}

/** Undefined when the documents already stand in the wanted order. */
export function planSelection(context: SearchContext, matches: CodedMatches): SelectionOrder | undefined {
  const { view, plan } = context;
  const { documents } = matches;
  const { order } = plan;
  if (order.kind === 'period') {
    const index = view.periods.findIndex((period) => isSamePeriod(period, order.period));
    return {
      keys: periodKeys(view, { documents, index, direction: order.direction }),
      ties: rankTies(view, documents),
    };
  }
  const { field, direction } = order;
  if (field === 'latest_period' && direction === 'desc') return undefined;
  if (field === 'latest_period') return { keys: latestPeriodKeys(view, documents), ties: undefined };
  if (field === 'query_order') return { keys: directed(matches.codes, 'desc'), ties: undefined };
  return { keys: fieldKeys(context, matches, { field, direction }), ties: rankTies(view, documents) };
}

/** Undefined for orders by the query. */
export function boundKeys({ view, plan, window }: SearchContext): BoundedKeys | undefined {
  const { order } = plan;
  const { direction } = order;
  if (order.kind === 'period') {
    const ranks = view.ranks[view.periods.findIndex((period) => isSamePeriod(period, order.period))];
    if (!ranks) return undefined;
    const keyOf = (document: number): number => rankKey(ranks[view.documentSlots[document] ?? 0] ?? 0, direction);
    return { keyOf, bounds: boundsOf(ranks, direction, () => boundPeriod(view, ranks, direction)) };
  }
  if (order.field === 'total_periods') {
    const { totalPeriods } = window.summaries;
    return boundColumn(totalPeriods, direction, (document) =>
      totalPeriodsKey({ total: totalPeriods[document] ?? 0, rank: view.latestRanks[document] ?? 0, direction }),
    );
  }
  const column = findOrderColumn({ view, plan, window })?.values;
  return column && boundColumn(column, direction, (document) => valueKey(column[document] ?? 0, direction));
}

/** The column whose values are the order; undefined where there is none, or more to it. */
export function findOrderColumn({
  view,
  plan: { order },
  window: { summaries },
}: Pick<SearchContext, 'view' | 'plan' | 'window'>): OrderColumn | undefined {
  if (order.kind !== 'field') return undefined;
  const columns: Partial<Record<OrderField, Uint32Array>> = {
    latest_rank: view.latestRanks,
    best_rank: summaries.bestRanks,
    worst_rank: summaries.worstRanks,
    avg_rank: summaries.avgRanks,
  };
  const values = columns[order.field];
  return values && { values, direction: order.direction };
}

/** So many documents have the same number of periods that a page is bounded only together with the rank that decides among them. */
function totalPeriodsKey({
  total,
  rank,
  direction,
}: {
  readonly total: number;
  readonly rank: number;
  readonly direction: OrderDirection;
}): number {
  const first = direction === 'asc' ? total : MAX_PERIODS - total;
  return first * 2 ** COARSE_RANK_BITS + (rank >>> COARSE_RANK_SHIFT);
}

function boundColumn(
  column: Uint32Array | Uint8Array,
  direction: OrderDirection,
  keyOf: (document: number) => number,
): BoundedKeys {
  const make = (): BlockBounds => {
    const keys = new LowestKeys(column.length);
    for (let document = 0; document < column.length; document += 1) keys.add(document, keyOf(document));
    return keys.bounds();
  };
  return { keyOf, bounds: boundsOf(column, direction, make) };
}

function boundsOf(column: Uint32Array | Uint8Array, direction: OrderDirection, make: () => BlockBounds): BlockBounds {
  const known = knownBounds[direction].get(column);
  if (known) return known;
  const made = make();
  knownBounds[direction].set(column, made);
  return made;
}

/** Slot by slot, as the column is stored. */
function boundPeriod(view: SnapshotView, ranks: Uint32Array, direction: OrderDirection): BlockBounds {
  const keys = new LowestKeys(view.documentCount);
  for (let slot = 0; slot < ranks.length; slot += 1) {
    const rank = ranks[slot] ?? 0;
    if (rank !== 0) keys.add(view.slotDocuments[slot] ?? 0, rankKey(rank, direction));
  }
  return keys.bounds();
}

function valueKey(value: number, direction: OrderDirection): number {
  return direction === 'asc' ? value : HIGHEST_KEY - value;
}

/** No rank is behind all others in either direction. */
function rankKey(rank: number, direction: OrderDirection): number {
  return rank === 0 ? NULL : valueKey(rank, direction);
}

function fieldKeys(
  context: SearchContext,
  { documents, codes }: CodedMatches,
  { field, direction }: { readonly field: OrderField; readonly direction: OrderDirection },
): Uint32Array {
  const { view, plan, window } = context;
  const column = findOrderColumn(context)?.values;
  if (column) return gather({ documents, column, direction });
  switch (field) {
    case 'total_periods':
      return gather({ documents, column: window.summaries.totalPeriods, direction });
    case 'click_share':
    case 'conversion_share': {
      const asins = plan.match.kind === 'asins' ? plan.match.asins : [];
      const shares = field === 'click_share' ? view.clickShares : view.conversionShares;
      return shareKeys(view, { documents, shares, products: findProducts(view, asins), direction });
    }
    default:
      return directed(codes, direction);
  }
}

function gather({
  documents,
  column,
  direction,
}: {
  readonly documents: DocumentList;
  readonly column: Uint32Array | Uint8Array;
  readonly direction: OrderDirection;
}): Uint32Array {
  const keys = takeRoom('orderKeys', documents.length).subarray(0, documents.length);
  if (direction === 'asc') {
    for (let i = 0; i < keys.length; i += 1) keys[i] = column[documents[i] ?? 0] ?? 0;
  } else {
    for (let i = 0; i < keys.length; i += 1) keys[i] = HIGHEST_KEY - (column[documents[i] ?? 0] ?? 0);
  }
  return keys;
}

function periodKeys(
  view: SnapshotView,
  {
    documents,
    index,
    direction,
  }: { readonly documents: DocumentList; readonly index: number; readonly direction: OrderDirection },
): Uint32Array {
  const ranks = view.ranks[index] ?? new Uint32Array(0);
  // Slots are anywhere in the column. Loops that do nothing but fetch let the processor wait for many of them at once.
  const keys = gather({ documents, column: view.documentSlots, direction: 'asc' });
  for (let i = 0; i < keys.length; i += 1) {
    const slot = keys[i] ?? 0;
    keys[i] = slot < ranks.length ? (ranks[slot] ?? 0) : 0;
  }
  for (let i = 0; i < keys.length; i += 1) {
    keys[i] = rankKey(keys[i] ?? 0, direction);
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

/** The best known share among the products that were asked for. */
function shareKeys(
  view: SnapshotView,
  {
    documents,
    shares,
    products,
    direction,
  }: {
    readonly documents: DocumentList;
    readonly shares: Triple<Uint16Array>;
    readonly products: ReadonlySet<number>;
    readonly direction: OrderDirection;
  },
): Uint32Array {
  return Uint32Array.from(documents, (document) => {
    let best = -1;
    for (const [i, column] of view.products.entries()) {
      const share = shares[i]?.[document] ?? NONE_16;
      if (share !== NONE_16 && products.has(column[document] ?? 0)) best = Math.max(best, share);
    }
    if (best < 0) return NULL;
    return direction === 'asc' ? best : HIGHEST_KEY - best;
  });
}

function directed(codes: Uint32Array | undefined, direction: OrderDirection): Uint32Array {
  if (!codes) throw new Error('an order by relevance needs relevance codes');
  if (direction === 'asc') return codes;
  const keys = takeRoom('orderKeys', codes.length).subarray(0, codes.length);
  for (let i = 0; i < keys.length; i += 1) keys[i] = HIGHEST_KEY - (codes[i] ?? 0);
  return keys;
}

/** Latest rank, then normalised term in code point order. */
function rankTies(view: SnapshotView, documents: DocumentList): NonNullable<SelectionOrder['ties']> {
  const slotAt = (position: number): number => view.documentSlots[documents[position] ?? 0] ?? 0;
  return {
    keyAt: (position) => view.latestRanks[documents[position] ?? 0] ?? 0,
    compare: (a, b) => compareTexts(view.terms, [slotAt(a), slotAt(b)]),
  };
}
