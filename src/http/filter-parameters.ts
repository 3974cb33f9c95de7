// The filters of domain/search-filter.ts as parameters of the API.
import {
  type FilterField,
  type FilterValue,
  SEARCH_FILTERS,
  type SearchFilter,
  type SearchFilters,
  TREND_FILTERS,
  type TrendFilterField,
} from '../domain/search-filter.ts';
import { flag, integer, type Parameter, signedNumber, textList } from './parameters.ts';
import { periodParameter } from './period-parameter.ts';

type FilterParameters<Field extends keyof SearchFilters> = {
  readonly [F in Field as SearchFilters[F]['parameter']]: Parameter<FilterValue<SearchFilters[F]>>;
};
/** The filters of one kind, as keyword search documents them. */
export function searchFilterParameters<Kind extends SearchFilter['kind']>(
  kind: Kind,
): FilterParameters<FilterField<Kind>> {
  const ofKind = Object.values<SearchFilter>(SEARCH_FILTERS).filter((filter) => filter.kind === kind);
  return toParameters(ofKind, ({ description }) => description);
}

/** `rank` is the element's field that the bounds compare with. */
export function trendFilterParameters(rank: string): FilterParameters<TrendFilterField> {
  return toParameters(Object.values(TREND_FILTERS), ({ describeInTrends }) => describeInTrends(rank));
}

function toParameters<Filter extends SearchFilter, Field extends keyof SearchFilters>(
  filters: readonly Filter[],
  describe: (filter: Filter) => string,
): FilterParameters<Field> {
  const parameters = filters.map((filter) => [filter.parameter, toParameter(filter, describe(filter))]);
  return Object.fromEntries(parameters) as FilterParameters<Field>;
}

/** What was given, by the domain's name of each filter. */
export function readFilters<Field extends keyof SearchFilters>(
  filters: Pick<SearchFilters, Field>,
  values: Readonly<Record<string, unknown>>,
): { readonly [F in Field]: FilterValue<SearchFilters[F]> } {
  const given: Record<string, unknown> = {};
  for (const field in filters) given[field] = values[(filters[field] as SearchFilter).parameter];
  return given as { readonly [F in Field]: FilterValue<SearchFilters[F]> };
}

function toParameter(filter: SearchFilter, description: string): Parameter<unknown> {
  switch (filter.kind) {
    case 'texts':
      return textList(description, { examples: [filter.example] });
    case 'bound':
      return integer(description, { min: 1, max: filter.max, absent: undefined, example: filter.example });
    case 'measure':
      return signedNumber(description, filter);
    case 'period':
      return periodParameter(description);
    case 'flag':
      return flag(description, { absent: false });
  }
}
