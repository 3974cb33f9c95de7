// Two periods, as a list of changes needs them. What is ranked in the newer one has places: in the order of that rank, then of the
// term, which is how ties of a list break. For the newest pair places are documents and the build has sorted everything. For any
// other pair it is computed when it is first asked for, and the pairs that were used last are kept.
import { isSamePeriod, type Period } from '../../domain/period.ts';
import type { ChangePlan } from '../../domain/trend.ts';
import {
  gatherEarlier,
  placePercentages,
  placeTerms,
  sortByChange,
  sortByKey,
  sortBySize,
} from '../build/trend-columns.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { type SparseColumn, walkValues } from '../format/sparse-column.ts';
import { compareTexts } from '../format/text-column.ts';
import { LruCache } from '../query/lru-cache.ts';
import type { TrendOptions } from './trend-candidates.ts';

/** The columns have the names and meanings of the snapshot's, by place. */
export interface PeriodPair
  extends Pick<
    SnapshotView,
    'previousRanks' | 'latestRanks' | 'changeOrder' | 'absChangeOrder' | 'percentagePlaces' | 'termPlaces'
  > {
  readonly count: number;
  /** By place; undefined where places are documents. */
  readonly documents: Uint32Array | undefined;
}

/** Of one view and thread; each takes up to 28 bytes per keyword of its newer period. */
const MAX_PAIRS = 3;
const knownPairs = new WeakMap<SnapshotView, LruCache<string, PeriodPair>>();

/** Undefined where one of the two has no data. */
export function openPair(
  view: SnapshotView,
  { previous, current }: Pick<ChangePlan, 'previous' | 'current'>,
  options: TrendOptions,
): PeriodPair | undefined {
  const [from, to] = [indexOf(view, previous), indexOf(view, current)];
  if (from < 0 || to < 0) return undefined;
  const newest = view.periods.length - 1;
  const newestCount = view.periodEnds[0] ?? 0;
  if (to === newest && from === newest - 1) {
    const { previousRanks, latestRanks, changeOrder, absChangeOrder, percentagePlaces, termPlaces } = view;
    const columns = { previousRanks, latestRanks, changeOrder, absChangeOrder, percentagePlaces, termPlaces };
    return { count: newestCount, documents: undefined, ...columns };
  }
  const known = knownPairs.get(view) ?? new LruCache<string, PeriodPair>(MAX_PAIRS);
  knownPairs.set(view, known);
  const key = `${from} ${to}`;
  const pair = known.get(key) ?? computePair(view, { from, to, ...options });
  known.set(key, pair);
  return pair;
}

function indexOf({ periods }: SnapshotView, wanted: Period | undefined): number {
  return wanted ? periods.findIndex((period) => isSamePeriod(period, wanted)) : -1;
}

function computePair(
  view: SnapshotView,
  { from, to, throwIfCancelled }: TrendOptions & { readonly from: number; readonly to: number },
): PeriodPair {
  const isNewest = to === view.periods.length - 1;
  const count = isNewest ? (view.periodEnds[0] ?? 0) : (view.ranks[to]?.valueCount ?? 0);
  const sorted = isNewest ? undefined : sortRanked(view, view.ranks[to], throwIfCancelled);
  const latestRanks = sorted ? sorted.ranks : view.latestRanks.subarray(0, count);
  const documentSlots = sorted ? sorted.slots : view.documentSlots.subarray(0, count);
  throwIfCancelled();
  const previousRanks = gatherEarlier({ newestCount: count, documentSlots, previousRanks: view.ranks[from] });
  throwIfCancelled();
  const pair = { newestCount: count, latestRanks, previousRanks };
  const computed: { [Column in LazyColumn]?: Uint32Array } = {};
  const lazily = (column: LazyColumn, compute: () => Uint32Array): Uint32Array => {
    computed[column] ??= compute();
    return computed[column];
  };
  return {
    count,
    documents: sorted?.documents,
    latestRanks,
    previousRanks,
    get changeOrder() {
      return lazily('changeOrder', () => sortByChange(pair));
    },
    get absChangeOrder() {
      return lazily('absChangeOrder', () => sortBySize(pair));
    },
    get percentagePlaces() {
      return lazily('percentagePlaces', () => placePercentages(pair));
    },
    get termPlaces() {
      if (isNewest) return view.termPlaces;
      return lazily('termPlaces', () => placeTerms({ newestCount: count, documentSlots, terms: view.terms }));
    },
  };
}

type LazyColumn = 'changeOrder' | 'absChangeOrder' | 'percentagePlaces' | 'termPlaces';

interface RankedPlaces {
  readonly documents: Uint32Array;
  readonly slots: Uint32Array;
  readonly ranks: Uint32Array;
}

/** What is ranked in a period, in the order of the rank, then of the term. */
function sortRanked(view: SnapshotView, column: SparseColumn | undefined, throwIfCancelled: () => void): RankedPlaces {
  const count = column?.valueCount ?? 0;
  const [unsorted, keys] = [new Uint32Array(count), new Uint32Array(count)];
  let at = 0;
  if (column) {
    walkValues(column, (slot, rank) => {
      unsorted[at] = slot;
      keys[at] = rank;
      at += 1;
    });
  }
  throwIfCancelled();
  const slots = sortByKey(unsorted, keys);
  const ranks = keys.sort();
  // Few share a rank.
  for (let start = 0, end = 1; end <= count; end += 1) {
    if (end < count && ranks[end] === ranks[start]) continue;
    if (end - start > 1) slots.subarray(start, end).sort((a, b) => compareTexts(view.terms, [a, b]));
    start = end;
  }
  return { documents: slots.map((slot) => view.slotDocuments[slot] ?? 0), slots, ranks };
}
