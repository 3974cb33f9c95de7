// The list of keywords of a product or a brand: those of a period and of the one before, side by side, ordered and cut. The start of a
// run is looked for only of what is shown, unless the order asks for it.
import type { HeldKeyword, HeldKeywordPlan, HeldStatus } from '../../domain/holder.ts';
import type { TrendPage } from '../../domain/store.ts';
import { findList } from '../format/period-rows.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { valueAt } from '../format/sparse-column.ts';
import { directedKey, NULL_KEY } from '../query/key-order.ts';
import { findWindow } from '../query/plan-window.ts';
import { readSearchTerm } from '../query/search-rows.ts';
import { type CandidateTerms, mergeTerms, NO_ENTRY, ranksOf, selectTerms } from './candidate-terms.ts';
import {
  clickShareAt,
  conversionShareAt,
  emptyList,
  findHolderSlots,
  type HeldList,
  type HolderSlots,
  indexOfPeriod,
  keepHeld,
  placeAt,
  readHeldList,
  standingAt,
} from './held-list.ts';
import { findMatching } from './matching-terms.ts';

interface Options {
  readonly throwIfCancelled: () => void;
}

interface Candidates extends CandidateTerms {
  /** 0 for none. */
  readonly ranks: Uint32Array;
}

/** What the lists of the plan are about, in terms of the snapshot. */
interface Held {
  readonly slots: HolderSlots;
  readonly firstPeriod: number;
  readonly period: number;
  /** Undefined when no earlier period is visible. */
  readonly previous: number | undefined;
  readonly now: HeldList;
  readonly before: HeldList;
}

/** A fall of the whole share is the lowest change. */
const LOWEST_SHARE_CHANGE = -10_000;

const WANTED: Readonly<Record<HeldStatus, (isHeld: boolean, wasHeld: boolean) => boolean>> = {
  all: () => true,
  held: (isHeld) => isHeld,
  entered: (isHeld, wasHeld) => isHeld && !wasHeld,
  left: (isHeld) => !isHeld,
};

export function listHeldKeywords(
  view: SnapshotView,
  plan: HeldKeywordPlan,
  options: Options,
): TrendPage<HeldKeyword> | undefined {
  const window = findWindow(view, plan);
  const slots = findHolderSlots(view, plan.holder);
  if (!window || !isVisible(view, slots, window.firstPeriod)) return undefined;
  const { firstPeriod } = window;
  const period = indexOfPeriod(view, plan.period);
  if (period === undefined) return { totalCount: 0, rows: [] };
  const previous = indexOfPeriod(view, plan.previous);
  const now = readHeldList(view, slots, period);
  const before = previous === undefined ? emptyList(slots.kind) : readHeldList(view, slots, previous);
  const held: Held = { slots, firstPeriod, period, previous, now, before };
  const candidates = listCandidates(view, { plan, held }, options);
  const { terms, ranks } = candidates;
  const keys = keysOf(view, { plan, held, candidates }, options);
  const slice = { from: plan.offset, to: plan.offset + plan.limit };
  const page = selectTerms(view, { terms, ranks, keys }, { ...options, slice });
  return { totalCount: terms.length, rows: readRows(view, { held, candidates, page }, options) };
}

/** Whether a period from this one on names it. */
function isVisible(view: SnapshotView, slots: HolderSlots, firstPeriod: number): boolean {
  if (slots.kind === 'products') return slots.slots.some((slot) => (view.productNewest[slot] ?? 0) > firstPeriod);
  for (let period = view.periods.length - 1; period >= firstPeriod; period -= 1) {
    const rows = view.rows[period];
    if (rows && slots.slots.some((slot) => findList(rows, slots.kind, slot))) return true;
  }
  return false;
}

function listCandidates(
  view: SnapshotView,
  { plan, held: { now, before, previous, period } }: { readonly plan: HeldKeywordPlan; readonly held: Held },
  options: Options,
): Candidates {
  // Without a period before, nothing has entered.
  const { status } = plan;
  const isWanted = status === 'entered' && previous === undefined ? () => false : WANTED[status];
  const merged = mergeTerms(now, before, isWanted);
  options.throwIfCancelled();
  const kept = findMatching(view, { plan, terms: merged.terms }, options);
  const { terms, ...entries } = kept
    ? {
        terms: kept.map((position) => merged.terms[position] ?? 0),
        now: Int32Array.from(kept, (position) => merged.now[position] ?? 0),
        before: Int32Array.from(kept, (position) => merged.before[position] ?? 0),
      }
    : merged;
  return { terms, ...entries, ranks: ranksOf(terms, view.ranks[period]) };
}

