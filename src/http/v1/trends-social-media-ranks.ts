import { type Static, Type } from 'typebox';
import { pageOfSlice } from '../../domain/page.ts';
import { periodKey } from '../../domain/period.ts';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import type { SocialRow, TrendPage } from '../../domain/store.ts';
import { planLatestRanks, planSocialRanks, SOCIAL_ORDERS } from '../../domain/trend.ts';
import { defineEndpoint } from '../endpoint.ts';
import { choice, integer } from '../parameters.ts';
import { PaginationSchema, presentPagination, RanksByPeriodSchema, successSchema } from '../schemas.ts';
import { limit, marketplace } from './search-parameters.ts';
import { toTrendQuery, trendDirection, trendFilters, trendType } from './trend-parameters.ts';

const TIES = 'Ties break by end_rank, then by normalised term; `query` is the order of the normalised terms.';
const NO_RANKS: TrendPage<SocialRow> = { totalCount: 0, rows: [] };

const SocialMediaRankSchema = Type.Object(
  {
    query: Type.String({ description: 'The term as imported.' }),
    start_rank: Type.Integer({ minimum: 1 }),
    end_rank: Type.Integer({ minimum: 1 }),
    total_improvement: Type.Integer({ description: 'start_rank - end_rank; positive means moved up.' }),
    ranks: RanksByPeriodSchema,
    search_rank: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: 'Newest visible retail rank of the term, or null.',
    }),
  },
  { additionalProperties: false },
);

const socialParameters = {
  type: trendType,
  limit,
  offset: integer('Results to pass over.', { min: 0, absent: 0 }),
  order_by: choice(`Order of the results. ${TIES}`, { values: SOCIAL_ORDERS, absent: 'total_improvement' }),
  order_direction: trendDirection,
  ...trendFilters('end_rank'),
  marketplace,
};

/** Spec 4.3. */
export const listSocialMediaRanks = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/social-media-ranks',
  operationId: 'listSocialMediaRanks',
  summary: 'Social-media ranks',
  description:
    'Keywords by how their social-media rank moved over the last six visible social periods. Categories are those of the ' +
    'retail keyword of the same term.',
  tag: 'Trends',
  scope: 'trends',
  parameters: socialParameters,
  success: {
    contentType: 'application/json',
    schema: successSchema({
      data: Type.Array(SocialMediaRankSchema),
      periods: Type.Object(
        { start: Type.String(), end: Type.String(), values: Type.Array(Type.String()) },
        { additionalProperties: false, description: 'The span, oldest first; empty without social-media data.' },
      ),
      pagination: PaginationSchema,
    }),
  },
  handle: async ({ caller, parameters, plan, resources, signal, time }) => {
    const marketplace = parseMarketplace(parameters.marketplace, resources.ranks);
    const query = toTrendQuery(parameters);
    const { frequency } = query;
    using social = resources.ranks.openView({ marketplace, frequency, source: 'social' }, caller.organizationId);
    const retail = social?.retail;
    const retailPublished = retail?.periods ?? [];
    const socialPlan = planSocialRanks(query, { plan, published: social?.periods ?? [], retailPublished });
    const page = social ? await time('trends', () => social.listSocialRanks(socialPlan, { signal })) : NO_RANKS;
    const terms = page.rows.map((row) => row.normalizedSearchTerm);
    const retailPlan = planLatestRanks({ frequency, terms }, { plan, published: retailPublished });
    const isAsked = retail !== undefined && terms.length > 0;
    const retailRanks = isAsked ? await time('retail', () => retail.listLatestRanks(retailPlan, { signal })) : [];
    const keys = socialPlan.span.map(periodKey);
    return {
      body: JSON.stringify({
        data: page.rows.map((row, i) => presentSocialRank(row, { keys, searchRank: retailRanks[i] ?? null })),
        periods: { start: keys[0] ?? '', end: keys.at(-1) ?? '', values: keys },
        pagination: presentPagination(pageOfSlice(socialPlan, page.totalCount)),
        error: null,
      }),
    };
  },
});

function presentSocialRank(
  row: SocialRow,
  { keys, searchRank }: { readonly keys: readonly string[]; readonly searchRank: number | null },
): Static<typeof SocialMediaRankSchema> {
  return {
    query: row.searchTerm,
    start_rank: row.startRank,
    end_rank: row.endRank,
    total_improvement: row.startRank - row.endRank,
    ranks: Object.fromEntries(
      keys.flatMap((key, i) => {
        const rank = row.ranks[i] ?? null;
        return rank === null ? [] : [[key, rank]];
      }),
    ),
    search_rank: searchRank,
  };
}
