import { type Static, Type } from 'typebox';
import { MAX_ROOT_PAGE, planRoots, ROOT_KINDS, ROOT_ORDERS, type RootOrder } from '../../domain/root.ts';
import type { RootRow } from '../../domain/store.ts';
import { defineEndpoint } from '../endpoint.ts';
import { choice, integer, type ParameterValues } from '../parameters.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination, strictObject } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { searchFailureFields } from './search-answer.ts';
import { searchParameters } from './search-parameters.ts';
import { toDirection, toMatchingQuery } from './search-query-parameters.ts';
import { NO_TREND } from './trend-parameters.ts';

const RootSchema = strictObject({
  root: Type.String({ description: 'A word, or two that stand beside each other, in lower case without accents.' }),
  kind: Type.Unsafe<RootRow['kind']>({ type: 'string', enum: ROOT_KINDS }),
  terms: Type.Integer({ minimum: 1, description: 'Results of the search that have it.' }),
  best_rank: Type.Integer({ minimum: 1, description: 'The best of their best_rank.' }),
  rising: Type.Integer({
    minimum: 0,
    description: 'How many moved up from the period before the newest to the newest.',
  }),
  falling: Type.Integer({ minimum: 0, description: 'How many moved down.' }),
});

// The search's own order says nothing here, and roots have no columns of periods.
const {
  order_by: _order,
  order_direction,
  include: _include,
  format: _format,
  color_threshold: _color,
  ...matching
} = searchParameters;

export const rootParameters = {
  ...matching,
  page: integer('Page, from 1.', { min: 1, max: MAX_ROOT_PAGE, absent: 1 }),
  kind: choice('Only single words, or only phrases of two. Default: both.', { values: ROOT_KINDS, absent: undefined }),
  order_by: choice('Order of the roots. Ties break by best_rank, then by root.', {
    values: Object.keys(ROOT_ORDERS) as RootOrder[],
    absent: 'terms',
  }),
  order_direction,
};

/** Reads every match, so it counts as the search that it is. */
export const listSearchRoots = defineEndpoint({
  method: 'GET',
  path: '/v1/search/roots',
  operationId: 'listSearchRoots',
  summary: 'Words and phrases of a search',
  description:
    'The words, and the phrases of two words, in all terms that a keyword search finds, with how many terms have each, the best rank ' +
    'and how many rise and fall. Counts as one search against the hourly limit.',
  tag: 'Search',
  scope: 'search',
  meter: 'search',
  parameters: rootParameters,
  success: jsonSuccess({ data: Type.Array(RootSchema), pagination: PaginationSchema }),
  failureFields: searchFailureFields,
  handle: async (context) => {
    const { parameters, plan, resources, admit, time, signal, caller } = context;
    const query = toRootQuery(parameters);
    using view = openRequestedView(context, query.search);
    const rootPlan = planRoots(query, { plan, published: view?.periods ?? [] });
    const { searchId } = await admit();
    const page = view ? await time('search', () => view.listRoots(rootPlan, { signal })) : NO_TREND;
    resources.history.recordResultCount({ tenant: caller, searchId, resultCount: page.totalCount });
    return answerJson({
      data: page.rows.map(presentRoot),
      pagination: presentPagination(rootPlan.search, page.totalCount),
    });
  },
});

export function toRootQuery({ order_by, order_direction, kind, ...values }: ParameterValues<typeof rootParameters>) {
  return {
    search: toMatchingQuery(values),
    kind,
    orderBy: order_by,
    orderDirection: toDirection(order_direction),
  };
}

export function presentRoot(row: RootRow): Static<typeof RootSchema> {
  return {
    root: row.root,
    kind: row.kind,
    terms: row.terms,
    best_rank: row.bestRank,
    rising: row.rising,
    falling: row.falling,
  };
}
