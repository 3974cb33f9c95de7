// What the endpoints about products and brands share: their parameters, and the rank data that they ask.
import {
  COMPARE_MODES,
  HELD_STATUSES,
  type HeldOrder,
  type HolderContext,
  MAX_COMPARED,
  MIN_COMPARED,
} from '../../domain/holder.ts';
import { sliceOfPage } from '../../domain/page.ts';
import { type Frequency, PERIOD_KEY_PATTERN, type Period, periodDates } from '../../domain/period.ts';
import { MAX_PRODUCT_ID_CHARACTERS, parseProductId } from '../../domain/product-id.ts';
import { listPeriods } from '../../domain/rank-publisher.ts';
import type { OrderDirection } from '../../domain/search-query.ts';
import type { RankView } from '../../domain/store.ts';
import type { RequestContext } from '../endpoint.ts';
import {
  choice,
  type Parameter,
  type Parameters,
  pattern,
  patternList,
  requiredText,
  textList,
} from '../parameters.ts';
import { listExportParameters } from './list-export.ts';
import { openRequestedView } from './requested-view.ts';
import { limit, marketplace, page, type } from './search-parameters.ts';

const ASIN = {
  rule: `1 to ${MAX_PRODUCT_ID_CHARACTERS} letters and digits`,
  example: 'B0DDBYMN4X',
  read: parseProductId,
};

export const asinInPath = {
  name: 'asin',
  parameter: pattern('ASIN of the product, or its item id in another shop.', {
    ...ASIN,
    pattern: `^[A-Za-z0-9]{1,${MAX_PRODUCT_ID_CHARACTERS}}$`,
    absent: '',
  }),
};

export const brandInPath = {
  name: 'name',
  parameter: requiredText('Name of the brand; case does not count.', { example: 'Hollowbrook' }),
};

export const holderParameters = { type, marketplace };

const listParameters = {
  period: pattern('Key of the period. Default: the newest that the plan can see.', {
    rule: "a period key such as '05-2026'",
    example: '10-2026',
    pattern: '^[0-9]{1,3}-[0-9]{4}$',
    absent: undefined,
    read: (text) => (PERIOD_KEY_PATTERN.test(text) ? text : undefined),
  }),
  query: textList(
    'Keeps terms that have every word of one of these, matched as in keyword search: stemming, typo tolerance.',
  ),
  type,
  page,
  limit,
  order_direction: choice(
    'Default: ranks, places and periods ascending, shares descending. Unknown values are always last.',
    {
      values: ['asc', 'desc', 'ASC', 'DESC'],
      absent: undefined,
    },
  ),
  marketplace,
};

export function heldKeywordParameters<Order extends HeldOrder>(orders: readonly Order[]) {
  return {
    status: choice(
      '`held`: in the top 3 in the period. `entered`: held, and not in the period before. `left`: in the top 3 in the period before ' +
        'and no longer. `all`: held or left.',
      { values: HELD_STATUSES, absent: 'held' },
    ),
    order_by: choice<HeldOrder, 'search_rank'>(
      'Order of the results. Ties break by search rank, then by term; unknown values are last.',
      { values: orders, absent: 'search_rank' },
    ),
    ...listParameters,
  };
}

/** A file has all pages. */
export function heldExportParameters<Order extends HeldOrder>(orders: readonly Order[]) {
  const { page: _page, ...parameters } = heldKeywordParameters(orders);
  return { ...parameters, ...listExportParameters };
}

export const compareParameters = {
  asin: patternList(`${MIN_COMPARED} to ${MAX_COMPARED} ASINs, or item ids of other shops.`, {
    ...ASIN,
    required: true,
    pattern: `^\\s*[A-Za-z0-9]{1,${MAX_PRODUCT_ID_CHARACTERS}}\\s*$`,
    values: { min: MIN_COMPARED, max: MAX_COMPARED, examples: ['B0DDBYMN4X', 'B0CHX1W1XY'] },
  }) satisfies Parameter<readonly string[]>,
  mode: choice(
    '`shared`: keywords of all of them. `any`: of at least one. `gap`: of at least one, and not of the first.',
    { values: COMPARE_MODES, absent: 'shared' },
  ),
  ...listParameters,
};

/** The list that a request asks for, in the words of the domain. */
export function toListQuery(values: {
  readonly period: string | undefined;
  readonly query: readonly string[];
  readonly page: number;
  readonly limit: number;
  readonly order_direction: 'asc' | 'desc' | 'ASC' | 'DESC' | undefined;
}) {
  return {
    periodKey: values.period,
    queries: values.query,
    ...sliceOfPage(values),
    orderDirection: values.order_direction?.toLowerCase() as OrderDirection | undefined,
  };
}

/** The rank data that is asked, what plans are made for, and the dates of its periods as of the same moment. */
export interface HolderView extends Disposable {
  readonly view: RankView | undefined;
  readonly context: HolderContext;
  readonly datesOf: (period: Period) => { readonly start_date: string; readonly end_date: string };
}

export function openHolderView(
  request: Pick<RequestContext<Parameters>, 'caller' | 'plan' | 'resources'> & {
    readonly parameters: { readonly marketplace: string | undefined };
  },
  frequency: Frequency,
): HolderView {
  const view = openRequestedView(request, { frequency });
  const published = view ? listPeriods(request.resources.ranks.catalog, view.set) : [];
  const keyOf = ({ year, number }: Period) => `${year}-${number}`;
  const dates = new Map(published.map(({ period, startDate, endDate }) => [keyOf(period), { startDate, endDate }]));
  return {
    view,
    context: { plan: request.plan, frequency, published: view?.periods ?? [] },
    datesOf: (period) => {
      const { start, end } = periodDates(period);
      const { startDate = start, endDate = end } = dates.get(keyOf(period)) ?? {};
      return { start_date: startDate, end_date: endDate };
    },
    [Symbol.dispose]: () => view?.[Symbol.dispose](),
  };
}
