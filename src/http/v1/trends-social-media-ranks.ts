import { type Static, Type } from 'typebox';
import type { Cancellation } from '../../domain/cancellation.ts';
import { periodKey } from '../../domain/period.ts';
import type { Plan } from '../../domain/plan.ts';
import type { RankView, SocialRow, TrendPage } from '../../domain/store.ts';
import {
  planLatestRanks,
  planSocialRanks,
  SOCIAL_ORDERS,
  type SocialPlan,
  type SocialQuery,
} from '../../domain/trend.ts';
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

export const socialParameters = trendParameters({
  orders: SOCIAL_ORDERS,
  order: 'total_improvement',
  direction: 'DESC',
  ties: 'end_rank, then by normalised term',
  rank: 'end_rank',
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
  parameters: socialParameters,
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
    using social = openRequestedView(context, { ...query, source: 'social' });
    const socialPlan = planSocial(query, { plan, social });
    const page = social ? await time('trends', () => readSocialPage(social, { plan, socialPlan, signal })) : NO_TREND;
    const keys = socialPlan.span.map(periodKey);
    return answerJson({
      data: page.rows.map((row) => presentSocialRank(row, keys)),
      periods: { start: keys[0] ?? '', end: keys.at(-1) ?? '', values: keys },
      pagination: presentPagination(socialPlan, page.totalCount),
    });
  },
});

interface RankedSocialRow extends SocialRow {
  /** Newest visible retail rank of the term. */
  readonly searchRank: number | null;
}

export function planSocial(
  query: SocialQuery,
  { plan, social }: { readonly plan: Plan; readonly social: RankView | undefined },
): SocialPlan {
  const retailPublished = social?.retail?.periods ?? [];
  return planSocialRanks(query, { plan, published: social?.periods ?? [], retailPublished });
}

/** A page of the list, with what the retail set of the same moment says of its terms. */
export async function readSocialPage(
  social: RankView,
  options: { readonly plan: Plan; readonly socialPlan: SocialPlan; readonly signal: Cancellation },
): Promise<TrendPage<RankedSocialRow>> {
  const { plan, socialPlan, signal } = options;
  const { totalCount, rows } = await social.listSocialRanks(socialPlan, { signal });
  const { retail } = social;
  const terms = rows.map((row) => row.normalizedSearchTerm);
  const { frequency } = social.set;
  const retailPlan = planLatestRanks({ frequency, terms }, { plan, published: retail?.periods ?? [] });
  const ranks = retail && terms.length > 0 ? await retail.listLatestRanks(retailPlan, { signal }) : [];
  return { totalCount, rows: rows.map((row, i) => ({ ...row, searchRank: ranks[i] ?? null })) };
}

export function presentSocialRank(row: RankedSocialRow, keys: readonly string[]): Static<typeof SocialMediaRankSchema> {
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
    search_rank: row.searchRank,
  };
}
