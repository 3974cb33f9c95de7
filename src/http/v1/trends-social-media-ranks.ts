import { type Static, Type } from 'typebox';
import { periodKey } from '../../domain/period.ts';
import type { SocialRow } from '../../domain/store.ts';
import { planLatestRanks, planSocialRanks, SOCIAL_ORDERS } from '../../domain/trend.ts';
import { defineEndpoint } from '../endpoint.ts';
import {
  answerJson,
  jsonSuccess,
  nullable,
  PaginationSchema,
  presentPagination,
  RanksByPeriodSchema,
  strictObject,
} from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { NO_TREND, toTrendQuery, trendParameters } from './trend-parameters.ts';

const SocialMediaRankSchema = strictObject({
  query: Type.String({ description: 'The term as imported.' }),
  start_rank: Type.Integer({ minimum: 1 }),
  end_rank: Type.Integer({ minimum: 1 }),
  total_improvement: Type.Integer({ description: 'start_rank - end_rank; positive means moved up.' }),
  ranks: RanksByPeriodSchema,
  search_rank: nullable(Type.Integer({ minimum: 1 }), 'Newest visible retail rank of the term, or null.'),
});

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
  parameters: trendParameters({
    orders: SOCIAL_ORDERS,
    order: 'total_improvement',
    direction: 'DESC',
    ties: 'end_rank, then by normalised term',
    rank: 'end_rank',
  }),
  success: jsonSuccess({
    data: Type.Array(SocialMediaRankSchema),
    periods: strictObject(
      { start: Type.String(), end: Type.String(), values: Type.Array(Type.String()) },
      { description: 'The span, oldest first; empty without social-media data.' },
    ),
    pagination: PaginationSchema,
  }),
  handle: async (context) => {
    const { parameters, plan, signal, time } = context;
    const query = toTrendQuery(parameters);
    const { frequency } = query;
    using social = openRequestedView(context, { frequency, source: 'social' });
    const retail = social?.retail;
    const retailPublished = retail?.periods ?? [];
    const socialPlan = planSocialRanks(query, { plan, published: social?.periods ?? [], retailPublished });
    const page = social ? await time('trends', () => social.listSocialRanks(socialPlan, { signal })) : NO_TREND;
    const terms = page.rows.map((row) => row.normalizedSearchTerm);
    const retailPlan = planLatestRanks({ frequency, terms }, { plan, published: retailPublished });
    const isAsked = retail !== undefined && terms.length > 0;
    const retailRanks = isAsked ? await time('retail', () => retail.listLatestRanks(retailPlan, { signal })) : [];
    const keys = socialPlan.span.map(periodKey);
    return answerJson({
      data: page.rows.map((row, i) => presentSocialRank(row, { keys, searchRank: retailRanks[i] ?? null })),
      periods: { start: keys[0] ?? '', end: keys.at(-1) ?? '', values: keys },
      pagination: presentPagination(socialPlan, page.totalCount),
    });
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
