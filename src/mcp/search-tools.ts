import { z } from 'zod';
import { SEARCH_FILTERS } from '../domain/search-filter.ts';
import { SEARCH_ORDERS } from '../domain/search-query.ts';
import { target } from './api.ts';
import { filterInputs, limit, marketplace, page, type, words } from './parameters.ts';
import { presentHistories, presentKeywords } from './presented-rows.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_COMPARED = 5;

const order = {
  order_by: z
    .string()
    .optional()
    .describe(`One of ${SEARCH_ORDERS.join(', ')} (best_match unless given), or a period such as 10-2026.`),
  order_direction: z.enum(['asc', 'desc']).optional().describe('Best first unless given.'),
};

export const SEARCH_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'search_keywords',
    title: 'Search keywords',
    description:
      'Finds search terms by their words, with their rank summary, top brands and products. Rank 1 is the most searched term. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({
      query: words('One or more queries; a term matches when it has all words of one of them, in any order.'),
      method: z
        .enum(['similar', 'exact'])
        .default('similar')
        .describe('exact: the whole term equals a query. similar: words, plurals and typos.'),
      exclude_query: words('Drop terms that have all words of one of these.').optional(),
      ...filterInputs(SEARCH_FILTERS),
      ...order,
      type,
      page,
      limit,
      marketplace,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/search/keywords', input) }),
    present: presentKeywords,
  }),
  defineTool({
    name: 'search_asin',
    title: 'Keywords of a product',
    description:
      'Finds the search terms in whose top clicked products an ASIN stands. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({
      asin: words('ASINs, such as B0CHX1W1XY, or item ids of other shops.'),
      order_by: z
        .string()
        .optional()
        .describe('As in search_keywords, and click_share or conversion_share of the product.'),
      order_direction: order.order_direction,
      type,
      page,
      limit,
      marketplace,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/search/asin', input) }),
    present: presentKeywords,
  }),
  defineTool({
    name: 'keyword_history',
    title: 'Rank history of keywords',
    description: `The rank of up to ${MAX_COMPARED} exact terms in every visible period, side by side for comparison. Costs one search of the hourly quota, however many terms.`,
    effect: 'reads',
    input: z.strictObject({
      terms: z.array(z.string().min(1)).min(1).max(MAX_COMPARED).describe('Exact search terms.'),
      type,
      marketplace,
    }),
    plan: ({ terms, ...input }) => ({
      method: 'GET',
      target: target('/v1/search/keywords', { query: terms, method: 'exact', limit: MAX_COMPARED, ...input }),
    }),
    present: (body, { terms }) => presentHistories(body, terms),
  }),
];
