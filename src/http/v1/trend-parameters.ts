// What the trend lists share: frequencies and directions in other words than the searches have (Spec 4.3, 4.4), and filters.
import { TREND_FILTERS } from '../../domain/search-filter.ts';
import { readFilters, trendFilterParameters } from '../filter-parameters.ts';
import { choice, type ParameterValues, textList } from '../parameters.ts';

const TREND_FREQUENCIES = { M: 'monthly', W: 'weekly' } as const;
const TREND_DIRECTIONS = { ASC: 'asc', DESC: 'desc' } as const;

export const trendType = choice('Monthly or weekly.', { values: ['M', 'W'], absent: 'M' });
export const trendDirection = choice('Direction of the order.', { values: ['ASC', 'DESC'], absent: 'DESC' });

/** `rank` is the element's field that the bounds compare with. */
export function trendFilters(rank: string) {
  return {
    query: textList(
      'Keeps terms that have every word of one of these, matched as in keyword search: stemming, typo tolerance.',
    ),
    ...trendFilterParameters(rank),
  };
}

interface TrendListValues<Order> extends ParameterValues<ReturnType<typeof trendFilters>> {
  readonly type: keyof typeof TREND_FREQUENCIES;
  readonly order_by: Order;
  readonly order_direction: keyof typeof TREND_DIRECTIONS;
  readonly offset: number;
  readonly limit: number;
}

/** What every trend list is asked for, in the words of the domain. */
export function toTrendQuery<Order>(values: TrendListValues<Order>) {
  return {
    queries: values.query,
    ...readFilters(TREND_FILTERS, { ...values }),
    frequency: TREND_FREQUENCIES[values.type],
    orderBy: values.order_by,
    orderDirection: TREND_DIRECTIONS[values.order_direction],
    offset: values.offset,
    limit: values.limit,
  };
}
