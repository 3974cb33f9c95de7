// Which documents of the newest period a trend plan's filters leave. They stand in the order of their rank, so a bound on the
// rank is a place in the list; only words and categories need a list of their own.
import { type CategoryFilter, matchesCategory } from '../domain/category.ts';
import type { Period } from '../domain/period.ts';
import type { TrendFilters } from '../domain/trend.ts';
import { countBelow, type DocumentList } from './document-list.ts';
import { NONE_32 } from './format.ts';
import { findMatches } from './matches.ts';
import { findWindow } from './plan-window.ts';
import { takeRoom } from './scratch-room.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { findBytes, textEnd, textStart } from './text-column.ts';

/** The members from `from` to `to` of the list, or of all documents when there is none. Ascending. */
export interface Candidates {
  readonly documents: DocumentList | undefined;
  readonly from: number;
  readonly to: number;
}

export interface TrendOptions {
  readonly throwIfCancelled: () => void;
}

interface CandidatePlan {
  readonly window: readonly Period[];
  readonly filters: TrendFilters;
}

/** Documents between two looks at the cancellation flag. */
export const CHECK_EVERY = 65_536;

export function findCandidates(view: SnapshotView, plan: CandidatePlan, options: TrendOptions): Candidates {
  const ranked = findRankedCandidates(view, plan, options);
  const { categories } = plan.filters;
  return categories.length === 0 ? ranked : keepCategories(view, { candidates: ranked, categories }, options);
}

/** Social reports name no categories: those of the retail keyword count, as far as it is visible. */
export function findSocialCandidates(
  view: SnapshotView,
  plan: CandidatePlan & { readonly retailWindow: readonly Period[] },
  { retail, ...options }: TrendOptions & { readonly retail: SnapshotView | undefined },
): Candidates {
  const { documents, from, to } = findRankedCandidates(view, plan, options);
  const { categories } = plan.filters;
  if (categories.length === 0) return { documents, from, to };
  const visibleCount = (retail && findWindow(retail, { window: plan.retailWindow })?.visibleCount) ?? 0;
  const marks = retail ? markCategories(retail, categories) : new Uint8Array(0);
  const kept = takeRoom('candidates', to - from);
  let count = 0;
  for (let i = from; i < to; i += 1) {
    if (i % CHECK_EVERY === 0) options.throwIfCancelled();
    const document = documents ? (documents[i] ?? 0) : i;
    const twin = retail ? findTwin(view, { retail, document }) : NONE_32;
    if (twin >= visibleCount) continue;
    kept[count] = document;
    count += retail?.categories.some((column) => marks[column[twin] ?? 0] === 1) ? 1 : 0;
  }
  return { documents: kept, from: 0, to: count };
}

/** The retail document of the same term, or NONE_32. */
function findTwin(
  { terms, documentSlots }: SnapshotView,
  { retail, document }: { readonly retail: SnapshotView; readonly document: number },
): number {
  const term = documentSlots[document] ?? 0;
  const range = { bytes: terms.bytes, start: textStart(terms, term), end: textEnd(terms, term) };
  const slot = findBytes(retail.termIndex, retail.terms, range);
  return slot === undefined ? NONE_32 : (retail.slotDocuments[slot] ?? NONE_32);
}

function findRankedCandidates(
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
      filters: {
        ...{ brands: [], asins: [], categories: [], isNewestOnly: true },
        ...{ minRank: undefined, maxRank: undefined, minWords: undefined, maxWords: undefined },
      },
      order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
      offset: 0,
      limit: 0,
    },
    window: planWindow,
    throwIfCancelled,
  });
  return { documents, from: countBelow(documents, first), to: countBelow(documents, end) };
}

function keepCategories(
  view: SnapshotView,
  { candidates, categories }: { readonly candidates: Candidates; readonly categories: readonly CategoryFilter[] },
  { throwIfCancelled }: TrendOptions,
): Candidates {
  const { documents, from, to } = candidates;
  const marks = markCategories(view, categories);
  const [first, second, third] = view.categories;
  const kept = takeRoom('candidates', to - from);
  let count = 0;
  for (let i = from; i < to; i += 1) {
    if (i % CHECK_EVERY === 0) throwIfCancelled();
    const document = documents ? (documents[i] ?? 0) : i;
    const isKept =
      marks[first[document] ?? 0] === 1 || marks[second[document] ?? 0] === 1 || marks[third[document] ?? 0] === 1;
    kept[count] = document;
    count += isKept ? 1 : 0;
  }
  return { documents: kept, from: 0, to: count };
}

/** 1 for each category that is wanted. What stands for no category is behind all of them. */
function markCategories(view: SnapshotView, categories: readonly CategoryFilter[]): Uint8Array {
  return Uint8Array.from(view.categoryNames, (name) =>
    categories.some((category) => matchesCategory(name, category)) ? 1 : 0,
  );
}
