// What a rank store promises. Implementers: the snapshot engine (src/snapshot/), and the oracle of the tests, which is slow
// and obvious. One test suite runs on both, and every promise below is a test there.
//
// Order. Results come in the plan's order. Nulls (a keyword without a rank in the ordering period) are last in both
// directions. Ties break by latest rank, then by normalised term in code point order, both ascending; best_match puts the
// newer latest period before that. So the order is total: pages never repeat or miss a keyword.
//
// Trends. The lists compare rank columns, are filtered and ordered as trend.ts says; their order is total too.
//
// Totals. `totalCount` is exact for every plan and every page, also past the end.
//
// Window. Nothing in an answer depends on a period outside of `plan.window`: not the words that count as known, not the
// weights of fts_rank, not a summary. With the hidden data deleted every answer is byte-equal.
//
// One snapshot. A view is one state of the data. A publish in the meantime does not change it; requests in flight finish on
// the view that they opened. Views must be closed, or the old state is never freed.
//
// Cancellation. When the signal aborts, the promise rejects with its reason soon, and the work stops.
import type { Cancellation } from './cancellation.ts';
import { RequestError } from './error.ts';
import type { ExportFile } from './keyword-export.ts';
import type { Frequency, Period } from './period.ts';
import type { SearchPlan } from './search-plan.ts';
import type { SuggestionPlan } from './suggestion.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from './trend.ts';

export const RANK_SOURCES = ['search', 'social'] as const;
export type RankSource = (typeof RANK_SOURCES)[number];

/** What is published together and searched together. */
export interface RankSet {
  readonly marketplace: string;
  readonly frequency: Frequency;
  readonly source: RankSource;
}

export interface RankStore extends AsyncDisposable {
  /** Throws a StoreOverloadError when a search of this owner would have to wait too long. */
  checkRoom(owner?: string): void;
  /** The sets that have at least one published period. */
  listSets(): readonly RankSet[];
  /** The set's current state; undefined when nothing of it is published. Owners take turns: none waits for all of another. */
  openView(set: RankSet, owner?: string): RankView | undefined;
}

export interface ExportOptions {
  readonly file: ExportFile;
  readonly signal?: Cancellation | undefined;
  /** Called now and then with the number of rows that are written. */
  readonly onRows?: ((rowCount: number) => void) | undefined;
}

export interface RankView extends Disposable {
  readonly set: RankSet;
  /** All published periods, oldest first. Plans are made for these. */
  readonly periods: readonly Period[];
  searchPage(plan: SearchPlan, options: SearchPageOptions): Promise<SearchPage>;
  /** The rows of the plan's slice, in order, as a file that is written only as fast as it is read. */
  openExport(plan: SearchPlan, options: ExportOptions): AsyncGenerator<Uint8Array>;
  listChanges(plan: ChangePlan, options: { readonly signal?: Cancellation }): Promise<TrendPage<ChangeRow>>;
  /** `retail` is the view that categories are looked up in; without one no term has any. */
  listSocialRanks(
    plan: SocialPlan,
    options: { readonly retail: RankView | undefined; readonly signal?: Cancellation },
  ): Promise<TrendPage<SocialRow>>;
  listNewTerms(plan: NewPlan, options: { readonly signal?: Cancellation }): Promise<TrendPage<NewRow>>;
  /** One per term of the plan; null where the term has no visible rank. */
  listLatestRanks(
    plan: LatestRankPlan,
    options: { readonly signal?: Cancellation },
  ): Promise<readonly (number | null)[]>;
  /** One list per term of the plan: its rank in each period of the window, oldest first, null where it has none. */
  listTermRanks(
    plan: LatestRankPlan,
    options: { readonly signal?: Cancellation },
  ): Promise<readonly (readonly (number | null)[])[]>;
  /** One per normalised term: whether it is among all results of the plan, whatever the plan's slice. */
  listMatches(
    query: { readonly plan: SearchPlan; readonly terms: readonly string[] },
    options: { readonly signal?: Cancellation },
  ): Promise<readonly boolean[]>;
  /** Terms as imported: those of the newer latest period first, then by latest rank, then by normalised term. */
  listSuggestions(plan: SuggestionPlan, options: { readonly signal?: Cancellation }): Promise<readonly string[]>;
}

export interface SearchPageOptions {
  readonly signal?: Cancellation;
  /** What stands around the data in the answer; nothing unless given. */
  readonly frame?: (totalCount: number) => { readonly before: string; readonly after: string };
}

export interface SearchPage {
  /** All matches, not those of this page. */
  readonly totalCount: number;
  /** UTF-8 JSON of the `data` array (SearchResult[] of Spec 2.3) within its frame, ready to be sent. */
  readonly json: Buffer;
  /** Says that nobody looks at the JSON any longer, so that other pages may use its memory. Need not be said. */
  readonly release: () => void;
}

export interface SearchRow {
  readonly searchTerm: string;
  readonly normalizedSearchTerm: string;
  /** One per period of the plan's window, oldest first; null where the keyword has no rank. */
  readonly ranks: readonly (number | null)[];
  readonly totalPeriods: number;
  readonly bestRank: number;
  readonly worstRank: number;
  /** Rounded half up to two decimals. */
  readonly avgRank: number;
  readonly latestRank: number;
  readonly latestPeriod: Period;
  readonly brands: readonly string[];
  readonly products: readonly SearchRowProduct[];
  readonly categories: readonly string[];
}

export interface SearchRowProduct {
  readonly asin: string;
  readonly title: string;
  /** Percent, 0 to 100; null when the report left it blank. */
  readonly clickShare: number | null;
  readonly conversionShare: number | null;
}

export interface TrendPage<Row> {
  /** All that the plan lists, not those of this page. */
  readonly totalCount: number;
  readonly rows: readonly Row[];
}

export interface ChangeRow {
  /** As imported, in the newest visible form. */
  readonly searchTerm: string;
  readonly previousRank: number;
  readonly currentRank: number;
}

export interface SocialRow {
  readonly searchTerm: string;
  readonly normalizedSearchTerm: string;
  /** One per period of the plan's span, oldest first; the first and the last are never null. */
  readonly ranks: readonly (number | null)[];
  readonly startRank: number;
  readonly endRank: number;
}

export interface NewRow {
  /** As imported. */
  readonly searchTerm: string;
  readonly currentRank: number;
}

/** Too many searches wait already. The caller should come again, not queue up. */
export class StoreOverloadError extends RequestError {
  constructor(retryAfterSeconds: number) {
    const message = 'The service has too many searches to answer this one now.';
    super('SERVICE_UNAVAILABLE', message, 'Try again shortly.', { retryAfterSeconds });
    this.name = 'StoreOverloadError';
  }
}
