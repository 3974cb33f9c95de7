// The trend lists of domain/store.ts over a snapshot. Synchronous and without side effects; worker threads call it.
import type { ChangeRow, SocialRow, TrendPage } from '../domain/store.ts';
import type { ChangeOrder, ChangePlan, LatestRankPlan, SocialOrder, SocialPlan } from '../domain/trend.ts';
import { findTerm } from './matches.ts';
import { findMoves, periodIndex, rankIn } from './moves.ts';
import { findWindow } from './plan-window.ts';
import { readSearchTerm } from './search-rows.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { readText } from './text-column.ts';

interface TrendOptions {
  readonly throwIfCancelled: () => void;
}

const MOVE_ORDERS: Readonly<Record<SocialOrder, ChangeOrder>> = {
  total_improvement: 'change',
  start_rank: 'previous_rank',
  end_rank: 'current_rank',
  query: 'query',
};

export function listChanges(view: SnapshotView, plan: ChangePlan, options: TrendOptions): TrendPage<ChangeRow> {
  const { previous, current } = plan;
  if (!previous || !current) return { totalCount: 0, rows: [] };
  const { totalCount, documents } = findMoves(view, { ...plan, earlier: previous, newest: current }, options);
  const period = periodIndex(view, previous);
  const rows = documents.map((document) => ({
    searchTerm: readSearchTerm(view, document),
    previousRank: rankIn(view, { document, period }),
    currentRank: view.latestRanks[document] ?? 0,
  }));
  return { totalCount, rows };
}

export function listSocialRanks(view: SnapshotView, plan: SocialPlan, options: TrendOptions): TrendPage<SocialRow> {
  const [earlier, newest] = [plan.span[0], plan.span.at(-1)];
  if (!earlier || !newest) return { totalCount: 0, rows: [] };
  const order = { ...plan.order, field: MOVE_ORDERS[plan.order.field] };
  const moves = { ...plan, earlier, newest, order, threshold: undefined, direction: undefined };
  const { totalCount, documents } = findMoves(view, moves, options);
  const periods = plan.span.map((period) => periodIndex(view, period));
  const rows = documents.map((document) => {
    const ranks = periods.map((period) => rankIn(view, { document, period }) || null);
    return {
      searchTerm: readSearchTerm(view, document),
      normalizedSearchTerm: readText(view.terms, view.documentSlots[document] ?? 0),
      ranks,
      startRank: ranks[0] ?? 0,
      endRank: ranks.at(-1) ?? 0,
    };
  });
  return { totalCount, rows };
}

export function listLatestRanks(view: SnapshotView, plan: LatestRankPlan): readonly (number | null)[] {
  const visibleCount = findWindow(view, plan)?.visibleCount ?? 0;
  return plan.terms.map((term) => {
    const document = findTerm(view, term);
    return document !== undefined && document < visibleCount ? (view.latestRanks[document] ?? null) : null;
  });
}
