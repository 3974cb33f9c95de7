// Which documents of the newest period a trend plan's filters leave. They stand in the order of their rank, so a bound on the
// rank is a place in the list; only words and categories need a list of their own.
import type { Period } from '../../domain/period.ts';
import { NO_FILTERS } from '../../domain/search-filter.ts';
import type { TrendFilters } from '../../domain/trend.ts';
import type { SnapshotView, Summaries } from '../format/snapshot-view.ts';
import { takeRoom } from '../query/arena.ts';
import { type CategoryPass, keepCategories, markCategories } from '../query/category-filter.ts';
import { countBelow, type DocumentList } from '../query/document-list.ts';
import { findMatches } from '../query/matches.ts';
import { findWindow } from '../query/plan-window.ts';

/** The members from `from` to `to` of the list, or of all documents when there is none. Ascending. */
export interface Candidates {
  readonly documents: DocumentList | undefined;
  readonly from: number;
  readonly to: number;
}

export interface TrendOptions {
  readonly throwIfCancelled: () => void;
}

export interface CandidatePlan {
  readonly window: readonly Period[];
  readonly filters: TrendFilters;
}

/** Documents between two looks at the cancellation flag. */
export const CHECK_EVERY = 65_536;

export function findCandidates(view: SnapshotView, plan: CandidatePlan, options: TrendOptions): Candidates {
  const candidates = findRankedCandidates(view, plan, options);
  const { categories } = plan.filters;
  return categories.length === 0 ? candidates : keepWanted(candidates, { view, categories }, options);
}

/** Those whose only rank in the window is the newest one. */
export function findNewCandidates(
  view: SnapshotView,
  plan: CandidatePlan & { readonly summaries: Summaries },
  options: TrendOptions,
): DocumentList {
  const { documents, from, to } = findRankedCandidates(view, plan, options);
  const { newcomers } = plan.summaries;
  const all = documents
    ? keepNewcomers(plan.summaries, documents.subarray(from, to))
    : newcomers.subarray(countBelow(newcomers, from), countBelow(newcomers, to));
  const { categories } = plan.filters;
  if (categories.length === 0) return all;
  const candidates = { documents: all, from: 0, to: all.length };
  const kept = keepWanted(candidates, { view, categories }, options);
  return kept.documents.subarray(0, kept.to);
}

/** By words and by the newer rank. */
export function findRankedCandidates(
  view: SnapshotView,
  { window, filters }: CandidatePlan,
  { throwIfCancelled }: TrendOptions,
): Candidates {
  const { queries, minRank, maxRank } = filters;
  const newestCount = view.periodEnds[0] ?? 0;
  const ranks = view.latestRanks.subarray(0, newestCount);
  const first = minRank === undefined ? 0 : countBelow(ranks, minRank);
  const end = Math.max(first, maxRank === undefined ? newestCount : countBelow(ranks, maxRank + 1));
  if (queries.length === 0) return { documents: undefined, from: first, to: end };
  const planWindow = findWindow(view, { window });
  if (!planWindow) return { documents: undefined, from: 0, to: 0 };
  const { documents } = findMatches({
    view,
    plan: {
      window,
      match: { kind: 'similar', queries, excluded: [] },
      filters: { ...NO_FILTERS, excludeNulls: true },
      order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
      offset: 0,
      limit: 0,
    },
    window: planWindow,
    throwIfCancelled,
  });
  return { documents, from: countBelow(documents, first), to: countBelow(documents, end) };
}

function keepNewcomers({ totalPeriods }: Summaries, documents: DocumentList): DocumentList {
  const kept = takeRoom('newcomers', documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i += 1) {
    const document = documents[i] ?? 0;
    kept[count] = document;
    count += totalPeriods[document] === 1 ? 1 : 0;
  }
  return kept.subarray(0, count);
}

/** Those of the wanted categories, which are those of the twins where there are any. */
export function keepWanted(
  { documents, from, to }: Candidates,
  { categories, ...pass }: Omit<CategoryPass, 'documents' | 'from' | 'to' | 'marks'> & Pick<TrendFilters, 'categories'>,
  { throwIfCancelled }: TrendOptions,
): Candidates & { readonly documents: DocumentList } {
  const marks = markCategories(pass.view, categories);
  const kept = takeRoom('candidates', to - from);
  let count = 0;
  for (let start = from; start < to; start += CHECK_EVERY) {
    throwIfCancelled();
    count = keepCategories(kept, count, {
      ...pass,
      marks,
      documents,
      from: start,
      to: Math.min(to, start + CHECK_EVERY),
    });
  }
  return { documents: kept, from: 0, to: count };
}
