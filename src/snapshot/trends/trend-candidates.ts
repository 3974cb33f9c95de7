// Which documents of the newest period a trend plan's filters leave. They stand in the order of their rank, so a bound on the
// rank is a place in the list; only words and categories need a list of their own.
import type { CategoryFilter } from '../../domain/category.ts';
import { NO_COMPARISON } from '../../domain/comparison.ts';
import type { Period } from '../../domain/period.ts';
import { NO_FILTERS } from '../../domain/search-filter.ts';
import type { TrendFilters } from '../../domain/trend.ts';
import type { SnapshotView, Summaries } from '../format/snapshot-view.ts';
import { takeRoom } from '../query/arena.ts';
import { keepMarkedCategories, markCategories } from '../query/category-filter.ts';
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
export function findRankedCandidates(view: SnapshotView, plan: CandidatePlan, options: TrendOptions): Candidates {
  const { from, to } = boundRanks(view.latestRanks.subarray(0, view.periodEnds[0] ?? 0), plan.filters);
  if (plan.filters.queries.length === 0) return { documents: undefined, from, to };
  const documents = listMatching(view, { ...plan, excludeNulls: true }, options);
  return { documents, from: countBelow(documents, from), to: countBelow(documents, to) };
}

function boundRanks(
  ranks: Uint32Array,
  { minRank, maxRank }: TrendFilters,
): { readonly from: number; readonly to: number } {
  const from = minRank === undefined ? 0 : countBelow(ranks, minRank);
  return { from, to: Math.max(from, maxRank === undefined ? ranks.length : countBelow(ranks, maxRank + 1)) };
}

/** Visible documents with the words, ascending. */
export function listMatching(
  view: SnapshotView,
  { window, filters, excludeNulls }: CandidatePlan & { readonly excludeNulls: boolean },
  { throwIfCancelled }: TrendOptions,
): DocumentList {
  const planWindow = findWindow(view, { window });
  if (!planWindow) return new Uint32Array(0);
  const { documents } = findMatches({
    view,
    plan: {
      window,
      match: { kind: 'similar', queries: filters.queries, excluded: [] },
      filters: { ...NO_FILTERS, excludeNulls },
      order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
      comparison: NO_COMPARISON,
      includesInsights: false,
      offset: 0,
      limit: 0,
    },
    window: planWindow,
    throwIfCancelled,
  });
  return documents;
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
  const { from, to } = candidates;
  const marks = markCategories(view, categories);
  const kept = { documents: takeRoom('candidates', to - from), count: 0 };
  for (let start = from; start < to; start += CHUNK) {
    throwIfCancelled();
    const documents = readChunk(candidates, { start, end: Math.min(to, start + CHUNK) });
    keepMarkedCategories(kept, documents, { view, marks, owners: documents });
  }
  return { documents: kept.documents, from: 0, to: kept.count };
}

/** Documents between two looks at the cancellation flag; their numbers fit in the cache. */
export const CHUNK = 4096;

/** Some of the candidates, in memory that the next call uses again. */
export function readChunk(
  { documents }: Candidates,
  { start, end }: { readonly start: number; readonly end: number },
): DocumentList {
  if (documents) return documents.subarray(start, end);
  const chunk = takeRoom('chunk', CHUNK);
  for (let i = start; i < end; i += 1) chunk[i - start] = i;
  return chunk.subarray(0, end - start);
}
