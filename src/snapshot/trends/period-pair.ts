// Two periods, as a list of changes needs them. For the newest pair the build has sorted everything, and places are documents. For any other
// pair the two columns of ranks are joined when it is first asked for: a place is a keyword that has both ranks, in the order of slots, so
// that both columns and the terms are read from front to back. Nothing is sorted: pages are selected. The pairs that were used last are kept.
import { isSamePeriod, type Period } from '../../domain/period.ts';
import type { ChangePlan } from '../../domain/trend.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { joinValues, type SparseColumn } from '../format/sparse-column.ts';
import { LruCache } from '../query/lru-cache.ts';
import type { ChangeView } from './change-lists.ts';
import type { MoveOrder, MovesView } from './moves.ts';
import { keyPercentages, keyTerms, listTies } from './pair-order.ts';
import type { TrendOptions } from './trend-candidates.ts';
import type { TiesOf } from './trend-selection.ts';

/** By place. Columns of percentages and terms have the order of what they stand for. */
export interface PeriodPair extends MovesView {
  readonly previousRanks: Uint32Array;
  /** Undefined where places are documents. */
  readonly slots: Uint32Array | undefined;
  /** Undefined where nothing is sorted. */
  readonly sorted: ChangeView | undefined;
  /** What decides among equal keys of an order; undefined where places are in that order. */
  readonly tiesOf: ((order: MoveOrder) => TiesOf) | undefined;
}

/** Of one view and thread; each takes up to 20 bytes per keyword that has both ranks. */
const MAX_PAIRS = 3;
const knownPairs = new WeakMap<SnapshotView, LruCache<string, PeriodPair>>();

/** Undefined where one of the two has no data. */
export function openPair(
  view: SnapshotView,
  { previous, current }: Pick<ChangePlan, 'previous' | 'current'>,
  options: TrendOptions,
): PeriodPair | undefined {
  const [from, to] = [indexOf(view, previous), indexOf(view, current)];
  const [earlier, later] = [view.ranks[from], view.ranks[to]];
  if (!earlier || !later) return undefined;
  const newest = view.periods.length - 1;
  if (to === newest && from === newest - 1) {
    const { previousRanks, latestRanks, percentagePlaces, termPlaces } = view;
    return {
      previousRanks,
      latestRanks,
      percentagePlaces,
      termPlaces,
      slots: undefined,
      sorted: view,
      tiesOf: undefined,
    };
  }
  const known = knownPairs.get(view) ?? new LruCache<string, PeriodPair>(MAX_PAIRS);
  knownPairs.set(view, known);
  const key = `${from} ${to}`;
  const pair = known.get(key) ?? joinPeriods(view, [earlier, later], options);
  known.set(key, pair);
  return pair;
}

function indexOf({ periods }: SnapshotView, wanted: Period | undefined): number {
  return wanted ? periods.findIndex((period) => isSamePeriod(period, wanted)) : -1;
}

function joinPeriods(
  { terms }: SnapshotView,
  periods: readonly [SparseColumn, SparseColumn],
  { throwIfCancelled }: TrendOptions,
): PeriodPair {
  const room = Math.min(...periods.map(({ valueCount }) => valueCount));
  const [allSlots, allPrevious, allLatest] = [new Uint32Array(room), new Uint32Array(room), new Uint32Array(room)];
  const count = joinValues(periods, { slots: allSlots, values: [allPrevious, allLatest] }, throwIfCancelled);
  const slots = allSlots.subarray(0, count);
  const previousRanks = allPrevious.subarray(0, count);
  const latestRanks = allLatest.subarray(0, count);
  let percentages: Uint32Array | undefined;
  let beginnings: Uint32Array | undefined;
  return {
    slots,
    previousRanks,
    latestRanks,
    sorted: undefined,
    get percentagePlaces() {
      percentages ??= keyPercentages(previousRanks, latestRanks);
      return percentages;
    },
    get termPlaces() {
      beginnings ??= keyTerms(terms, slots);
      return beginnings;
    },
    tiesOf: (order) => (places) => listTies({ order, places, previousRanks, latestRanks, slots, terms }),
  };
}
