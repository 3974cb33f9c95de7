// What a rank store promises. An engine implements all of it: the snapshot engine (src/snapshot/), and the oracle of the tests
// (test/store/), which is slow and obvious. One suite runs on every engine, and every promise below is a test there.
//
// Values. An engine is asked for plans and answers with values; what they look like on the wire or in a file is not its
// business. One that can write pages and files faster than others could from its rows offers to do so (`presenter`).
//
// Order. Results come in the plan's order. Nulls (a keyword without a rank in the ordering period) are last in both
// directions. Ties break by latest rank, then by normalised term in code point order, both ascending; best_match puts the
// newer latest period before that. So the order is total: pages never repeat or miss a keyword.
//
// Trends. The lists compare rank columns, are filtered and ordered as trend.ts says; their order is total too.
//
// Products and brands. What reports name beside ranks, over all periods, is filtered, ordered and put together as holder.ts says.
//
// Totals. `totalCount` is exact for every plan and every page, also past the end.
//
// Window. A plan's window is what its `visibleWindow` is of the view's periods: any number of the newest of them, without a gap.
// Any other window is refused with an error, and never answered. Nothing in an answer depends on a period outside of the window: not the words that count as known, not the
// weights of fts_rank, not a summary. With the hidden data deleted every answer is byte-equal.
//
// Words. Plans carry texts with their words and stems (query-text.ts), for searches, trends and suggestions alike. An engine
// compares them with the words and stems of its terms, which it finds by the same rules, and parses no text of a caller.
//
// One state. A view is one state of the data. A publish in the meantime does not change it; requests in flight finish on
// the view that they opened. Views opened without a pause between them are of the same state. Views must be closed, or the old
// state is never freed.
//
// Cancellation. When the signal aborts, the promise rejects with its reason soon, and the work stops.
import type { Cancellation } from './cancellation.ts';
import { RequestError } from './error.ts';
import type {
  ComparePlan,
  Comparison,
  HeldKeyword,
  HeldKeywordPlan,
  HolderPlan,
  HolderSummary,
  TermHistoryPlan,
  TermPeriod,
} from './holder.ts';
import type { ExportFile } from './keyword-export.ts';
import type { Frequency, IsoDate, Period } from './period.ts';
import type { RootKind, RootPlan } from './root.ts';
import type { SearchPlan } from './search-plan.ts';
import type { SearchRow } from './search-row.ts';
import type { SeasonPlan } from './season.ts';
import type { SuggestionPlan } from './suggestion.ts';
import type { ProductChangePlan, ProductChanges } from './tracked-product.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from './trend.ts';

export const RANK_SOURCES = ['search', 'social'] as const;
export type RankSource = (typeof RANK_SOURCES)[number];

/** What is published together and searched together. */
export interface RankSet {
  readonly marketplace: string;
  readonly frequency: Frequency;
  readonly source: RankSource;
}

/** Equal for equal sets. */
export function rankSetKey({ marketplace, source, frequency }: RankSet): string {
  return `${marketplace}/${source}/${frequency}`;
}

export interface PeriodPlace extends Pick<RankSet, 'marketplace' | 'source'> {
  readonly period: Period;
}

/** A period as every engine knows it; where its rows lie is the engine's own. */
export interface PublishedPeriod extends PeriodPlace {
  /** 1 for the first import of a period, one more for each that replaced it. */
  readonly revision: number;
  readonly startDate: IsoDate;
  readonly endDate: IsoDate;
  readonly keywords: number;
  /** Every rank, click share and conversion share that is known. */
  readonly dataPoints: number;
  readonly publishedAt: Date;
  /** Name of the report file, without its directory. */
  readonly sourceFile: string;
  readonly warnings: readonly string[];
  /** Equal for equal content, whatever the order of rows. */
  readonly digest: string;
}

/** A revision that is published no more. While it is kept it can come back. */
export interface KeptRevision<Published extends PublishedPeriod = PublishedPeriod> {
  readonly published: Published;
  readonly endedAt: Date;
  readonly reason: 'replaced' | 'withdrawn';
}

/** What is published, for readers of periods and statistics, exports and watchers. */
export interface RankCatalog {
  /** Grows by one with every publication; 0 when nothing was ever published. */
  readonly version: number;
  /** When the newest publication happened; null when there was none. */
  readonly computedAt: Date | null;
  readonly totalDataPoints: number;
  /** Chronological within each set. */
  readonly periods: readonly PublishedPeriod[];
}

/** The rank data that a process serves. */
export interface RankStore extends AsyncDisposable {
  /** What is published, in the state that views show. It and the views change in one step, for all sets together. */
  readonly catalog: RankCatalog;
  /** The one way to hear of publications: calls the listener whenever a newer catalog is served. */
  subscribe(listener: () => void): void;
  /** Throws a StoreOverloadError when a search of this owner would have to wait too long. */
  checkRoom(owner?: string): void;
  /** The set's current state; undefined when nothing of it is published. Owners take turns: none waits for all of another. */
  openView(set: RankSet, owner?: string): RankView | undefined;
}

export interface ReadOptions {
  readonly signal?: Cancellation | undefined;
}

