// What the trend lists share: frequencies and directions in other words than the searches have (Spec 4.3, 4.4), and filters.
import { TREND_FILTERS } from '../../domain/search-filter.ts';
import type { TrendPage } from '../../domain/store.ts';
import { readFilters, trendFilterParameters } from '../filter-parameters.ts';
import { choice, integer, type ParameterValues, textList } from '../parameters.ts';
import { limit, marketplace } from './search-parameters.ts';

/** Lists that the contract does not name take the words of the searches too. */
const TREND_FREQUENCIES = { monthly: 'monthly', weekly: 'weekly', M: 'monthly', W: 'weekly' } as const;
const TREND_DIRECTIONS = { ASC: 'asc', DESC: 'desc' } as const;

/** What is listed while nothing is published. */
export const NO_TREND: TrendPage<never> = { totalCount: 0, rows: [] };

interface TrendList<Order> {
  readonly orders: readonly Order[];
  readonly order: Order;
  readonly direction: keyof typeof TREND_DIRECTIONS;
  /** How ties break. */
  readonly ties: string;
  /** The element's field that the bounds compare with. */
  readonly rank: string;
}

export function trendParameters<Order extends string>({ orders, order, direction, ties, rank }: TrendList<Order>) {
  const description = `Order of the results. Ties break by ${ties}; \`query\` is the order of the normalised terms.`;
  return {
    type: choice('Monthly or weekly.', { values: ['M', 'W'], absent: 'M' }),
    limit,
    offset: integer('Results to pass over.', { min: 0, absent: 0 }),
    order_by: choice(description, { values: orders, absent: order }),
    order_direction: choice('Direction of the order.', { values: ['ASC', 'DESC'], absent: direction }),
    query: textList(
      'Keeps terms that have every word of one of these, matched as in keyword search: stemming, typo tolerance.',
    ),
    ...trendFilterParameters(rank),
    marketplace,
  };
}

type TrendValues<Order extends string> = Omit<ParameterValues<ReturnType<typeof trendParameters<Order>>>, 'type'>;

/** What every trend list is asked for, in the words of the domain. */
export function toTrendQuery<Order extends string>(
  values: TrendValues<Order> & { readonly type: keyof typeof TREND_FREQUENCIES },
) {
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
