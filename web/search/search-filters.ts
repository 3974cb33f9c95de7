// The filters that the API has, and how the page names those that it has better words for.
import { SEARCH_FILTERS } from '../api/operations.ts';
import { CATEGORY_BUCKETS } from '../parts/categories.ts';
import { formatNumber, formatPeriodShort } from '../parts/format.ts';

export interface ListFilter {
  readonly param: string;
  readonly name: string;
  /** Before the value on a chip. */
  readonly word: string;
  readonly placeholder: string;
  readonly choices?: readonly string[];
}

/** From `min` to `max`, where there is such a bound. */
export interface RangeFilter {
  readonly min?: string;
  readonly max?: string;
  readonly name: string;
  readonly unit: string;
}

/** What stands beside the filters: words to leave out. */
export const EXCLUDE: ListFilter = {
  param: 'exclude_query',
  name: 'Exclude',
  word: 'without',
  placeholder: 'Words to leave out',
};

export interface FlagFilter {
  readonly param: string;
  readonly name: string;
  readonly hint: string;
}

const LIST_WORDS: Readonly<Record<string, Partial<ListFilter>>> = {
  brand: { placeholder: 'for example Anker' },
  category: { word: 'in', placeholder: 'Choose or type a category', choices: CATEGORY_BUCKETS },
  product: { name: 'ASIN', word: 'ASIN', placeholder: 'for example B0CHX1W1XY' },
};
const FLAG_WORDS: Readonly<Record<string, Partial<FlagFilter>>> = {
  title_gap: { name: 'Title gap', hint: 'Only keywords with a word that stands in no title of the top products' },
  exclude_nulls: { name: 'Newest only', hint: 'Only keywords that have a rank in the newest period' },
};

const RANGE_WORDS: Readonly<Record<string, string>> = {
  change_percentage: 'change in percent',
  year_change: 'year on year',
  click_concentration: 'concentration',
};

const ofKind = (kind: string) => SEARCH_FILTERS.filter((filter) => filter.kind === kind);

export const LIST_FILTERS: readonly ListFilter[] = ofKind('texts').map(({ parameter, title }) => {
  return { param: parameter, name: title, word: title.toLowerCase(), placeholder: '', ...LIST_WORDS[parameter] };
});

export const FLAG_FILTERS: readonly FlagFilter[] = ofKind('flag').map(({ parameter, title }) => {
  return { param: parameter, name: title, hint: title, ...FLAG_WORDS[parameter] };
});

/** Two bounds of one thing are one range: `min_rank` and `max_rank` are those of the rank. */
export const BOUND_FILTERS: readonly RangeFilter[] = listRanges(ofKind('bound').map(({ parameter }) => parameter));
/** What is computed from ranks and shares; may be below zero. */
export const MEASURE_FILTERS: readonly RangeFilter[] = listRanges(ofKind('measure').map(({ parameter }) => parameter));
export const RANGE_FILTERS = [...BOUND_FILTERS, ...MEASURE_FILTERS];
export const PERIOD_FILTERS: readonly { readonly param: string; readonly name: string }[] = ofKind('period').map(
  ({ parameter, title }) => ({ param: parameter, name: title }),
);

function listRanges(names: readonly string[]): readonly RangeFilter[] {
  const things = new Set(names.map((name) => name.replace(/^(min|max)_/, '')));
  return [...things].map((thing) => {
    const unit = RANGE_WORDS[thing] ?? thing.replaceAll('_', ' ');
    const [min, max] = [`min_${thing}`, `max_${thing}`];
    return {
      ...(names.includes(min) ? { min } : {}),
      ...(names.includes(max) ? { max } : {}),
      name: unit.charAt(0).toUpperCase() + unit.slice(1),
      unit,
    };
  });
}

export function boundsOf({ min, max }: RangeFilter, params: URLSearchParams): readonly (string | null)[] {
  return [min, max].map((name) => (name === undefined ? null : params.get(name)));
}

/** "10–500", "up to 500"; undefined where neither bound is set. */
export function describeRange(range: RangeFilter, params: URLSearchParams): string | undefined {
  const [min, max] = boundsOf(range, params);
  if (!min && !max) return undefined;
  return min && max ? `${show(min)}–${show(max)}` : min ? `from ${show(min)}` : `up to ${show(max ?? '')}`;
}

function show(value: string): string {
  return Number.isNaN(Number(value)) ? value : formatNumber(Number(value));
}

export function describePeriod(period: string, params: URLSearchParams): string {
  return formatPeriodShort(period, params.get('type') === 'weekly' ? 'weekly' : 'monthly');
}

/** All that narrows a search, in the words of the chips. */
export function describeFilters(params: URLSearchParams): readonly string[] {
  return [
    ...[...LIST_FILTERS, EXCLUDE].flatMap(({ param, word }) => params.getAll(param).map((value) => `${word} ${value}`)),
    ...RANGE_FILTERS.flatMap((range) => {
      const text = describeRange(range, params);
      return text === undefined ? [] : [`${range.unit} ${text}`];
    }),
    ...PERIOD_FILTERS.flatMap(({ param, name }) =>
      params.getAll(param).map((period) => `${name.toLowerCase()} ${describePeriod(period, params)}`),
    ),
    ...FLAG_FILTERS.flatMap(({ param, name }) => (params.get(param) === 'true' ? [name.toLowerCase()] : [])),
  ];
}
