import { type Static, Type } from 'typebox';
import { originOf, PERIOD_ORIGINS } from '../../domain/download.ts';
import { FREQUENCIES, MIN_YEAR, periodDates, periodKey } from '../../domain/period.ts';
import {
  CALENDAR_REASONS,
  CALENDAR_STATES,
  type CalendarEntry,
  describeEntry,
  entriesOfYear,
  listCalendar,
} from '../../domain/period-calendar.ts';
import { defineEndpoint } from '../endpoint.ts';
import { integer } from '../parameters.ts';
import { answerJson, jsonSuccess, nullable, strictObject, textOf } from '../schemas.ts';

const time = Type.String({ format: 'date-time' });

const EntrySchema = strictObject({
  marketplace: Type.String(),
  type: textOf(FREQUENCIES),
  period: Type.String(),
  start_date: Type.String({ format: 'date' }),
  end_date: Type.String({ format: 'date' }),
  state: textOf(
    CALENDAR_STATES,
    'Published; on its way; the next one of its series and later than usual; or given up until the operator says retry.',
  ),
  reason: nullable(textOf(Object.keys(CALENDAR_REASONS)), 'What is in the way, for programs.'),
  message: nullable(Type.String(), 'The same for people. Null for what is there.'),
  expected_at: nullable(time, 'Of the next period of a series: when it comes if it is as punctual as those before it.'),
  next_at: nullable(time, 'When it is tried next.'),
  published_at: nullable(time, 'When it came.'),
  origin: nullable(textOf(PERIOD_ORIGINS), 'Where it came from.'),
  revision: nullable(Type.Integer({ minimum: 1 }), 'Above 1: it was corrected.'),
});

export const getPeriodCalendar = defineEndpoint({
  method: 'GET',
  path: '/v1/periods/calendar',
  operationId: 'getPeriodCalendar',
  summary: 'Calendar of periods',
  description:
    'The retail periods of one year of all marketplaces: those that the plan can see, and those that are fetched and are not there ' +
    'yet, with the reason. By marketplace, months before weeks, newest first. Costs no quota.',
  tag: 'Data',
  scope: 'account',
  parameters: {
    year: integer('Weeks belong to their ISO year. Default: the newest year with a published period.', {
      min: MIN_YEAR,
      max: 9999,
      absent: undefined,
      example: 2026,
    }),
  },
  success: jsonSuccess({
    data: Type.Array(EntrySchema),
    year: nullable(Type.Integer(), 'Whose periods these are; null when there is none at all.'),
    years: Type.Array(Type.Integer(), { description: 'Those that have periods, newest first.' }),
  }),
  handle: async ({ caller, parameters, plan, resources }) => {
    const { fetchedPeriods, ranks, now } = resources;
    const fetched = await fetchedPeriods.list(caller);
    const calendar = listCalendar({ catalog: ranks.catalog, plan, fetched, now: now() });
    const { year, years, entries } = entriesOfYear(calendar, parameters.year);
    return answerJson({ data: entries.map(presentEntry), year, years });
  },
});

function presentEntry(entry: CalendarEntry): Static<typeof EntrySchema> {
  const { marketplace, period, state, reason, expectedAt, nextAt, published } = entry;
  const { start, end } = published ? { start: published.startDate, end: published.endDate } : periodDates(period);
  return {
    marketplace,
    type: period.frequency,
    period: periodKey(period),
    start_date: start,
    end_date: end,
    state,
    reason,
    message: describeEntry(entry),
    expected_at: expectedAt?.toISOString() ?? null,
    next_at: nextAt?.toISOString() ?? null,
    published_at: published?.publishedAt.toISOString() ?? null,
    origin: published && originOf(published.sourceFile),
    revision: published?.revision ?? null,
  };
}
