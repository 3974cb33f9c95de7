import { type Static, Type } from 'typebox';
import type { Digest, DigestRow } from '../../domain/digest.ts';
import { FREQUENCIES, periodKey } from '../../domain/period.ts';
import { defineEndpoint } from '../endpoint.ts';
import { flag, integer } from '../parameters.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination, strictObject, textOf } from '../schemas.ts';

const nullableRank = Type.Union([Type.Integer(), Type.Null()]);

const DigestRowSchema = strictObject({
  tracked_keyword_id: Type.String({ format: 'uuid' }),
  search_term: Type.String(),
  rank: nullableRank,
  previous_rank: nullableRank,
  rank_change: nullableRank,
  priority_hit: Type.Boolean({ description: 'The rule was on and met.' }),
});

const DigestSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  marketplace: Type.String(),
  type: textOf(FREQUENCIES),
  period: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  is_read: Type.Boolean(),
  rows: Type.Array(DigestRowSchema, { description: 'One per active tracked keyword, in the order of the list.' }),
});

export const listDigests = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-keywords/digests',
  operationId: 'listDigests',
  summary: 'List digests',
  description:
    'One digest for each period that was published while the caller tracked keywords, months and weeks alike, newest ' +
    'first. A digest keeps what was true when it was made; a revision of its period makes no second one.',
  tag: 'Tracked keywords',
  scope: 'tracked:read',
  parameters: {
    unread_only: flag('Only digests that are not marked as read.', { absent: false }),
    limit: integer('Digests per page.', { min: 1, max: 20, absent: 20 }),
    offset: integer('Digests to pass over.', { min: 0, max: 1_000_000, absent: 0 }),
  },
  success: jsonSuccess({ data: Type.Array(DigestSchema), pagination: PaginationSchema }),
  handle: async ({ caller, parameters, resources }) => {
    const { unread_only: isUnreadOnly, limit, offset } = parameters;
    const { digests, totalCount } = await resources.digests.list(caller, { isUnreadOnly, limit, offset });
    return answerJson({
      data: digests.map(presentDigest),
      pagination: presentPagination(parameters, totalCount),
    });
  },
});

function presentDigest(digest: Digest): Static<typeof DigestSchema> {
  return {
    id: digest.id,
    marketplace: digest.marketplace,
    type: digest.period.frequency,
    period: periodKey(digest.period),
    created_at: digest.createdAt.toISOString(),
    is_read: digest.isRead,
    rows: digest.rows.map(presentRow),
  };
}

function presentRow(row: DigestRow): Static<typeof DigestRowSchema> {
  return {
    tracked_keyword_id: row.trackedKeywordId,
    search_term: row.searchTerm,
    rank: row.rank,
    previous_rank: row.previousRank,
    rank_change: row.rankChange,
    priority_hit: row.isPriorityHit,
  };
}
