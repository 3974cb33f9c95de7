// Who holds keywords: a product or a brand that a report names for them, at one of its three places. Planning settles the periods, so
// that a rank store never has to know about plans.
//
// One keyword, one standing. Where a report names a holder twice for one keyword, the better place counts. Products are told apart by
// their id, brands by their name without regard to case. In one period a product has one title and a brand one spelling.
//
// Texts. Titles are the newest that is not blank, and spellings the newest, of the visible periods.
//
// Order. Nulls are last in both directions. Ties break by search rank, then by normalised term in code point order, both ascending.
import { invalidParameter } from './error.ts';
import { comparePeriods, type Frequency, isSamePeriod, type Period } from './period.ts';
import { type Plan, visibleWindow } from './plan.ts';
import { parseQueryTexts, type QueryText } from './query-text.ts';
import { distinctAsins, foldBrand } from './search-filter.ts';
import type { OrderDirection } from './search-query.ts';
import type { SearchRowProduct } from './search-row.ts';
import { normalizeTerm } from './term.ts';
import { parseVisiblePeriod } from './visible-period.ts';

export type Holder =
  /** As products are stored, in upper case. */
  | { readonly kind: 'product'; readonly asin: string }
  /** Folded. */
  | { readonly kind: 'brand'; readonly name: string };

/**
 * Of a period and the visible one before it: keywords that are held in the period, of these the ones that were not held before, those
 * held before and no longer, and all of them.
 */
export const HELD_STATUSES = ['held', 'entered', 'left', 'all'] as const;
export type HeldStatus = (typeof HELD_STATUSES)[number];

/** The orders of the keywords of a product, each with the direction that puts the best first. */
export const HELD_ORDERS = {
  search_rank: 'asc',
  place: 'asc',
  click_share: 'desc',
  conversion_share: 'desc',
  share_change: 'desc',
  since: 'asc',
} as const satisfies Readonly<Record<string, OrderDirection>>;
export type HeldOrder = keyof typeof HELD_ORDERS;
/** Reports give brands no shares. */
export const BRAND_ORDERS = ['search_rank', 'place', 'since'] as const satisfies readonly HeldOrder[];

/** Keywords that all of the products hold, that one of them holds, or that others hold and the first does not. */
export const COMPARE_MODES = ['shared', 'any', 'gap'] as const;
export type CompareMode = (typeof COMPARE_MODES)[number];
export const MIN_COMPARED = 2;
export const MAX_COMPARED = 10;

/** Brands and categories that are shown of those named beside a holder. */
export const MAX_NAMED_BESIDE = 10;

interface WindowPlan {
  /** The visible periods, oldest first. Nothing outside of them may show in the answer. */
  readonly window: readonly Period[];
}

/** Asks for what reports say of one term. */
export interface TermHistoryPlan extends WindowPlan {
  /** Normalised. */
  readonly term: string;
}

export interface HolderPlan extends WindowPlan {
  readonly holder: Holder;
}

interface PeriodListPlan extends WindowPlan {
  /** Undefined when it was never published: then nothing is listed. */
  readonly period: Period | undefined;
  /** Distinct; none filters nothing. They mean what they mean in a keyword search over the window. */
  readonly queries: readonly QueryText[];
  readonly offset: number;
  readonly limit: number;
}

export interface HeldKeywordPlan extends HolderPlan, PeriodListPlan {
  /** The visible period before `period`; without one nothing has entered or left. */
  readonly previous: Period | undefined;
  readonly status: HeldStatus;
  readonly order: { readonly field: HeldOrder; readonly direction: OrderDirection };
}

export interface ComparePlan extends PeriodListPlan {
  /** Distinct. */
  readonly asins: readonly string[];
  readonly mode: CompareMode;
  /** Of the search rank, which orders the list. */
  readonly direction: OrderDirection;
}

/** What a period's report says of a term. */
export interface TermPeriod {
  /** Null where the term has none, and then it has no products or brands either. */
  readonly rank: number | null;
  /** In the order of their places. */
  readonly products: readonly SearchRowProduct[];
  /** As the period's report spells them. */
  readonly brands: readonly string[];
}

export interface HolderSummary {
  /** The product's id, or the brand's spelling. */
  readonly name: string;
  /** Of a product; empty when none is known. */
  readonly title: string;
  /** Named beside it in the newest visible period in which it holds keywords, the most frequent first; without itself. */
  readonly brands: readonly NamedCount[];
  readonly categories: readonly NamedCount[];
  /** One per period of the window, oldest first; null where it holds no keyword. */
  readonly periods: readonly (HolderPeriod | null)[];
  /** Keywords, between the two newest periods of the window; null when it has only one. */
  readonly entered: number | null;
  readonly left: number | null;
}

export interface NamedCount {
  readonly name: string;
  /** Keywords of the holder for which the report names it. */
  readonly keywords: number;
}

export interface HolderPeriod {
  /** Keywords by place. */
  readonly places: readonly [number, number, number];
  /** Of all its keywords, in percent; null when none is known, as of brands. */
  readonly clickShareSum: number | null;
  readonly knownClickShares: number;
  /** The one with the lowest search rank, of equal ones the first in the order of terms. */
  readonly best: { readonly searchTerm: string; readonly rank: number; readonly place: number };
}

