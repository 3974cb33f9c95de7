import { z } from 'zod';
import {
  BRAND_ORDERS,
  COMPARE_MODES,
  HELD_ORDERS,
  HELD_STATUSES,
  MAX_COMPARED,
  MIN_COMPARED,
} from '../domain/holder.ts';
import { target } from './api.ts';
import { limit, marketplace, page, type, words } from './parameters.ts';
import { presentHistory, presentHolder, presentList } from './presented-rows.ts';
import { defineTool, type Tool } from './tool.ts';

const asin = z.string().min(1).describe('ASIN such as B0CHX1W1XY, or item id of another shop.');
const brand = z.string().min(1).describe('Name of the brand; case does not count.');
const list = {
  period: z.string().optional().describe('Period such as 10-2026; the newest unless given.'),
  query: words('Only terms with all words of one of these.').optional(),
  order_direction: z.enum(['asc', 'desc']).optional().describe('Best first unless given.'),
  type,
  page,
  limit,
  marketplace,
};
const status = z
  .enum(HELD_STATUSES)
  .default('held')
  .describe('held: in the top 3 now. entered: not in the period before. left: lost since then. all: held or left.');

export const PRODUCT_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'keyword_shares',
    title: 'Shares of a keyword over time',
    description:
      'One exact term in every visible period: its rank, top products with click and conversion shares, and brands. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({ term: z.string().min(1).describe('The exact search term.'), type, marketplace }),
    plan: (input) => ({ method: 'GET', target: target('/v1/search/keyword/history', input) }),
    present: presentHistory,
  }),
  defineTool({
    name: 'product_overview',
    title: 'A product over time',
    description:
      'In how many keywords a product stands in the top 3, by period and place, its click shares, its best keyword, and what it won and lost. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({ asin, type, marketplace }),
    plan: ({ asin: id, ...input }) => ({
      method: 'GET',
      target: target(`/v1/products/${encodeURIComponent(id)}`, input),
    }),
    present: presentHolder,
  }),
  defineTool({
    name: 'product_keywords',
    title: 'Keywords that a product holds',
    description:
      'The keywords of a product in a period with its place and shares, those of the period before, and since when it holds them. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({
      asin,
      status,
      order_by: z.enum(Object.keys(HELD_ORDERS) as [string, ...string[]]).default('search_rank'),
      ...list,
    }),
    plan: ({ asin: id, ...input }) => ({
      method: 'GET',
      target: target(`/v1/products/${encodeURIComponent(id)}/keywords`, input),
    }),
    present: presentList,
  }),
  defineTool({
    name: 'compare_products',
    title: 'Compare products',
    description:
      'The keywords of several products side by side: of all of them, of any, or those that the first one lacks. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({
      asin: z.array(z.string().min(1)).min(MIN_COMPARED).max(MAX_COMPARED).describe('The products; your own first.'),
      mode: z.enum(COMPARE_MODES).default('shared').describe('gap: keywords of the others that the first lacks.'),
      ...list,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/products/compare', input) }),
    present: (body) => ({ products: body.products, ...presentList(body) }),
  }),
  defineTool({
    name: 'brand_overview',
    title: 'A brand over time',
    description:
      'In how many keywords reports name a brand in the top 3, by period and place, its best keyword, and what it won and lost. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({ brand, type, marketplace }),
    plan: ({ brand: name, ...input }) => ({
      method: 'GET',
      target: target(`/v1/brands/${encodeURIComponent(name)}`, input),
    }),
    present: presentHolder,
  }),
  defineTool({
    name: 'brand_keywords',
    title: 'Keywords that a brand holds',
    description:
      'The keywords for which reports name a brand in a period, with its place and since when. Costs one search of the hourly quota.',
    effect: 'reads',
    input: z.strictObject({ brand, status, order_by: z.enum(BRAND_ORDERS).default('search_rank'), ...list }),
    plan: ({ brand: name, ...input }) => ({
      method: 'GET',
      target: target(`/v1/brands/${encodeURIComponent(name)}/keywords`, input),
    }),
    present: presentList,
  }),
];
