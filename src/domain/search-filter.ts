// The filters of a search. Each stands here and nowhere else: parameters and their documentation, plans, MCP tools, the page, the
// command line and the heads of exports are made from this list. How one narrows a search is for the rank store to know.
import { type CategoryFilter, parseCategoryFilter } from './category.ts';
import type { Period } from './period.ts';
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

/** What a number of the insights is at least, or at most. A keyword without that number is never kept. */
interface MeasureFilter extends Documented {
  readonly kind: 'measure';
  readonly side: 'least' | 'most';
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
  readonly example: number;
}

/** A visible period from which on something is. */
interface PeriodFilter extends Documented {
  readonly kind: 'period';
}

export type SearchFilter = TextsFilter | BoundFilter | FlagFilter | MeasureFilter | PeriodFilter;

const MAX_CHANGE = MAX_RANK - 1;
/** Three products, 100 % each: reports bound shares one by one. */
const MAX_CONCENTRATION = 300;
/** The highest concentration beside the lowest above 0, which is a hundredth. */
const MAX_CONVERSION_TO_CLICK = MAX_CONCENTRATION * 100;

const CHANGE = { kind: 'measure', min: -MAX_CHANGE, max: MAX_CHANGE, isWhole: true } as const;
const PERCENTAGE = { kind: 'measure', min: -100 * MAX_CHANGE, max: 100, isWhole: false } as const;
const CONCENTRATION = { kind: 'measure', min: 0, max: MAX_CONCENTRATION, isWhole: false } as const;
const CONVERSION = { kind: 'measure', min: 0, max: MAX_CONVERSION_TO_CLICK, isWhole: false } as const;

