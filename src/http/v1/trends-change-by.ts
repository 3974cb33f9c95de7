import { type Static, Type } from 'typebox';
import { pageOfSlice } from '../../domain/page.ts';
import { periodKey } from '../../domain/period.ts';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import type { ChangeRow, TrendPage } from '../../domain/store.ts';
import {
  CHANGE_DIRECTIONS,
  CHANGE_ORDERS,
  type ChangeQuery,
  changePercentage,
  planChanges,
} from '../../domain/trend.ts';
import { defineEndpoint } from '../endpoint.ts';
import { choice, integer, type ParameterValues, positiveNumber } from '../parameters.ts';
import { PaginationSchema, presentPagination, successSchema } from '../schemas.ts';
import { limit, marketplace } from './search-parameters.ts';
import { toTrendQuery, trendDirection, trendFilters, trendType } from './trend-parameters.ts';

const MAX_OFFSET = 1_000_000;
const TIES = 'Ties break by current_rank, then by normalised term; `query` is the order of the normalised terms.';
const NO_CHANGES: TrendPage<ChangeRow> = { totalCount: 0, rows: [] };

const RankChangeSchema = Type.Object(
  {
    query: Type.String({ description: 'The term as imported.' }),
    previous_rank: Type.Integer({ minimum: 1 }),
    current_rank: Type.Integer({ minimum: 1 }),
    change: Type.Integer({ description: 'previous_rank - current_rank; positive means moved up.' }),
    abs_change: Type.Integer({ minimum: 0 }),
    change_percentage: Type.Number({ description: 'The change in percent of previous_rank, rounded to two decimals.' }),
  },
  { additionalProperties: false },
);

const changeParameters = {
  type: trendType,
  threshold: positiveNumber('Lists changes larger than this many ranks.', { absent: 1000 }),
  direction: choice('Only keywords that moved up (`positive`) or down (`negative`). Default: both.', {
    values: CHANGE_DIRECTIONS,
    absent: undefined,
  }),
  limit,
  offset: integer('Results to pass over.', { min: 0, max: MAX_OFFSET, absent: 0 }),
  order_by: choice(`Order of the results. ${TIES}`, { values: CHANGE_ORDERS, absent: 'abs_change' }),
  order_direction: trendDirection,
  ...trendFilters('current_rank'),
  marketplace,
};

/** Spec 4.4. */
export const listRankChanges = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/change-by',
  operationId: 'listRankChanges',
  summary: 'Rank changes above a threshold',
  description: 'Keywords whose rank changed by more than the threshold between the two newest visible periods.',
  tag: 'Trends',
  scope: 'trends',
  parameters: changeParameters,
  success: {
    contentType: 'application/json',
    schema: successSchema({
      data: Type.Array(RankChangeSchema),
      periods: Type.Object(
        { previous: Type.String(), current: Type.String() },
        { additionalProperties: false, description: 'The two newest visible periods; empty where there is none.' },
      ),
      pagination: PaginationSchema,
    }),
  },
  handle: async ({ caller, parameters, plan, resources, signal, time }) => {
    const marketplace = parseMarketplace(parameters.marketplace, resources.ranks);
    const query = toChangeQuery(parameters);
    using view = resources.ranks.openView(
      { marketplace, frequency: query.frequency, source: 'search' },
      caller.organizationId,
    );
    const changePlan = planChanges(query, { plan, published: view?.periods ?? [] });
    const page = view ? await time('trends', () => view.listChanges(changePlan, { signal })) : NO_CHANGES;
    const { previous, current } = changePlan;
    return {
      body: JSON.stringify({
        data: page.rows.map(presentChange),
        periods: { previous: previous ? periodKey(previous) : '', current: current ? periodKey(current) : '' },
        pagination: presentPagination(pageOfSlice(changePlan, page.totalCount)),
        error: null,
      }),
    };
  },
});

function toChangeQuery(values: ParameterValues<typeof changeParameters>): ChangeQuery {
  return {
    ...toTrendQuery(values),
    threshold: values.threshold,
    direction: values.direction,
  };
}

function presentChange(row: ChangeRow): Static<typeof RankChangeSchema> {
  const change = row.previousRank - row.currentRank;
  return {
    query: row.searchTerm,
    previous_rank: row.previousRank,
    current_rank: row.currentRank,
    change,
    abs_change: Math.abs(change),
    change_percentage: changePercentage(row),
  };
}