/** Where a holder stands for a keyword. */
export interface Standing {
  /** 1 to 3. */
  readonly place: number;
  /** Percent; null when the report left it blank, and for brands. */
  readonly clickShare: number | null;
  readonly conversionShare: number | null;
}

export interface HeldKeyword {
  /** As imported, in the newest visible form. */
  readonly searchTerm: string;
  /** In the plan's period; null when it has none. */
  readonly rank: number | null;
  readonly previousRank: number | null;
  /** Null when it left. */
  readonly standing: Standing | null;
  /** In the period before. */
  readonly previous: Standing | null;
  /** The first period of the unbroken run of visible periods that ends in the plan's period, or in the one before if it left. */
  readonly since: Period;
}

export interface ComparedKeyword {
  readonly searchTerm: string;
  readonly rank: number;
  /** One per product of the plan. */
  readonly standings: readonly (Standing | null)[];
}

export interface Comparison {
  readonly totalCount: number;
  readonly rows: readonly ComparedKeyword[];
  /** One per product of the plan, with the number of its keywords in the period, whatever the mode. */
  readonly products: readonly { readonly title: string; readonly keywords: number }[];
}

export interface HolderContext {
  readonly plan: Plan;
  readonly frequency: Frequency;
  /** The published periods of the set that is asked, in any order. */
  readonly published: readonly Period[];
}

interface PeriodListQuery {
  /** Undefined means the newest visible one. */
  readonly periodKey: string | undefined;
  readonly queries: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

export interface HeldKeywordQuery extends PeriodListQuery {
  readonly holder: Holder;
  readonly status: HeldStatus;
  readonly orderBy: HeldOrder;
  /** Undefined means the best first. */
  readonly orderDirection: OrderDirection | undefined;
}

export interface CompareQuery extends PeriodListQuery {
  readonly asins: readonly string[];
  readonly mode: CompareMode;
  readonly orderDirection: OrderDirection | undefined;
}

/** The brand of this name, however it is spelled. */
export function brandHolder(name: string): Holder {
  return { kind: 'brand', name: foldBrand(name) };
}

export function planTermHistory(term: string, context: HolderContext): TermHistoryPlan {
  return { window: visibleWindow(context), term: normalizeTerm(term) };
}

export function planHolder(holder: Holder, context: HolderContext): HolderPlan {
  return { window: visibleWindow(context), holder };
}

export function planHeldKeywords(query: HeldKeywordQuery, context: HolderContext): HeldKeywordPlan {
  const { holder, status, orderBy, orderDirection } = query;
  const list = planPeriodList(query, context);
  const { window, period } = list;
  return {
    ...list,
    holder,
    previous: period && window.findLast((each) => comparePeriods(each, period) < 0),
    status,
    order: { field: orderBy, direction: orderDirection ?? HELD_ORDERS[orderBy] },
  };
}

export function planComparison(query: CompareQuery, context: HolderContext): ComparePlan {
  const { mode, orderDirection = 'asc' } = query;
  const asins = distinctAsins(query.asins);
  if (asins.length < MIN_COMPARED) {
    const fault = `names ${asins.length} product, and at least ${MIN_COMPARED} are needed.`;
    throw invalidParameter({ name: 'asin', fault }, 'Name different products; case does not count.');
  }
  return { ...planPeriodList(query, context), asins, mode, direction: orderDirection };
}

function planPeriodList(query: PeriodListQuery, context: HolderContext): PeriodListPlan {
  const { periodKey, queries, offset, limit } = query;
  const window = visibleWindow(context);
  const { frequency } = context;
  const named =
    periodKey === undefined
      ? window.at(-1)
      : parseVisiblePeriod(periodKey, { parameter: 'period', frequency, window, otherwise: 'leave it out' });
  const period = named && window.find((each) => isSamePeriod(each, named));
  return { window, period, queries: parseQueryTexts(queries), offset, limit };
}

/** In percentage points; null unless both are known. */
export function shareChange({ standing, previous }: Pick<HeldKeyword, 'standing' | 'previous'>): number | null {
  const [now, before] = [standing?.clickShare ?? null, previous?.clickShare ?? null];
  return now === null || before === null ? null : (Math.round(now * 100) - Math.round(before * 100)) / 100;
}

/** The sum of shares that are known, in percent; null when none is. */
export function sumShares(shares: readonly (number | null)[]): number | null {
  const known = shares.filter((share) => share !== null);
  return known.length === 0 ? null : known.reduce((sum, share) => sum + Math.round(share * 100), 0) / 100;
}

/** Rounded half up to two decimals; null when no share is known. */
export function meanClickShare({
  clickShareSum,
  knownClickShares,
}: Pick<HolderPeriod, 'clickShareSum' | 'knownClickShares'>): number | null {
  if (clickShareSum === null) return null;
  return Math.round(Math.round(clickShareSum * 100) / knownClickShares) / 100;
}