export interface RankView extends Disposable {
  readonly set: RankSet;
  /** The published periods, oldest first; at least one. Plans are made for these. */
  readonly periods: readonly Period[];
  /**
   * Of a social set, the retail set of the same marketplace and frequency, as of the same moment, in which social ranks look up
   * categories; undefined where there is none. Closed with this view.
   */
  readonly retail: RankView | undefined;
  /** Given where the engine can write answers by itself. */
  readonly presenter?: RankPresenter;
  search(plan: SearchPlan, options?: ReadOptions): Promise<SearchResult>;
  /** The total alone, of all pages. */
  count(plan: SearchPlan, options?: ReadOptions): Promise<number>;
  /** The rows of the plan's slice, in order and in batches, of which none is made before it is asked for. */
  streamRows(plan: SearchPlan, options?: ReadOptions): AsyncIterable<readonly SearchRow[]>;
  listChanges(plan: ChangePlan, options?: ReadOptions): Promise<TrendPage<ChangeRow>>;
  /** Without a retail set no term has a category. */
  listSocialRanks(plan: SocialPlan, options?: ReadOptions): Promise<TrendPage<SocialRow>>;
  listNewTerms(plan: NewPlan, options?: ReadOptions): Promise<TrendPage<NewRow>>;
  /** As season.ts says. */
  listSeasonal(plan: SeasonPlan, options?: ReadOptions): Promise<TrendPage<SeasonRow>>;
  /** As root.ts says. */
  listRoots(plan: RootPlan, options?: ReadOptions): Promise<TrendPage<RootRow>>;
  /** One per term of the plan; null where the term has no visible rank. */
  listLatestRanks(plan: LatestRankPlan, options?: ReadOptions): Promise<readonly (number | null)[]>;
  /** One list per term of the plan: its rank in each period of the window, oldest first, null where it has none. */
  listTermRanks(plan: LatestRankPlan, options?: ReadOptions): Promise<readonly (readonly (number | null)[])[]>;
  /** One per normalised term: whether it is among all results of the plan, whatever the plan's slice. */
  listMatches(
    query: { readonly plan: SearchPlan; readonly terms: readonly string[] },
    options?: ReadOptions,
  ): Promise<readonly boolean[]>;
  /** Terms as imported: those of the newer latest period first, then by latest rank, then by normalised term. */
  listSuggestions(plan: SuggestionPlan, options?: ReadOptions): Promise<readonly string[]>;
  /** What each period of the window says of the term, oldest first. */
  listTermPeriods(plan: TermHistoryPlan, options?: ReadOptions): Promise<readonly TermPeriod[]>;
  /** Undefined when no visible report names the product or brand. */
  findHolder(plan: HolderPlan, options?: ReadOptions): Promise<HolderSummary | undefined>;
  /** Undefined when no visible report names the product or brand. */
  listHeldKeywords(plan: HeldKeywordPlan, options?: ReadOptions): Promise<TrendPage<HeldKeyword> | undefined>;
  compareProducts(plan: ComparePlan, options?: ReadOptions): Promise<Comparison>;
  /** One per product of the plan. */
  listProductChanges(plan: ProductChangePlan, options?: ReadOptions): Promise<readonly ProductChanges[]>;
}

export type SearchResult = TrendPage<SearchRow>;

/** Writes what http/ and export/ would write from the view's rows, byte for byte. */
export interface RankPresenter {
  searchPage(plan: SearchPlan, options: SearchPageOptions): Promise<SearchPage>;
  /** The rows of the plan's slice, in order, as a file that is written only as fast as it is read. */
  openExport(plan: SearchPlan, options: ExportOptions): AsyncGenerator<Uint8Array>;
}

export interface SearchPageOptions extends ReadOptions {
  /** What stands around the data in the answer. */
  readonly frame: (totalCount: number) => { readonly before: string; readonly after: string };
}

export interface SearchPage {
  /** All matches, not those of this page. */
  readonly totalCount: number;
  /** UTF-8 JSON of the `data` array (SearchResult[] of Spec 2.3) within its frame, ready to be sent. */
  readonly json: Buffer;
  /** Says that nobody looks at the JSON any longer, so that other pages may use its memory. Need not be said. */
  readonly release: () => void;
}

export interface ExportOptions extends ReadOptions {
  readonly file: ExportFile;
  /** Called now and then with the number of rows that are written. */
  readonly onRows?: ((rowCount: number) => void) | undefined;
}

export interface TrendPage<Row> {
  /** All that the plan finds, not those of this page. */
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

export interface SeasonRow {
  /** As imported. */
  readonly searchTerm: string;
  readonly currentRank: number;
  /** 1 to 12. */
  readonly peakMonth: number;
  readonly fullYears: number;
  /** Rounded half up to two decimals. */
  readonly strength: number;
}

export interface RootRow {
  /** One folded word, or two with a space between. */
  readonly root: string;
  readonly kind: RootKind;
  readonly terms: number;
  readonly bestRank: number;
  readonly rising: number;
  readonly falling: number;
}

/** Too many searches wait already. The caller should come again, not queue up. */
export class StoreOverloadError extends RequestError {
  constructor(retryAfterSeconds: number) {
    const message = 'The service has too many searches to answer this one now.';
    super('SERVICE_UNAVAILABLE', message, 'Try again shortly.', { retryAfterSeconds });
    this.name = 'StoreOverloadError';
  }
}
