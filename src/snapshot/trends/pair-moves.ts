// A page of the moves between two periods of which nothing is sorted: one pass over both columns of ranks, from which nothing is kept. It goes
// page by page of the columns, so that whatever it writes down stays in the nearest cache: the ranks by slot, which slots are on the list, and,
// outside of it, the few whose keys lie where a sample says that the page of the answer is.

import type { Slice } from '../../domain/page.ts';
import { gatherValues, hasValues, listPage, PAGE_SLOTS, readPage } from '../format/sparse-column.ts';
import { takeRoom } from '../query/arena.ts';
import type { KeyBounds } from '../query/selection.ts';
import type { MoveBounds } from './moves.ts';
import type { PairOrder } from './pair-order.ts';
import type { PeriodPair } from './period-pair.ts';
import type { KeepWanted, SlotBatch } from './slot-batch.ts';
import type { TrendOptions } from './trend-candidates.ts';
import {
  ALL_KEYS,
  type Gathered,
  guessBySample,
  KEYS_END,
  sampleSize,
  selectGathered,
  type TrendDocuments,
} from './trend-selection.ts';

export interface PairList {
  readonly pair: PeriodPair;
  readonly bounds: MoveBounds;
  readonly order: PairOrder;
  /** Undefined where nothing is filtered. */
  readonly keepWanted: KeepWanted | undefined;
  readonly slice: Slice;
}

const PAGES_BETWEEN_LOOKS = 64;

const batch: SlotBatch = {
  firstSlot: 0,
  step: 1,
  count: 0,
  numbers: new Uint32Array(PAGE_SLOTS),
  latestRanks: new Uint32Array(PAGE_SLOTS),
  previousRanks: new Uint32Array(PAGE_SLOTS),
};

/** The documents of the answer are slots. */
export function selectPairMoves(list: PairList, options: TrendOptions): TrendDocuments {
  return selectGathered(
    {
      guess: guessPage(list),
      gather: (bounds) => gatherPages(list, bounds, options),
      tiesOf: list.order.tiesOf,
      slice: list.slice,
    },
    options,
  );
}

function gatherPages(list: PairList, bounds: KeyBounds, { throwIfCancelled }: TrendOptions): Gathered {
  const { previous, latest } = list.pair;
  const room = Math.min(previous.valueCount, latest.valueCount);
  const gathered: Gathered = {
    documents: takeRoom('nearDocuments', room),
    keys: takeRoom('nearKeys', room),
    near: 0,
    below: 0,
    listed: 0,
  };
  batch.step = 1;
  for (let page = 0; page * PAGE_SLOTS < slotCount(list.pair); page += 1) {
    if (page % PAGES_BETWEEN_LOOKS === 0) throwIfCancelled();
    if (!hasValues(previous, page) || !hasValues(latest, page)) continue;
    batch.firstSlot = page * PAGE_SLOTS;
    readPage(previous, page, batch.previousRanks);
    batch.count = listPage(latest, page, { slots: batch.numbers, values: batch.latestRanks });
    gatherBatch(list, bounds, gathered);
  }
  return gathered;
}

/** Slots from all over both columns. In short ones a guess costs more than it saves. */
function guessPage(list: PairList): KeyBounds {
  const count = slotCount(list.pair);
  const size = sampleSize(count);
  if (size === 0) return ALL_KEYS;
  const step = Math.floor(count / size);
  // What is not on the list is behind all that is.
  const keys = new Uint32Array(Math.ceil(count / step)).fill(KEYS_END);
  const gathered: Gathered = { documents: new Uint32Array(keys.length), keys, near: 0, below: 0, listed: 0 };
  batch.step = step;
  for (let first = 0; first < keys.length; first += PAGE_SLOTS) {
    batch.firstSlot = first * step;
    readSampled(list.pair, Math.min(PAGE_SLOTS, keys.length - first));
    gatherBatch(list, ALL_KEYS, gathered);
  }
  return guessBySample(keys, { slice: list.slice, count });
}

function readSampled({ previous, latest }: PeriodPair, size: number): void {
  const { firstSlot, step, numbers, latestRanks, previousRanks } = batch;
  for (let i = 0; i < size; i += 1) previousRanks[i] = firstSlot + i * step;
  latestRanks.set(previousRanks);
  for (const [column, values] of [
    [previous, previousRanks],
    [latest, latestRanks],
  ] as const) {
    gatherValues(column, { values, count: size, width: 1, from: 0, to: 0 });
  }
  batch.count = 0;
  for (let i = 0; i < size; i += 1) {
    const rank = latestRanks[i] ?? 0;
    numbers[batch.count] = i;
    latestRanks[batch.count] = rank;
    batch.count += Number(rank > 0);
  }
}

function gatherBatch({ bounds, keepWanted, order }: PairList, near: KeyBounds, gathered: Gathered): void {
  keepWanted?.(batch);
  order.gatherNear({ batch, bounds, near, gathered });
}

/** Behind them, one of the two has no values. */
function slotCount({ previous, latest }: PeriodPair): number {
  return Math.min(previous.length, latest.length);
}
