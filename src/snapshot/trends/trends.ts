// The trend lists of domain/store.ts over a snapshot. Synchronous and without side effects; worker threads call it.
import { checkWindow } from '../../domain/plan.ts';
import { isUnfiltered } from '../../domain/search-filter.ts';
import type { ChangeRow, NewRow, SocialRow, TrendPage } from '../../domain/store.ts';
import type { ChangeOrder, ChangePlan, LatestRankPlan, NewPlan, SocialOrder, SocialPlan } from '../../domain/trend.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { gatherValues, valueAt } from '../format/sparse-column.ts';
import { readText } from '../format/text-column.ts';
import { takeRoom } from '../query/arena.ts';
import type { DocumentList } from '../query/document-list.ts';
import { findTerm } from '../query/matches.ts';
import { findWindow } from '../query/plan-window.ts';
import { readSearchTerm } from '../query/search-rows.ts';
import { sliceChanges } from './change-lists.ts';
import { gatherColumn, gatherMoves, type MoveBounds } from './moves.ts';
import { selectFiltered } from './pair-filter.ts';
import { selectPairMoves } from './pair-moves.ts';
import { orderPair } from './pair-order.ts';
import { openPair, type PeriodPair } from './period-pair.ts';
import { findSocialCandidates } from './social-candidates.ts';
import { findCandidates, findNewCandidates, type TrendOptions } from './trend-candidates.ts';
import { selectTrend, type TrendDocuments } from './trend-selection.ts';

const MOVE_ORDERS: Readonly<Record<SocialOrder, ChangeOrder>> = {
  total_improvement: 'change',
  start_rank: 'previous_rank',
  end_rank: 'current_rank',
  query: 'query',
};

export function listChanges(view: SnapshotView, plan: ChangePlan, options: TrendOptions): TrendPage<ChangeRow> {
  checkWindow(plan.window, view.periods);
  const pair = openPair(view, plan);
  if (!pair) return { totalCount: 0, rows: [] };
  // Changes are whole numbers, so to be above the threshold is to reach the next whole number.
  const bounds = { least: Math.floor(plan.threshold) + 1, direction: plan.direction };
  if (!pair.isNewest) return listPairChanges(view, { plan, pair, bounds }, options);
  const { totalCount, documents } = findChanges(view, { plan, bounds }, options);
  const rows = documents.map((document) => ({
    searchTerm: readSearchTerm(view, document),
    previousRank: view.previousRanks[document] ?? 0,
    currentRank: view.latestRanks[document] ?? 0,
  }));
  return { totalCount, rows };
}

function findChanges(
  view: SnapshotView,
  { plan, bounds }: { readonly plan: ChangePlan; readonly bounds: MoveBounds },
  options: TrendOptions,
): TrendDocuments {
  const { field, direction } = plan.order;
  if ((field === 'change' || field === 'abs_change') && isUnfiltered({ ...plan.filters })) {
    return sliceChanges(view, { bounds, order: { field, direction }, slice: plan });
  }
  const gatherKeys = gatherMoves(view, { earlierRanks: view.previousRanks, bounds, order: plan.order });
  return selectTrend(findCandidates(view, plan, options), { gatherKeys, slice: plan }, options);
}

/** Between two periods that are not the two newest. */
function listPairChanges(
  view: SnapshotView,
  { plan, pair, bounds }: { readonly plan: ChangePlan; readonly pair: PeriodPair; readonly bounds: MoveBounds },
  options: TrendOptions,
): TrendPage<ChangeRow> {
  const order = orderPair(plan.order, { pair, terms: view.terms });
  const { totalCount, documents: slots } = selectFiltered(view, plan, {
    select: (keepWanted) => selectPairMoves({ pair, bounds, order, keepWanted, slice: plan }, options),
    options,
  });
  const rows = slots.map((slot) => ({
    searchTerm: readSearchTerm(view, view.slotDocuments[slot] ?? 0),
    previousRank: valueAt(pair.previous, slot),
    currentRank: valueAt(pair.latest, slot),
  }));
  return { totalCount, rows };
}

export function listSocialRanks(
  view: SnapshotView,
  plan: SocialPlan,
  options: TrendOptions & { readonly retail: SnapshotView | undefined },
): TrendPage<SocialRow> {
  const [start] = plan.span;
  if (!start) return { totalCount: 0, rows: [] };
  checkWindow(plan.window, view.periods);
  const candidates = findSocialCandidates(view, plan, options);
  const earlierRanks = ranksByDocument(view, view.periods.length - plan.span.length);
  const order = { ...plan.order, field: MOVE_ORDERS[plan.order.field] };
  const gatherKeys = gatherMoves(view, { earlierRanks, bounds: { least: 0, direction: undefined }, order });
  const selected = selectTrend(candidates, { gatherKeys, slice: plan }, options);
  const rows = selected.documents.map((document) => {
    const slot = view.documentSlots[document] ?? 0;
    const spanRanks = view.ranks.slice(-plan.span.length).map((column) => valueAt(column, slot) || null);
    return {
      searchTerm: readSearchTerm(view, document),
      normalizedSearchTerm: readText(view.terms, slot),
      ranks: spanRanks,
      startRank: spanRanks[0] ?? 0,
      endRank: spanRanks.at(-1) ?? 0,
    };
  });
  return { totalCount: selected.totalCount, rows };
}

export function listNewTerms(view: SnapshotView, plan: NewPlan, options: TrendOptions): TrendPage<NewRow> {
  const window = findWindow(view, plan);
  if (!window) return { totalCount: 0, rows: [] };
  const newcomers = findNewCandidates(view, { ...plan, summaries: window.summaries }, options);
  const selected = selectNewTerms(view, { plan, newcomers }, options);
  const rows = selected.documents.map((document) => ({
    searchTerm: readSearchTerm(view, document),
    currentRank: view.latestRanks[document] ?? 0,
  }));
  return { totalCount: selected.totalCount, rows };
}

function selectNewTerms(
  view: SnapshotView,
  { plan, newcomers }: { readonly plan: NewPlan; readonly newcomers: DocumentList },
  options: TrendOptions,
): TrendDocuments {
  const { order, offset, limit } = plan;
  if (order.field === 'current_rank' && order.direction === 'asc') {
    return { totalCount: newcomers.length, documents: Array.from(newcomers.subarray(offset, offset + limit)) };
  }
  const gatherKeys = gatherColumn(order.field === 'query' ? view.termPlaces : view.latestRanks, order.direction);
  return selectTrend({ documents: newcomers, from: 0, to: newcomers.length }, { gatherKeys, slice: plan }, options);
}

export function listLatestRanks(view: SnapshotView, plan: LatestRankPlan): readonly (number | null)[] {
  const visibleCount = findWindow(view, plan)?.visibleCount ?? 0;
  return plan.terms.map((term) => {
    const document = findTerm(view, term);
    return document !== undefined && document < visibleCount ? (view.latestRanks[document] ?? null) : null;
  });
}

/** The ranks of a period by document of the newest one. */
function ranksByDocument(view: SnapshotView, period: number): Uint32Array {
  const count = view.periodEnds[0] ?? 0;
  const ranks = view.ranks[period];
  const values = takeRoom('earlierRanks', count);
  if (!ranks) return values.fill(0, 0, count);
  values.set(view.documentSlots.subarray(0, count));
  gatherValues(ranks, { values, count, width: 1, from: 0, to: 0 });
  return values;
}
