// The filters of a search. Each stands here and nowhere else: parameters and their documentation, plans, MCP tools, the page, the
// command line and the heads of exports are made from this list. How one narrows a search is for the rank store to know.
import { type CategoryFilter, parseCategoryFilter } from './category.ts';
import { MAX_RANK } from './ranking.ts';

const MAX_WORDS = 100;

interface Documented {
  /** Its name on the wire. */
  readonly parameter: string;
  readonly description: string;
  /** The same to an agent, which has to choose values. */
  readonly advice: string;
  /** Its name to people, before a value. */
  readonly title: string;
  /** The description where trend lists filter by it too; `rank` is the field of theirs that stands for the latest rank. */
  readonly describeInTrends?: (rank: string) => string;
}

/** One of these. */
interface TextsFilter extends Documented {
  readonly kind: 'texts';
  /** Finds something in the demo data. */
  readonly example: string;
  /** What was typed, in the form that a rank store compares with. */
  readonly plan: (texts: readonly string[]) => readonly unknown[];
}

/** A whole number from 1 that something is at least, or at most. */
interface BoundFilter extends Documented {
  readonly kind: 'bound';
  readonly side: 'least' | 'most';
  readonly max: number;
  readonly example: number;
}

interface FlagFilter extends Documented {
  readonly kind: 'flag';
}

export type SearchFilter = TextsFilter | BoundFilter | FlagFilter;

/** By the plan's field. Each compares with latest_data or the summary. */
export const SEARCH_FILTERS = {
  brands: {
    kind: 'texts',
    parameter: 'brand',
    description: 'Keeps keywords with one of these brands among their latest; case does not count.',
    advice: 'Only terms whose top products are of one of these brands.',
    title: 'Brand',
    example: 'Hollowbrook',
    plan: (names): readonly string[] => [...new Set(names.map(foldBrand))],
  },
  asins: {
    kind: 'texts',
    parameter: 'product',
    description: 'Keeps keywords with one of these ASINs among their latest products.',
    advice: 'Only terms with one of these ASINs among their top products.',
    title: 'Product',
    example: 'B0DDBYMN4X',
    plan: distinctAsins,
  },
  categories: {
    kind: 'texts',
    parameter: 'category',
    description: 'Keeps keywords of these category buckets or stored categories; unmatched values mean Other.',
    describeInTrends: () =>
      'Keeps keywords of these category buckets or stored categories, as in keyword search; unmatched values mean Other.',
    advice: 'Only terms of one of these categories, for example Kitchen.',
    title: 'Category',
    example: 'Apparel, Shoes & Jewelry',
    plan: (names): readonly CategoryFilter[] => names.map(parseCategoryFilter),
  },
  excludeNulls: {
    kind: 'flag',
    parameter: 'exclude_nulls',
    description: 'Keep only keywords that have a rank in the newest published period.',
    advice: 'true: only terms ranked in the newest period.',
    title: 'Only ranked in the newest period',
  },
  minRank: {
    kind: 'bound',
    side: 'least',
    parameter: 'min_rank',
    description: 'Keeps keywords whose latest rank is at least this.',
    describeInTrends: (rank) => `Keeps keywords whose ${rank} is at least this.`,
    advice: 'Lowest rank number wanted; 1 is the most searched.',
    title: 'Rank from',
    max: MAX_RANK,
    example: 1,
  },
  maxRank: {
    kind: 'bound',
    side: 'most',
    parameter: 'max_rank',
    description: 'Keeps keywords whose latest rank is at most this.',
    describeInTrends: (rank) => `Keeps keywords whose ${rank} is at most this.`,
    advice: 'Highest rank number wanted, for example 10000.',
    title: 'Rank to',
    max: MAX_RANK,
    example: 10_000,
  },
  minWords: {
    kind: 'bound',
    side: 'least',
    parameter: 'min_words',
    description: 'Keeps terms of at least this many words.',
    advice: 'Only terms of at least this many words.',
    title: 'Words from',
    max: MAX_WORDS,
    example: 2,
  },
  maxWords: {
    kind: 'bound',
    side: 'most',
    parameter: 'max_words',
    description: 'Keeps terms of at most this many words.',
    advice: 'Only terms of at most this many words.',
    title: 'Words to',
    max: MAX_WORDS,
    example: 5,
  },
} as const satisfies Readonly<Record<string, SearchFilter>>;

export type SearchFilters = typeof SEARCH_FILTERS;
export type FilterField<Kind extends SearchFilter['kind']> = {
  [F in keyof SearchFilters]: SearchFilters[F]['kind'] extends Kind ? F : never;
}[keyof SearchFilters];

type InTrends = { readonly describeInTrends: (rank: string) => string };
export type TrendFilterField = {
  [F in keyof SearchFilters]: SearchFilters[F] extends InTrends ? F : never;
}[keyof SearchFilters];

/** Those of the trend lists. */
export const TREND_FILTERS = Object.fromEntries(
  Object.entries(SEARCH_FILTERS).filter(([, filter]) => 'describeInTrends' in filter),
) as Pick<SearchFilters, TrendFilterField>;

/** What a caller gives to a filter. */
export type FilterValue<Filter extends SearchFilter> = Filter extends TextsFilter
  ? readonly string[]
  : Filter extends BoundFilter
    ? number | undefined
    : boolean;

/** As typed. What is left out filters nothing. */
export type FilterQuery = {
  readonly [F in keyof SearchFilters]?: FilterValue<SearchFilters[F]> | undefined;
};

/** Undefined, false and empty lists filter nothing. */
export type Filters = {
  readonly [F in keyof SearchFilters]: SearchFilters[F] extends { readonly plan: (texts: never) => infer Planned }
    ? Planned
    : FilterValue<SearchFilters[F]>;
};

export function planFilterQuery<Field extends keyof SearchFilters>(
  filters: Pick<SearchFilters, Field>,
  query: FilterQuery,
): Pick<Filters, Field> {
  const planned = Object.entries<SearchFilter>(filters).map(([field, filter]) => {
    const given = query[field as Field];
    if (filter.kind === 'texts') return [field, filter.plan((given ?? []) as readonly string[])];
    return [field, given ?? (filter.kind === 'flag' ? false : undefined)];
  });
  return Object.fromEntries(planned) as Pick<Filters, Field>;
}

export const NO_FILTERS: Filters = planFilterQuery(SEARCH_FILTERS, {});

/** Whether none of them filters anything. */
export function isUnfiltered(filters: Readonly<Record<string, unknown>>): boolean {
  return Object.values(filters).every((value) => (Array.isArray(value) ? value.length === 0 : !value));
}

/** The form in which brand names are compared. */
export function foldBrand(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** In upper case, each once. */
export function distinctAsins(asins: readonly string[]): readonly string[] {
  return [...new Set(asins.map((asin) => asin.toUpperCase()))];
}
