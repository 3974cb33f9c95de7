import { type CompareTo, YEAR_AGO } from '../../domain/comparison.ts';
import { PERIOD_KEY_PATTERN } from '../../domain/period.ts';
import { COMMON_FILTERS, SEARCH_FILTERS } from '../../domain/search-filter.ts';
import type { AsinQuery, OrderDirection, SearchOrder, SearchQuery, ShareOrder } from '../../domain/search-query.ts';
import { readFilters } from '../filter-parameters.ts';
import type { ParameterValues } from '../parameters.ts';
import type { asinParameters, searchParameters } from './search-parameters.ts';

type SearchValues = ParameterValues<typeof searchParameters>;
/** What has to do with how results are shown. */
type ShownValues = 'order_by' | 'order_direction' | 'include' | 'format' | 'color_threshold';

/** Parameters of keyword search in the domain's words. */
export function toSearchQuery(values: SearchValues): SearchQuery {
  return {
    ...toMatchingQuery(values),
    orderBy: toOrder<SearchOrder>(values.order_by),
    orderDirection: toDirection(values.order_direction),
    includesInsights: values.include.includes('insights'),
  };
}

/** Those that decide what is found. */
export function toMatchingQuery(
  values: Omit<SearchValues, ShownValues>,
): Omit<SearchQuery, 'orderBy' | 'orderDirection' | 'includesInsights'> {
  return {
    queries: values.query,
    method: values.method,
    excludeQueries: values.exclude_query,
    frequency: values.type,
    page: values.page,
    limit: values.limit,
    compareTo: toCompareTo(values.compare_to),
    ...readFilters(SEARCH_FILTERS, values),
  };
}

/** Parameters of the search by ASIN in the domain's words. */
export function toAsinQuery(values: ParameterValues<typeof asinParameters>): AsinQuery {
  return {
    asins: values.asin,
    frequency: values.type,
    page: values.page,
    limit: values.limit,
    orderBy: toOrder<SearchOrder | ShareOrder>(values.order_by),
    orderDirection: toDirection(values.order_direction),
    compareTo: toCompareTo(values.compare_to),
    includesInsights: values.include.includes('insights'),
    ...readFilters(COMMON_FILTERS, values),
  };
}

/** The parameter admits `year_ago` and period keys only. */
export function toCompareTo(value: string | undefined): CompareTo | undefined {
  return value === undefined || value === YEAR_AGO ? value : { periodKey: value };
}

/** The parameter admits the field names and period keys only. */
function toOrder<Field extends string>(orderBy: string): Field | { readonly periodKey: string } {
  return PERIOD_KEY_PATTERN.test(orderBy) ? { periodKey: orderBy } : (orderBy as Field);
}

export function toDirection(direction: 'asc' | 'desc' | 'ASC' | 'DESC' | undefined): OrderDirection | undefined {
  return direction?.toLowerCase() as OrderDirection | undefined;
}
