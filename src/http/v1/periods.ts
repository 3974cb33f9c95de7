import { type Static, Type } from 'typebox';
import { originOf, PERIOD_ORIGINS } from '../../domain/download.ts';
import { FREQUENCIES, periodKey } from '../../domain/period.ts';
import { listMarketplaces, listVisiblePeriods, parseMarketplace } from '../../domain/published-ranks.ts';
import type { PublishedPeriod } from '../../domain/store.ts';
import { RANK_SOURCES } from '../../domain/store.ts';
import { defineEndpoint } from '../endpoint.ts';
import { choice } from '../parameters.ts';
import { answerJson, jsonSuccess, strictObject, textOf } from '../schemas.ts';
import { marketplace } from './search-parameters.ts';

const PeriodSchema = strictObject({
  type: textOf(FREQUENCIES),
  period: Type.String(),
  start_date: Type.String({ format: 'date' }),
  end_date: Type.String({ format: 'date' }),
  keywords: Type.Integer({ minimum: 0 }),
  data_points: Type.Integer({ minimum: 0 }),
  published_at: Type.String({ format: 'date-time' }),
  revision: Type.Integer({ minimum: 1 }),
  source: textOf(RANK_SOURCES, 'Retail search or social-media ranks.'),
  origin: textOf(PERIOD_ORIGINS, 'Fetched from Amazon, or imported from a file; `published_at` says when it came.'),
});

/** Spec 4.10. */
export const listPeriods = defineEndpoint({
  method: 'GET',
  path: '/v1/periods',
  operationId: 'listPeriods',
  summary: 'List periods',
  description: 'The published periods that the plan can see, newest first.',
  tag: 'Data',
  scope: 'search',
  parameters: {
    type: choice('Only this frequency. Default: both.', { values: FREQUENCIES, absent: undefined }),
    marketplace,
  },
  success: jsonSuccess({
    data: Type.Array(PeriodSchema),
    marketplace: Type.String({ description: 'Whose periods these are.' }),
    marketplaces: Type.Array(Type.String(), { description: 'Those that have data.' }),
  }),
  handle: async ({ parameters, plan, resources }) => {
    const { ranks } = resources;
    const marketplace = parseMarketplace(parameters.marketplace, ranks);
    const data = listVisiblePeriods(ranks.catalog, { plan, marketplace, sources: RANK_SOURCES })
      .filter(({ period }) => parameters.type === undefined || period.frequency === parameters.type)
      .map(presentPeriod);
    return answerJson({ data, marketplace, marketplaces: listMarketplaces(ranks.catalog) });
  },
});

function presentPeriod(published: PublishedPeriod): Static<typeof PeriodSchema> {
  return {
    type: published.period.frequency,
    period: periodKey(published.period),
    start_date: published.startDate,
    end_date: published.endDate,
    keywords: published.keywords,
    data_points: published.dataPoints,
    published_at: published.publishedAt.toISOString(),
    revision: published.revision,
    source: published.source,
    origin: originOf(published.sourceFile),
  };
}
