import { z } from 'zod';
import { ROOT_KINDS } from '../domain/root.ts';
import { COMMON_FILTERS, SEARCH_FILTERS } from '../domain/search-filter.ts';
import { SEARCH_ORDERS } from '../domain/search-query.ts';
import { target } from './api.ts';
import { compareTo, filterInputs, limit, marketplace, page, type, words } from './parameters.ts';
import { presentHistories, presentKeywords, presentList } from './presented-rows.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_COMPARED = 5;

const insights = {
  compare_to: compareTo,
  include: z
    .array(z.enum(['insights']))
    .optional()
    .describe(
      '["insights"]: each term also tells how it moved, how concentrated its clicks are, whether its top titles miss a word, and since when it is ranked.',
    ),
};

const order = {
  order_by: z
    .string()
    .optional()
    .describe(`One of ${SEARCH_ORDERS.join(', ')} (best_match unless given), or a period such as 10-2026.`),
  order_direction: z.enum(['asc', 'desc']).optional().describe('Best first unless given.'),
};

const matching = {
  query: words('One or more queries; a term matches when it has all words of one of them, in any order.'),
  method: z
    .enum(['similar', 'exact'])
    .default('similar')
    .describe('exact: the whole term equals a query. similar: words, plurals and typos.'),
  exclude_query: words('Drop terms that have all words of one of these.').optional(),
  ...filterInputs(SEARCH_FILTERS),
};

export const SEARCH_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'search_keywords',
    title: 'Search keywords',
    description:
      'Finds search terms by their words, with their rank summary, top brands and products. Rank 1 is the most searched term. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({
      ...matching,
      ...insights,
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
    name: 'search_roots',
    title: 'Words and phrases of a search',
    description:
      'The words and two-word phrases in all terms that a search finds, with how many terms have each, their best rank and how many rise and fall. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({
      ...matching,
      compare_to: compareTo,
      kind: z.enum(ROOT_KINDS).optional().describe('Only single words, or only phrases.'),
      order_by: z.enum(['terms', 'best_rank', 'rising', 'falling']).default('terms'),
      order_direction: order.order_direction,
      type,
      page,
      limit,
      marketplace,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/search/roots', input) }),
    present: presentList,
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
      ...filterInputs(COMMON_FILTERS),
      ...insights,
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
