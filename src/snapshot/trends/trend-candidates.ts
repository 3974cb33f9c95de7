// Which documents of the newest period a trend plan's filters leave. They stand in the order of their rank, so a bound on the
// rank is a place in the list; only words and categories need a list of their own.
import { type CategoryFilter, matchesCategory } from '../../domain/category.ts';
import type { Period } from '../../domain/period.ts';
import { NO_FILTERS } from '../../domain/search-filter.ts';
import type { TrendFilters } from '../../domain/trend.ts';
import { NONE_16 } from '../format/format.ts';
import type { SnapshotView, Summaries } from '../format/snapshot-view.ts';
import { takeRoom } from '../query/arena.ts';
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
  return categories.length === 0 ? candidates : keepCategories(view, { candidates, categories }, options);
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
  const kept = keepCategories(view, { candidates, categories }, options);
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

function keepCategories(
  view: SnapshotView,
  { candidates, categories }: { readonly candidates: Candidates; readonly categories: readonly CategoryFilter[] },
  { throwIfCancelled }: TrendOptions,
): Candidates & { readonly documents: DocumentList } {
  const { documents, from, to } = candidates;
  const marks = markCategories(view, categories);
  const [first, second, third] = view.categories;
  const kept = takeRoom('candidates', to - from);
  let count = 0;
  for (let chunk = from; chunk < to; chunk += CHECK_EVERY) {
    throwIfCancelled();
    const end = Math.min(to, chunk + CHECK_EVERY);
    for (let i = chunk; i < end; i += 1) {
      const document = documents ? (documents[i] ?? 0) : i;
      kept[count] = document;
      const isFirst = marks[first[document] ?? NONE_16] ?? 0;
      const isSecond = marks[second[document] ?? NONE_16] ?? 0;
      count += isFirst | isSecond | (marks[third[document] ?? NONE_16] ?? 0);
    }
  }
  return { documents: kept, from: 0, to: count };
}

/** By category id: 1 for each that is wanted, 0 also for NONE_16. */
export function markCategories(view: SnapshotView, categories: readonly CategoryFilter[]): Uint8Array {
  const marks = new Uint8Array(NONE_16 + 1);
  for (const [id, name] of view.categoryNames.entries()) {
    if (categories.some((category) => matchesCategory(name, category))) marks[id] = 1;
  }
  return marks;
}
