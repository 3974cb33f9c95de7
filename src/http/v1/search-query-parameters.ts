import { PERIOD_KEY_PATTERN } from '../../domain/period.ts';
import { SEARCH_FILTERS } from '../../domain/search-filter.ts';
import type { AsinQuery, OrderDirection, SearchOrder, SearchQuery, ShareOrder } from '../../domain/search-query.ts';
import { readFilters } from '../filter-parameters.ts';
import type { ParameterValues } from '../parameters.ts';
import type { asinParameters, searchParameters } from './search-parameters.ts';

/** Parameters of keyword search in the domain's words. */
export function toSearchQuery(values: ParameterValues<typeof searchParameters>): SearchQuery {
  return {
    queries: values.query,
    method: values.method,
    excludeQueries: values.exclude_query,
    frequency: values.type,
    page: values.page,
    limit: values.limit,
    orderBy: toOrder<SearchOrder>(values.order_by),
    orderDirection: toDirection(values.order_direction),
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
    excludeNulls: values.exclude_nulls,
  };
}

/** The parameter admits the field names and period keys only. */
function toOrder<Field extends string>(orderBy: string): Field | { readonly periodKey: string } {
  return PERIOD_KEY_PATTERN.test(orderBy) ? { periodKey: orderBy } : (orderBy as Field);
}

function toDirection(direction: 'asc' | 'desc' | 'ASC' | 'DESC' | undefined): OrderDirection | undefined {
  return direction?.toLowerCase() as OrderDirection | undefined;
}
