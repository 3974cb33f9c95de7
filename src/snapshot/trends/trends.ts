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
import { gatherColumn, gatherMoves } from './moves.ts';
import { openPair, type PeriodPair } from './period-pair.ts';
import { findSocialCandidates } from './social-candidates.ts';
import { findCandidates, findNewCandidates, findPlaces, type TrendOptions } from './trend-candidates.ts';
import { selectTrend, type TrendDocuments } from './trend-selection.ts';

const MOVE_ORDERS: Readonly<Record<SocialOrder, ChangeOrder>> = {
  total_improvement: 'change',
  start_rank: 'previous_rank',
  end_rank: 'current_rank',
  query: 'query',
};

export function listChanges(view: SnapshotView, plan: ChangePlan, options: TrendOptions): TrendPage<ChangeRow> {
  checkWindow(plan.window, view.periods);
  const pair = openPair(view, plan, options);
  if (!pair) return { totalCount: 0, rows: [] };
  const { totalCount, documents: places } = findChanges(view, { plan, pair }, options);
  const rows = places.map((place) => ({
    searchTerm: readSearchTerm(view, pair.slots ? (view.slotDocuments[pair.slots[place] ?? 0] ?? 0) : place),
    previousRank: pair.previousRanks[place] ?? 0,
    currentRank: pair.latestRanks[place] ?? 0,
  }));
  return { totalCount, rows };
}

function findChanges(
  view: SnapshotView,
  { plan, pair }: { readonly plan: ChangePlan; readonly pair: PeriodPair },
  options: TrendOptions,
): TrendDocuments {
  // Changes are whole numbers, so to be above the threshold is to reach the next whole number.
  const bounds = { least: Math.floor(plan.threshold) + 1, direction: plan.direction };
  const { field, direction } = plan.order;
  if (pair.sorted && (field === 'change' || field === 'abs_change') && isUnfiltered({ ...plan.filters })) {
    return sliceChanges(pair.sorted, { bounds, order: { field, direction }, slice: plan });
  }
  const candidates = pair.slots
    ? findPlaces(view, { ...plan, ranks: pair.latestRanks, slots: pair.slots }, options)
    : findCandidates(view, plan, options);
  const gatherKeys = gatherMoves(pair, { earlierRanks: pair.previousRanks, bounds, order: plan.order });
  return selectTrend(candidates, { gatherKeys, tiesOf: pair.tiesOf?.(plan.order), slice: plan }, options);
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