/** By the plan's field. Each compares with latest_data, the summary or the insights. */
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
  minChange: {
    ...CHANGE,
    side: 'least',
    parameter: 'min_change',
    description: 'Keeps keywords whose change from the compared period to the newest one is at least this.',
    advice: 'Only terms that moved up by at least so many ranks; below 0 for falls.',
    title: 'Change from',
    example: 100,
  },
  maxChange: {
    ...CHANGE,
    side: 'most',
    parameter: 'max_change',
    description: 'Keeps keywords whose change from the compared period to the newest one is at most this.',
    advice: 'Only terms that moved up by at most so many ranks; below 0 for falls.',
    title: 'Change to',
    example: -100,
  },
  minChangePercentage: {
    ...PERCENTAGE,
    side: 'least',
    parameter: 'min_change_percentage',
    description: 'Keeps keywords whose change in percent of the earlier rank is at least this.',
    advice: 'Lowest change in percent of the earlier rank; positive is up.',
    title: 'Change in percent from',
    example: 12.5,
  },
  maxChangePercentage: {
    ...PERCENTAGE,
    side: 'most',
    parameter: 'max_change_percentage',
    description: 'Keeps keywords whose change in percent of the earlier rank is at most this.',
    advice: 'Highest change in percent of the earlier rank; positive is up.',
    title: 'Change in percent to',
    example: 50,
  },
  minYearChange: {
    ...CHANGE,
    side: 'least',
    parameter: 'min_year_change',
    description: 'Keeps keywords whose change within a year is at least this.',
    advice: 'Only terms that moved up within a year by at least so many ranks.',
    title: 'Change in a year from',
    example: 100,
  },
  maxYearChange: {
    ...CHANGE,
    side: 'most',
    parameter: 'max_year_change',
    description: 'Keeps keywords whose change within a year is at most this.',
    advice: 'Only terms that moved up within a year by at most so many ranks.',
    title: 'Change in a year to',
    example: -100,
  },
  minClickConcentration: {
    ...CONCENTRATION,
    side: 'least',
    parameter: 'min_click_concentration',
    description: 'Keeps keywords whose click concentration, in percent, is at least this.',
    advice: 'Lowest sum of the top click shares, in percent.',
    title: 'Click concentration from',
    example: 20,
  },
  maxClickConcentration: {
    ...CONCENTRATION,
    side: 'most',
    parameter: 'max_click_concentration',
    description: 'Keeps keywords whose click concentration, in percent, is at most this.',
    advice: 'Highest sum of the top click shares, in percent: low ones are open markets.',
    title: 'Click concentration to',
    example: 60,
  },
  minConversionToClick: {
    ...CONVERSION,
    side: 'least',
    parameter: 'min_conversion_to_click',
    description: 'Keeps keywords whose conversion to click is at least this.',
    advice: 'Lowest ratio of conversion to click shares, for example 0.5.',
    title: 'Conversion to click from',
    example: 0.5,
  },
  maxConversionToClick: {
    ...CONVERSION,
    side: 'most',
    parameter: 'max_conversion_to_click',
    description: 'Keeps keywords whose conversion to click is at most this.',
    advice: 'Highest ratio of conversion to click shares, for example 1.5.',
    title: 'Conversion to click to',
    example: 1.5,
  },
  firstSeenSince: {
    kind: 'period',
    parameter: 'first_seen_since',
    description: 'Keeps keywords whose first visible rank is in this period or a later one.',
    advice: 'Only terms that were first ranked in this period or later, for example 05-2026.',
    title: 'First seen since',
  },
  titleGap: {
    kind: 'flag',
    parameter: 'title_gap',
    description: 'Keep only keywords with a word that stands in none of the titles of their latest products.',
    advice: 'true: only terms with a word that no title of their top products has.',
    title: 'A word is in no title',
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

export type CommonFilterField = FilterField<'flag' | 'measure' | 'period'>;

/** Those of every search, also of one that has no words. */
export const COMMON_FILTERS = Object.fromEntries(
  Object.entries(SEARCH_FILTERS).filter(([, { kind }]) => kind !== 'texts' && kind !== 'bound'),
) as Pick<SearchFilters, CommonFilterField>;

/** What a caller gives to a filter. */
export type FilterValue<Filter extends SearchFilter> = Filter extends TextsFilter
  ? readonly string[]
  : Filter extends BoundFilter | MeasureFilter
    ? number | undefined
    : Filter extends PeriodFilter
      ? string | undefined
      : boolean;

/** As typed. What is left out filters nothing. */
export type FilterQuery = {
  readonly [F in keyof SearchFilters]?: FilterValue<SearchFilters[F]> | undefined;
};

/** Undefined, false and empty lists filter nothing. */
export type Filters = {
  readonly [F in keyof SearchFilters]: SearchFilters[F] extends { readonly plan: (texts: never) => infer Planned }
    ? Planned
    : SearchFilters[F] extends PeriodFilter
      ? Period | undefined
      : FilterValue<SearchFilters[F]>;
};

/** Reads the key of a period that a parameter names; throws when the caller cannot see it. */
export type ReadPeriod = (key: string, parameter: string) => Period;

export function planFilterQuery<Field extends keyof SearchFilters>(
  filters: Pick<SearchFilters, Field>,
  query: FilterQuery,
  readPeriod: ReadPeriod = refusePeriod,
): Pick<Filters, Field> {
  const planned = Object.entries<SearchFilter>(filters).map(([field, filter]) => {
    const given = query[field as Field];
    if (filter.kind === 'texts') return [field, filter.plan((given ?? []) as readonly string[])];
    if (filter.kind === 'period' && typeof given === 'string') return [field, readPeriod(given, filter.parameter)];
    return [field, given ?? (filter.kind === 'flag' ? false : undefined)];
  });
  return Object.fromEntries(planned) as Pick<Filters, Field>;
}

export const NO_FILTERS: Filters = planFilterQuery(SEARCH_FILTERS, {});

function refusePeriod(key: string): never {
  throw new Error(`nobody reads the period ${key}`);
}

/** Whether none of them filters anything. */
export function isUnfiltered(filters: Readonly<Record<string, unknown>>): boolean {
  return Object.values(filters).every((value) =>
    Array.isArray(value) ? value.length === 0 : value === undefined || value === false,
  );
}

/** The form in which brand names are compared. Parameters are trimmed, and so must be what reports name. */
export function foldBrand(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/** In upper case, each once. */
export function distinctAsins(asins: readonly string[]): readonly string[] {
  return [...new Set(asins.map((asin) => asin.toUpperCase()))];
}
