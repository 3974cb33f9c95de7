import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { successSchema } from '../schemas.ts';

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
  success: {
    contentType: 'application/json',
    schema: successSchema({
      stats: Type.Object(
        {
          computedAt: Type.String({ format: 'date-time' }),
          totalDataPoints: Type.String({ pattern: '^[0-9]+$' }),
        },
        { additionalProperties: false },
      ),
    }),
  },
  handle: async ({ resources }) => {
    const { computedAt, totalDataPoints } = resources.ranks.catalog;
    // While nothing was ever published, nothing is what there is now.
    const asOf = computedAt ?? resources.now();
    const stats = { computedAt: asOf.toISOString(), totalDataPoints: String(totalDataPoints) };
    return { body: JSON.stringify({ stats, error: null }) };
  },
});
