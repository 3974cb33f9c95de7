import { type Static, Type } from 'typebox';
import { periodKey } from '../../domain/period.ts';
import {
  MAX_WEEKS_UNTIL_PEAK,
  MIN_FULL_YEARS,
  planSeasons,
  SEASON_ORDERS,
  type SeasonQuery,
} from '../../domain/season.ts';
import type { SeasonRow } from '../../domain/store.ts';
import { defineEndpoint } from '../endpoint.ts';
import { choice, integer, type ParameterValues } from '../parameters.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination, strictObject } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { NO_TREND, toTrendQuery, trendParameters } from './trend-parameters.ts';

const MonthSchema = { minimum: 1, maximum: 12 } as const;

const SeasonalTermSchema = strictObject({
  query: Type.String({ description: 'The term as imported.' }),
  current_rank: Type.Integer({ minimum: 1 }),
  peak_month: Type.Integer({ ...MonthSchema, description: 'The month with the lowest median rank, January is 1.' }),
  strength: Type.Number({
    minimum: 1,
    description: 'Median rank of the full years over that of the peak month, rounded to two decimals.',
  }),
  weeks_until_peak: Type.Integer({
    minimum: 0,
    maximum: MAX_WEEKS_UNTIL_PEAK,
    description: 'From the end of the newest visible period until the peak month begins next; 0 while it lasts.',
  }),
  full_years: Type.Integer({ minimum: MIN_FULL_YEARS, description: 'Years that this is computed from.' }),
});

const {
  type: _type,
  limit,
  offset,
  ...listParameters
} = trendParameters({
  orders: SEASON_ORDERS,
  order: 'strength',
  direction: 'DESC',
  ties: 'current_rank, then by normalised term',
  rank: 'current_rank',
});

export const seasonParameters = {
  type: choice('Data frequency; `M` and `W` as in the other trend lists.', {
    values: ['monthly', 'weekly', 'M', 'W'],
    absent: 'monthly',
  }),
  peak_month: integer('Keeps terms that peak in this month, January is 1.', {
    min: 1,
    max: 12,
    absent: undefined,
    example: 12,
  }),
  within_weeks: integer('Keeps terms whose weeks_until_peak is at most this.', {
    min: 0,
    max: MAX_WEEKS_UNTIL_PEAK,
    absent: undefined,
    example: 8,
  }),
  limit,
  offset,
  ...listParameters,
};

export const listSeasonalTerms = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/seasonal',
  operationId: 'listSeasonalTerms',
  summary: 'Seasonal terms',
  description:
    'Terms that peak in the same month, or the one beside it, in each of at least two full years. A plan that sees less than 24 months ' +
    '(or about 104 weeks) gets an empty list.',
  tag: 'Trends',
  scope: 'trends',
  parameters: seasonParameters,
  success: jsonSuccess({
    data: Type.Array(SeasonalTermSchema),
    periods: strictObject(
      { oldest: Type.String(), current: Type.String() },
      { description: 'The oldest and the newest visible period; empty while there is none.' },
    ),
    pagination: PaginationSchema,
  }),
  handle: async (context) => {
    const { parameters, plan, signal, time } = context;
    const query = toSeasonQuery(parameters);
    using view = openRequestedView(context, query);
    const seasonPlan = planSeasons(query, { plan, published: view?.periods ?? [] });
    const page = view ? await time('trends', () => view.listSeasonal(seasonPlan, { signal })) : NO_TREND;
    const [oldest, current] = [seasonPlan.window[0], seasonPlan.window.at(-1)];
    return answerJson({
      data: page.rows.map((row) => presentSeason(row, seasonPlan.weeksUntilPeak)),
      periods: { oldest: oldest ? periodKey(oldest) : '', current: current ? periodKey(current) : '' },
      pagination: presentPagination(seasonPlan, page.totalCount),
    });
  },
});

export function toSeasonQuery(values: ParameterValues<typeof seasonParameters>): SeasonQuery {
  return { ...toTrendQuery(values), peakMonth: values.peak_month, withinWeeks: values.within_weeks };
}

export function presentSeason(row: SeasonRow, weeksUntilPeak: readonly number[]): Static<typeof SeasonalTermSchema> {
  return {
    query: row.searchTerm,
    current_rank: row.currentRank,
    peak_month: row.peakMonth,
    strength: row.strength,
    weeks_until_peak: weeksUntilPeak[row.peakMonth - 1] ?? 0,
    full_years: row.fullYears,
  };
}
