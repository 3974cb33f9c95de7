// What the trend lists share: frequencies and directions in other words than the searches have (Spec 4.3, 4.4), and filters.
import { MAX_RANK } from '../../domain/store.ts';
import { choice, integer, type ParameterValues, textList } from '../parameters.ts';

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
    category: textList(
      'Keeps keywords of these category buckets or stored categories, as in keyword search; unmatched values mean Other.',
    ),
    min_rank: integer(`Keeps keywords whose ${rank} is at least this.`, { min: 1, max: MAX_RANK, absent: undefined }),
    max_rank: integer(`Keeps keywords whose ${rank} is at most this.`, { min: 1, max: MAX_RANK, absent: undefined }),
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
    categories: values.category,
    minRank: values.min_rank,
    maxRank: values.max_rank,
    frequency: TREND_FREQUENCIES[values.type],
    orderBy: values.order_by,
    orderDirection: TREND_DIRECTIONS[values.order_direction],
    offset: values.offset,
    limit: values.limit,
  };
}
