import { type Static, Type } from 'typebox';
import { periodKey } from '../../domain/period.ts';
import type { NewRow } from '../../domain/store.ts';
import { NEW_ORDERS, planNewTerms } from '../../domain/trend.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination, strictObject } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { NO_TREND, toTrendQuery, trendParameters } from './trend-parameters.ts';

const NewTermSchema = strictObject({
  query: Type.String({ description: 'The term as imported.' }),
  current_rank: Type.Integer({ minimum: 1 }),
});

export const newParameters = trendParameters({
  orders: NEW_ORDERS,
  order: 'current_rank',
  direction: 'ASC',
  ties: 'normalised term',
  rank: 'current_rank',
});

export const listNewTerms = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/new',
  operationId: 'listNewTerms',
  summary: 'New terms',
  description: 'Terms that are ranked in the newest period and in no earlier one that the plan can see.',
  tag: 'Trends',
  scope: 'trends',
  parameters: newParameters,
  success: jsonSuccess({
    data: Type.Array(NewTermSchema),
    periods: strictObject(
      { oldest: Type.String(), current: Type.String() },
      {
        description: 'The oldest and the newest visible period; empty while there is none.',
      },
    ),
    pagination: PaginationSchema,
  }),
  handle: async (context) => {
    const { parameters, plan, signal, time } = context;
    const query = toTrendQuery(parameters);
    using view = openRequestedView(context, query);
    const newPlan = planNewTerms(query, { plan, published: view?.periods ?? [] });
    const page = view ? await time('trends', () => view.listNewTerms(newPlan, { signal })) : NO_TREND;
    const [oldest, current] = [newPlan.window[0], newPlan.window.at(-1)];
    return answerJson({
      data: page.rows.map(presentNewTerm),
      periods: { oldest: oldest ? periodKey(oldest) : '', current: current ? periodKey(current) : '' },
      pagination: presentPagination(newPlan, page.totalCount),
    });
  },
});

export function presentNewTerm({ searchTerm, currentRank }: NewRow): Static<typeof NewTermSchema> {
  return { query: searchTerm, current_rank: currentRank };
}
