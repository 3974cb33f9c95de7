import { Type } from 'typebox';
import { HELD_ORDERS, type HeldOrder } from '../../domain/holder.ts';
import { defineEndpoint } from '../endpoint.ts';
import { jsonSuccess, PaginationSchema } from '../schemas.ts';
import { answerHeldKeywords } from './held-keywords-answer.ts';
import { ComparedPeriodsSchema, ProductKeywordSchema, presentProductKeyword } from './holder-answer.ts';
import { asinInPath, heldKeywordParameters } from './holder-parameters.ts';

export const listProductKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/products/{asin}/keywords',
  operationId: 'listProductKeywords',
  summary: 'Keywords of a product',
  description:
    'The keywords in whose top 3 a product stands in a period, with its place and shares, those of the period before, and since when. ' +
    'Counts as one search against the hourly limit.',
  tag: 'Products',
  scope: 'search',
  meter: 'asin',
  pathParameter: asinInPath,
  parameters: heldKeywordParameters(Object.keys(HELD_ORDERS) as HeldOrder[]),
  success: jsonSuccess({
    data: Type.Array(ProductKeywordSchema),
    periods: ComparedPeriodsSchema,
    pagination: PaginationSchema,
  }),
  codes: ['NOT_FOUND'],
  handle: async (request) =>
    await answerHeldKeywords(request, {
      holder: { kind: 'product', asin: request.id },
      name: `The product ${request.id}`,
      present: presentProductKeyword,
    }),
});
