// Seasons: terms that peak in the same month, or the one beside it, in each of two or more years.
//
// Months. A week counts to the month of its Thursday, so week 1 is always January and the last week December. A month is over when
// the newest visible period is its last one.
//
// Years. They are twelve months each, counted back from the newest visible month that is over. A year is full for a term that has a
// rank in every one of its months. What counts for a term is its unbroken run of full years up to the newest; with fewer than two it is not
// listed, nor without a rank in the newest visible period.
//
// Peak. The peak month is the one of the calendar with the lowest median of its ranks over these years; January first, where several share it. In
// each of the years by itself a month with the lowest median must be that month or a neighbour; December and January are neighbours.
// The strength is the median of all ranks of these years over that of the peak month. A term that does not stand higher in it than in
// the years as a whole is not listed.
import { dateMs, type Period, periodDates } from './period.ts';
import { planTrend, type TrendContext, type TrendPlan, type TrendQuery } from './trend.ts';

export const SEASON_ORDERS = ['strength', 'weeks_until_peak', 'current_rank', 'query'] as const;
export type SeasonOrder = (typeof SEASON_ORDERS)[number];

export const MONTHS_IN_YEAR = 12;
export const MIN_FULL_YEARS = 2;
/** From the first of March to the next of February. */
export const MAX_WEEKS_UNTIL_PEAK = 49;

export interface SeasonQuery extends TrendQuery<SeasonOrder> {
  /** 1 to 12. */
  readonly peakMonth: number | undefined;
  readonly withinWeeks: number | undefined;
}

export interface SeasonPlan extends TrendPlan<SeasonOrder> {
  /** By month, January first: weeks until it begins next, 0 while it lasts. Empty while nothing is visible. */
  readonly weeksUntilPeak: readonly number[];
  /** By month, January first: whether terms that peak in it are wanted. */
  readonly isWanted: readonly boolean[];
}

/** By month, January first: the periods in it, as places in the window. */
export type SeasonYear = readonly (readonly number[])[];

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

export function planSeasons(query: SeasonQuery, context: TrendContext): SeasonPlan {
  const plan = planTrend(query, context);
  const { peakMonth, withinWeeks = Number.POSITIVE_INFINITY } = query;
  const newest = plan.window.at(-1);
  const weeksUntilPeak = newest ? listWeeksUntil(newest) : [];
  const isWanted = weeksUntilPeak.map(
    (weeks, i) => weeks <= withinWeeks && (peakMonth === undefined || i + 1 === peakMonth),
  );
  return { ...plan, weeksUntilPeak, isWanted };
}

/** By month, January first: weeks from the end of a period until the month begins next, rounded up. */
function listWeeksUntil(newest: Period): readonly number[] {
  const fromMs = dateMs(periodDates(newest).end) + DAY_MS;
  const from = new Date(fromMs);
  const monthNow = from.getUTCMonth();
  return Array.from({ length: MONTHS_IN_YEAR }, (_, month) => {
    if (month === monthNow) return 0;
    const year = from.getUTCFullYear() + (month < monthNow ? 1 : 0);
    return Math.ceil((Date.UTC(year, month, 1) - fromMs) / (WEEK_DAYS * DAY_MS));
  });
}

/** The years of a window in which every month has a period, without a gap up to the newest, newest first. */
export function listSeasonYears(window: readonly Period[]): readonly SeasonYear[] {
  const newest = window.at(-1);
  if (!newest) return [];
  const places = new Map<number, number[]>();
  for (const [place, period] of window.entries()) {
    const month = monthNumber(period);
    places.set(month, [...(places.get(month) ?? []), place]);
  }
  const years: SeasonYear[] = [];
  for (let last = lastMonthNumber(newest); ; last -= MONTHS_IN_YEAR) {
    const year = Array.from({ length: MONTHS_IN_YEAR }, (_, month) => {
      // The number of this calendar month among the twelve that end with the last one.
      return places.get(last - ((last - month) % MONTHS_IN_YEAR)) ?? [];
    });
    if (year.some((month) => month.length === 0)) return years;
    years.push(year);
  }
}

/** In hundredths, rounded half up. Medians are doubled, so that they are whole. */
export function strengthHundredths(yearsMedian: number, peakMedian: number): number {
  return Math.floor((yearsMedian * 200 + peakMedian) / (2 * peakMedian));
}

/** Months since January of the year 0. */
function monthNumber(period: Period): number {
  if (period.frequency === 'monthly') return period.year * MONTHS_IN_YEAR + period.number - 1;
  return monthOfDay(thursdayMs(period));
}

/** The month of a period, or the one before when more of its weeks are to come. */
function lastMonthNumber(newest: Period): number {
  const month = monthNumber(newest);
  if (newest.frequency === 'monthly') return month;
  return monthOfDay(thursdayMs(newest) + WEEK_DAYS * DAY_MS) === month ? month - 1 : month;
}

/** Report weeks end on the Saturday of their ISO week. */
function thursdayMs(week: Period): number {
  return dateMs(periodDates(week).end) - 2 * DAY_MS;
}

function monthOfDay(ms: number): number {
  const day = new Date(ms);
  return day.getUTCFullYear() * MONTHS_IN_YEAR + day.getUTCMonth();
}