/** What decides the order, ascending; the last key for what is not known, or not there. */
function keysOf(
  view: SnapshotView,
  { plan, held, candidates }: { readonly plan: HeldKeywordPlan; readonly held: Held; readonly candidates: Candidates },
  options: Options,
): Uint32Array {
  const { field, direction } = plan.order;
  const { terms, ranks, now, before } = candidates;
  const starts = field === 'since' ? findStarts(view, { held, terms, now }, options) : undefined;
  const ifHeld = (position: number, read: (list: HeldList, entry: number) => number | undefined) => {
    const entry = now[position] ?? NO_ENTRY;
    return entry < 0 ? undefined : read(held.now, entry);
  };
  const values: Readonly<Record<typeof field, (position: number) => number | undefined>> = {
    search_rank: (position) => ranks[position] || undefined,
    place: (position) => ifHeld(position, placeAt),
    click_share: (position) => ifHeld(position, clickShareAt),
    conversion_share: (position) => ifHeld(position, conversionShareAt),
    share_change: (position) => {
      const share = ifHeld(position, clickShareAt);
      const earlier = before[position] ?? NO_ENTRY;
      const previous = earlier < 0 ? undefined : clickShareAt(held.before, earlier);
      return share === undefined || previous === undefined ? undefined : share - previous - LOWEST_SHARE_CHANGE;
    },
    since: (position) => starts?.[position],
  };
  const read = values[field];
  const keys = new Uint32Array(terms.length);
  for (let position = 0; position < keys.length; position += 1) {
    const value = read(position);
    keys[position] = value === undefined ? NULL_KEY : directedKey(value, direction);
  }
  return keys;
}

function readRows(
  view: SnapshotView,
  {
    held,
    candidates,
    page,
  }: { readonly held: Held; readonly candidates: Candidates; readonly page: readonly number[] },
  options: Options,
): readonly HeldKeyword[] {
  const { previous } = held;
  const earlier = previous === undefined ? undefined : view.ranks[previous];
  // Runs are followed in the order of terms, which is that of positions.
  const ascending = Uint32Array.from(page).sort();
  const terms = ascending.map((position) => candidates.terms[position] ?? 0);
  const now = Int32Array.from(ascending, (position) => candidates.now[position] ?? 0);
  const starts = findStarts(view, { held, terms, now }, options);
  const startOf = new Map(Array.from(ascending, (position, i) => [position, starts[i] ?? 0]));
  return page.map((position) => {
    const since = view.periods[startOf.get(position) ?? 0];
    if (!since) throw new Error('a run began in no period');
    const term = candidates.terms[position] ?? 0;
    const [entry, before] = [candidates.now[position] ?? NO_ENTRY, candidates.before[position] ?? NO_ENTRY];
    return {
      searchTerm: readSearchTerm(view, view.slotDocuments[term] ?? 0),
      rank: candidates.ranks[position] || null,
      previousRank: (earlier && valueAt(earlier, term)) || null,
      standing: entry < 0 ? null : standingAt(held.now, entry),
      previous: before < 0 ? null : standingAt(held.before, before),
      since,
    };
  });
}

/** Of terms, which ascend: the index of the period with which the unbroken run of each began. */
function findStarts(
  view: SnapshotView,
  { held, terms, now }: { readonly held: Held } & Pick<CandidateTerms, 'terms' | 'now'>,
  { throwIfCancelled }: Options,
): Uint32Array {
  const { slots, firstPeriod, period, previous = period } = held;
  const starts = Uint32Array.from(now, (entry) => (entry < 0 ? previous : period));
  let positions: Uint32Array = Uint32Array.from(terms.keys());
  for (let earlier = period - 1; earlier >= firstPeriod && positions.length > 0; earlier -= 1) {
    throwIfCancelled();
    positions = keepHeld(view, slots, { terms, positions, period: earlier });
    for (const position of positions) starts[position] = earlier;
  }
  return starts;
}
