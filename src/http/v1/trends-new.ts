import { type Static, Type } from 'typebox';
import { pageOfSlice } from '../../domain/page.ts';
import { periodKey } from '../../domain/period.ts';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import type { NewRow, TrendPage } from '../../domain/store.ts';
import { NEW_ORDERS, planNewTerms } from '../../domain/trend.ts';
import { defineEndpoint } from '../endpoint.ts';
import { choice, integer } from '../parameters.ts';
import { PaginationSchema, presentPagination, successSchema } from '../schemas.ts';
import { limit, marketplace } from './search-parameters.ts';
import { toTrendQuery, trendFilters, trendType } from './trend-parameters.ts';

const TIES = 'Ties break by normalised term; `query` is the order of the normalised terms.';
const NO_TERMS: TrendPage<NewRow> = { totalCount: 0, rows: [] };

const NewTermSchema = Type.Object(
  {
    query: Type.String({ description: 'The term as imported.' }),
    current_rank: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);

const newParameters = {
  type: trendType,
  limit,
  offset: integer('Results to pass over.', { min: 0, absent: 0 }),
  order_by: choice(`Order of the results. ${TIES}`, { values: NEW_ORDERS, absent: 'current_rank' }),
  order_direction: choice('Direction of the order.', { values: ['ASC', 'DESC'], absent: 'ASC' }),
  ...trendFilters('current_rank'),
  marketplace,
};

export const listNewTerms = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/new',
  operationId: 'listNewTerms',
  summary: 'New terms',
  description: 'Terms that are ranked in the newest period and in no earlier one that the plan can see.',
  tag: 'Trends',
  scope: 'trends',
  parameters: newParameters,
  success: {
    contentType: 'application/json',
    schema: successSchema({
      data: Type.Array(NewTermSchema),
      periods: Type.Object(
        { oldest: Type.String(), current: Type.String() },
        {
          additionalProperties: false,
          description: 'The oldest and the newest visible period; empty while there is none.',
        },
      ),
      pagination: PaginationSchema,
    }),
  },
  handle: async ({ caller, parameters, plan, resources, signal, time }) => {
    const marketplace = parseMarketplace(parameters.marketplace, resources.ranks);
    const query = toTrendQuery(parameters);
    using view = resources.ranks.openView(
      { marketplace, frequency: query.frequency, source: 'search' },
      caller.organizationId,
    );
    const newPlan = planNewTerms(query, { plan, published: view?.periods ?? [] });
    const page = view ? await time('trends', () => view.listNewTerms(newPlan, { signal })) : NO_TERMS;
    const [oldest, current] = [newPlan.window[0], newPlan.window.at(-1)];
    return {
      body: JSON.stringify({
        data: page.rows.map(presentNewTerm),
        periods: { oldest: oldest ? periodKey(oldest) : '', current: current ? periodKey(current) : '' },
        pagination: presentPagination(pageOfSlice(newPlan, page.totalCount)),
        error: null,
      }),
    };
  },
});

function presentNewTerm(row: NewRow): Static<typeof NewTermSchema> {
  return { query: row.searchTerm, current_rank: row.currentRank };
}
