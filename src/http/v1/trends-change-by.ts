import { type Static, Type } from 'typebox';
import { periodKey } from '../../domain/period.ts';
import type { ChangeRow } from '../../domain/store.ts';
import {
  CHANGE_DIRECTIONS,
  CHANGE_ORDERS,
  type ChangeQuery,
  changePercentage,
  planChanges,
} from '../../domain/trend.ts';
import { defineEndpoint } from '../endpoint.ts';
import { choice, integer, type ParameterValues, positiveNumber } from '../parameters.ts';
import { periodParameter } from '../period-parameter.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination, strictObject } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { compareTo } from './search-parameters.ts';
import { toCompareTo } from './search-query-parameters.ts';
import { NO_TREND, toTrendQuery, trendParameters } from './trend-parameters.ts';

const MAX_OFFSET = 1_000_000;

const RankChangeSchema = strictObject({
  query: Type.String({ description: 'The term as imported.' }),
  previous_rank: Type.Integer({ minimum: 1 }),
  current_rank: Type.Integer({ minimum: 1 }),
  change: Type.Integer({ description: 'previous_rank - current_rank; positive means moved up.' }),
  abs_change: Type.Integer({ minimum: 0 }),
  change_percentage: Type.Number({ description: 'The change in percent of previous_rank, rounded to two decimals.' }),
});

const { type, ...listParameters } = trendParameters({
  orders: CHANGE_ORDERS,
  order: 'abs_change',
  direction: 'DESC',
  ties: 'current_rank, then by normalised term',
  rank: 'current_rank',
});

export const changeParameters = {
  type,
  threshold: positiveNumber('Lists changes larger than this many ranks.', { absent: 1000 }),
  direction: choice('Only keywords that moved up (`positive`) or down (`negative`). Default: both.', {
    values: CHANGE_DIRECTIONS,
    absent: undefined,
  }),
  period: periodParameter('The newer period. Default: the newest that the plan can see.'),
  compare_to: compareTo(
    'The earlier period: a key, or `year_ago`, one year before the newer one. Default: the visible period before it.',
  ),
  ...listParameters,
  offset: integer('Results to pass over.', { min: 0, max: MAX_OFFSET, absent: 0 }),
};

/** Spec 4.4. */
export const listRankChanges = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/change-by',
  operationId: 'listRankChanges',
  summary: 'Rank changes above a threshold',
  description:
    'Keywords whose rank changed by more than the threshold between two visible periods, the two newest unless given. A ' +
    'keyword without a rank in one of them is not listed.',
  tag: 'Trends',
  scope: 'trends',
  parameters: changeParameters,
  success: jsonSuccess({
    data: Type.Array(RankChangeSchema),
    periods: strictObject(
      { previous: Type.String(), current: Type.String() },
      { description: 'The two periods; empty where there is no such visible one.' },
    ),
    pagination: PaginationSchema,
  }),
  handle: async (context) => {
    const { parameters, plan, signal, time } = context;
    const query = toChangeQuery(parameters);
    using view = openRequestedView(context, query);
    const changePlan = planChanges(query, { plan, published: view?.periods ?? [] });
    const page = view ? await time('trends', () => view.listChanges(changePlan, { signal })) : NO_TREND;
    const { previous, current } = changePlan;
    return answerJson({
      data: page.rows.map(presentChange),
      periods: { previous: previous ? periodKey(previous) : '', current: current ? periodKey(current) : '' },
      pagination: presentPagination(changePlan, page.totalCount),
    });
  },
});

export function toChangeQuery(values: ParameterValues<typeof changeParameters>): ChangeQuery {
  const { threshold, direction, period, compare_to } = values;
  return { ...toTrendQuery(values), threshold, direction, period, compareTo: toCompareTo(compare_to) };
}

export function presentChange(row: ChangeRow): Static<typeof RankChangeSchema> {
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
