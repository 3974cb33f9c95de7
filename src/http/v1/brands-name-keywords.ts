import { Type } from 'typebox';
import { BRAND_ORDERS, brandHolder } from '../../domain/holder.ts';
import { defineEndpoint } from '../endpoint.ts';
import { jsonSuccess, PaginationSchema } from '../schemas.ts';
import { answerHeldKeywords } from './held-keywords-answer.ts';
import { BrandKeywordSchema, ComparedPeriodsSchema, presentBrandKeyword } from './holder-answer.ts';
import { brandInPath, heldKeywordParameters } from './holder-parameters.ts';

export const listBrandKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/brands/{name}/keywords',
  operationId: 'listBrandKeywords',
  summary: 'Keywords of a brand',
  description:
    'The keywords for which a report names a brand among the top 3, with its place there and in the period before, and since when. ' +
    'Counts as one search against the hourly limit.',
  tag: 'Products',
  scope: 'search',
  meter: 'search',
  pathParameter: brandInPath,
  parameters: heldKeywordParameters(BRAND_ORDERS),
  success: jsonSuccess({
    data: Type.Array(BrandKeywordSchema),
    periods: ComparedPeriodsSchema,
    pagination: PaginationSchema,
  }),
  codes: ['NOT_FOUND'],
  handle: async (request) =>
    await answerHeldKeywords(request, {
      holder: brandHolder(request.id),
      name: 'This brand',
      present: presentBrandKeyword,
    }),
});
