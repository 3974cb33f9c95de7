import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, strictObject } from '../schemas.ts';

/** Spec 4.9. */
export const getSearchStats = defineEndpoint({
  method: 'GET',
  path: '/v1/search/stats',
  operationId: 'getSearchStats',
  summary: 'Search data statistics',
  description: 'How many data points (ranks of a keyword in a period) are published, and as of when.',
  tag: 'Data',
  scope: 'search',
  parameters: {},
  success: jsonSuccess({
    stats: strictObject({
      computedAt: Type.String({ format: 'date-time' }),
      totalDataPoints: Type.String({ pattern: '^[0-9]+$' }),
    }),
  }),
  handle: async ({ resources }) => {
    const { computedAt, totalDataPoints } = resources.ranks.catalog;
    // While nothing was ever published, nothing is what there is now.
    const asOf = computedAt ?? resources.now();
    const stats = { computedAt: asOf.toISOString(), totalDataPoints: String(totalDataPoints) };
    return answerJson({ stats });
  },
});
