import { type Static, Type } from 'typebox';
import { DIGEST_KINDS, type Digest, type DigestProduct, type DigestRow } from '../../domain/digest.ts';
import { FREQUENCIES, periodKey } from '../../domain/period.ts';
import { MAX_SHOWN_CHANGES, STANDING_CHANGES } from '../../domain/tracked-product.ts';
import { presentChangedKeyword } from '../../domain/webhook-payload.ts';
import { defineEndpoint } from '../endpoint.ts';
import { flag, integer } from '../parameters.ts';
import {
  answerJson,
  jsonSuccess,
  nullable,
  PaginationSchema,
  presentPagination,
  strictObject,
  textOf,
} from '../schemas.ts';

const nullableRank = Type.Union([Type.Integer(), Type.Null()]);

const DigestRowSchema = strictObject({
  tracked_keyword_id: Type.String({ format: 'uuid' }),
  search_term: Type.String(),
  rank: nullableRank,
  previous_rank: nullableRank,
  rank_change: nullableRank,
  priority_hit: Type.Boolean({ description: 'The rule was on and met.' }),
});

const nullablePlace = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: 3 }), description);

const ChangedKeywordSchema = strictObject({
  change: Type.Unsafe<(typeof STANDING_CHANGES)[number]>({ type: 'string', enum: STANDING_CHANGES }),
  search_term: Type.String(),
  rank: nullableRank,
  place: nullablePlace('Among the top three products of the keyword; null when the product left.'),
  previous_place: nullablePlace('In the visible period before; null when the product entered.'),
});

const DigestProductSchema = strictObject({
  tracked_product_id: Type.String({ format: 'uuid' }),
  asin: Type.String(),
  keywords: Type.Integer({ minimum: 0, description: 'In whose top three it stands in the period.' }),
  previous_keywords: nullableRank,
  entered: Type.Integer({ minimum: 0, description: 'Keywords into whose top three it came.' }),
  left: Type.Integer({ minimum: 0, description: 'Keywords whose top three it left.' }),
  place: Type.Integer({ minimum: 0, description: 'Keywords for which it stands at another place.' }),
  rows: Type.Array(ChangedKeywordSchema, {
    maxItems: MAX_SHOWN_CHANGES,
    description: 'The most searched of these keywords.',
  }),
});

const DigestSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  kind: textOf(DIGEST_KINDS, 'Of a period that was published, or of one that is late, without rows.'),
  marketplace: Type.String(),
  type: textOf(FREQUENCIES),
  period: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  is_read: Type.Boolean(),
  rows: Type.Array(DigestRowSchema, { description: 'One per active tracked keyword, in the order of the list.' }),
  products: Type.Array(DigestProductSchema, {
    description: 'One per active tracked product, in the order of the list.',
  }),
});

export const listDigests = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-keywords/digests',
  operationId: 'listDigests',
  summary: 'List digests',
  description:
    'One digest for each period that was published while the caller tracked keywords or products, months and weeks alike, newest ' +
    'first, and one when a period that is awaited is later than usual. A digest keeps what was true when it was made; a ' +
    'revision of its period makes no second one.',
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
    kind: digest.kind,
    marketplace: digest.marketplace,
    type: digest.period.frequency,
    period: periodKey(digest.period),
    created_at: digest.createdAt.toISOString(),
    is_read: digest.isRead,
    rows: digest.rows.map(presentRow),
    products: digest.products.map(presentProduct),
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

function presentProduct(product: DigestProduct): Static<typeof DigestProductSchema> {
  return {
    tracked_product_id: product.trackedProductId,
    asin: product.asin,
    keywords: product.keywords,
    previous_keywords: product.previousKeywords,
    entered: product.counts.entered,
    left: product.counts.left,
    place: product.counts.place,
    rows: product.rows.map(presentChangedKeyword),
  };
}
