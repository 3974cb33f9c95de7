// A product or a brand over the periods of a window. Of a long list in the file only its summary is read.
import type { HolderPeriod, HolderPlan, HolderSummary } from '../../domain/holder.ts';
import { findList } from '../format/period-rows.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { valueAt } from '../format/sparse-column.ts';
import { compareTexts, readText } from '../format/text-column.ts';
import { findWindow } from '../query/plan-window.ts';
import { readSearchTerm } from '../query/search-rows.ts';
import { clickShareAt, findHolderSlots, type HeldList, type HolderSlots, placeAt, readHeldList } from './held-list.ts';
import { listNamedBeside } from './named-beside.ts';
import { findTitle } from './term-periods.ts';

export function findHolder(
  view: SnapshotView,
  plan: HolderPlan,
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
): HolderSummary | undefined {
  const window = findWindow(view, plan);
  const slots = findHolderSlots(view, plan.holder);
  if (!window || slots.slots.length === 0) return undefined;
  const { firstPeriod } = window;
  const periods = plan.window.map((_, i) => {
    throwIfCancelled();
    return summarizePeriod(view, slots, firstPeriod + i);
  });
  const last = periods.findLastIndex((period) => period !== null);
  if (last < 0) return undefined;
  const { holder } = plan;
  return {
    name: holder.kind === 'product' ? holder.asin : findSpelling(view, slots, firstPeriod + last),
    title: holder.kind === 'product' ? findTitle(view, { asin: holder.asin, firstPeriod }) : '',
    ...listNamedBeside(view, { slots, period: firstPeriod + last }, throwIfCancelled),
    periods,
    ...countMoves(view, slots, plan.window.length),
  };
}

function summarizePeriod(view: SnapshotView, slots: HolderSlots, period: number): HolderPeriod | null {
  return summarizeFromFile(view, slots, period) ?? summarizeList(view, readHeldList(view, slots, period), period);
}

/** Undefined when the list itself has to be read: it is short, or one of several, or terms share the best rank. */
function summarizeFromFile(view: SnapshotView, { kind, slots }: HolderSlots, period: number): HolderPeriod | undefined {
  const rows = view.rows[period];
  const [list, ...others] = rows ? slots.flatMap((slot) => findList(rows, kind, slot) ?? []) : [];
  const summary = list?.summary;
  if (!list || !summary || others.length > 0 || summary.bestCount > 1) return undefined;
  const { first, second, knownShares, shareSum, best } = summary;
  return {
    places: [first, second, list.count - first - second],
    clickShareSum: knownShares === 0 ? null : shareSum / 100,
    knownClickShares: knownShares,
    best: presentBest(view, best, period),
  };
}

function summarizeList(view: SnapshotView, list: HeldList, period: number): HolderPeriod | null {
  const ranks = view.ranks[period];
  const { terms } = list;
  if (!ranks || terms.length === 0) return null;
  const places: [number, number, number] = [0, 0, 0];
  let known = 0;
  let sum = 0;
  let best = terms[0] ?? 0;
  let bestRank = valueAt(ranks, best >>> 2);
  for (let entry = 0; entry < terms.length; entry += 1) {
    const place = placeAt(list, entry) - 1;
    places[place] = (places[place] ?? 0) + 1;
    const share = clickShareAt(list, entry);
    known += share === undefined ? 0 : 1;
    sum += share ?? 0;
    const packed = terms[entry] ?? 0;
    const rank = valueAt(ranks, packed >>> 2);
    if (rank > bestRank) continue;
    if (rank === bestRank && compareTexts(view.terms, [packed >>> 2, best >>> 2]) >= 0) continue;
    best = packed;
    bestRank = rank;
  }
  return {
    places,
    clickShareSum: known === 0 ? null : sum / 100,
    knownClickShares: known,
    best: presentBest(view, best, period),
  };
}

function presentBest(view: SnapshotView, packed: number, period: number): HolderPeriod['best'] {
  const term = packed >>> 2;
  const ranks = view.ranks[period];
  return {
    searchTerm: readSearchTerm(view, view.slotDocuments[term] ?? 0),
    rank: ranks ? valueAt(ranks, term) : 0,
    place: packed & 3,
  };
}

/** The spelling that has a list in the period. */
function findSpelling(view: SnapshotView, { kind, slots }: HolderSlots, period: number): string {
  const rows = view.rows[period];
  const slot = rows && slots.find((each) => findList(rows, kind, each));
  return slot === undefined ? '' : readText(view.brandNames, slot);
}

function countMoves(
  view: SnapshotView,
  slots: HolderSlots,
  windowLength: number,
): Pick<HolderSummary, 'entered' | 'left'> {
  if (windowLength < 2) return { entered: null, left: null };
  const newest = view.periods.length - 1;
  const now = readHeldList(view, slots, newest).terms;
  const before = readHeldList(view, slots, newest - 1).terms;
  let shared = 0;
  for (let i = 0, j = 0; i < now.length && j < before.length; ) {
    const [left, right] = [(now[i] ?? 0) >>> 2, (before[j] ?? 0) >>> 2];
    shared += left === right ? 1 : 0;
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  return { entered: now.length - shared, left: before.length - shared };
}
