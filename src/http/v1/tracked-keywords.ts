import { Type } from 'typebox';
import { parsePeriodKey } from '../../domain/period.ts';
import { defineEndpoint } from '../endpoint.ts';
import { pattern, text } from '../parameters.ts';
import { successSchema } from '../schemas.ts';

const nullableRank = Type.Union([Type.Number(), Type.Null()]);

/** Spec 2.5. */
const TrackedKeywordSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    notes: Type.String(),
    is_active: Type.Boolean(),
    priority_enabled: Type.Boolean(),
    priority_rule: Type.Object({ field: Type.String(), operator: Type.String(), value: Type.Number() }),
    search_term: Type.Object({ id: Type.Integer(), original_term: Type.String() }),
    snapshot: Type.Object({
      latest_period: Type.String(),
      latest_rank: nullableRank,
      previous_rank: nullableRank,
      rank_change: nullableRank,
      best_rank: nullableRank,
      worst_rank: nullableRank,
      avg_rank: nullableRank,
      total_periods: Type.Number(),
      history: Type.Array(Type.Object({ period: Type.String(), rank: nullableRank })),
    }),
  },
  { additionalProperties: false },
);

/** Spec 4.5. */
export const listTrackedKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-keywords',
  operationId: 'listTrackedKeywords',
  summary: 'List tracked keywords',
  description: 'The keywords that the caller tracks in this organization, with a rank snapshot each.',
  tag: 'Tracked keywords',
  scope: 'tracked:read',
  parameters: {
    period: pattern('Month of the snapshot. Default: the latest.', {
      rule: 'a month in the form MM-YYYY',
      example: '05-2026',
      pattern: '^(0[1-9]|1[0-2])-[0-9]{4}$',
      absent: undefined,
      read: (value) => (/^[0-9]{2}-/.test(value) && parsePeriodKey(value, 'monthly') ? value : undefined),
    }),
    query: text('Keeps tracked keywords that match, as in keyword search.'),
  },
  success: { contentType: 'application/json', schema: successSchema({ data: Type.Array(TrackedKeywordSchema) }) },
  handle: async () => ({ body: JSON.stringify({ data: [], error: null }) }),
});
