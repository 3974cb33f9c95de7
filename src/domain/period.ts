// A period is a month or an ISO week. Its key ("05-2026") means nothing without its frequency, and keys do not sort as
// text, so the code passes Period values around and turns them into keys only at the edges.

export const FREQUENCIES = ['monthly', 'weekly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export interface Period {
  readonly frequency: Frequency;
  /** Calendar year of a month, ISO week-year of a week. */
  readonly year: number;
  /** 1 to 12, or 1 to 53. */
  readonly number: number;
}

export type PeriodKey = string & { readonly __brand: 'PeriodKey' };

/** A calendar day in the form YYYY-MM-DD; such dates do sort as text. */
export type IsoDate = string & { readonly __brand: 'IsoDate' };

const DAY_MS = 86_400_000;
export const MIN_YEAR = 1000;

/** Spec 2.4: one to three digits, a hyphen, four digits. */
export const PERIOD_KEY_PATTERN = /^([0-9]{1,3})-([0-9]{4})$/;

/** Reads a period key of a known frequency; undefined when no such month or week exists. */
export function parsePeriodKey(key: string, frequency: Frequency): Period | undefined {
  const match = PERIOD_KEY_PATTERN.exec(key);
  if (!match) return undefined;
  const number = Number(match[1]);
  const year = Number(match[2]);
  if (year < MIN_YEAR || number < 1 || number > periodsInYear({ frequency, year })) return undefined;
  return { frequency, year, number };
}

export function periodKey(period: Period): PeriodKey {
  return `${String(period.number).padStart(2, '0')}-${String(period.year).padStart(4, '0')}` as PeriodKey;
}

/** Chronological within one frequency. Comparing across frequencies is a programmer error, not an order. */
export function comparePeriods(a: Period, b: Period): number {
  return a.year - b.year || a.number - b.number;
}

export function isSamePeriod(a: Period, b: Period): boolean {
  return a.frequency === b.frequency && a.year === b.year && a.number === b.number;
}

export function periodsInYear({ frequency, year }: { frequency: Frequency; year: number }): number {
  return frequency === 'monthly' ? 12 : isoWeeksInYear(year);
}

/** The same month or ISO week one year before; of a week 53 the last week, where that year has no such week. */
export function yearBefore({ frequency, year, number }: Period): Period {
  return { frequency, year: year - 1, number: Math.min(number, periodsInYear({ frequency, year: year - 1 })) };
}

export function monthOf(date: IsoDate): Period {
  return { frequency: 'monthly', year: Number(date.slice(0, 4)), number: Number(date.slice(5, 7)) };
}

/** The ISO week that a day falls in. For a report week (Sunday to Saturday) pass its Saturday. */
export function isoWeekOf(date: IsoDate): Period {
  const dayMs = dateMs(date);
  const weekday = (new Date(dayMs).getUTCDay() + 6) % 7; // Monday is 0.
  const thursdayMs = dayMs + (3 - weekday) * DAY_MS;
  const year = new Date(thursdayMs).getUTCFullYear();
  const number = 1 + Math.floor((thursdayMs - utcMs(year, 0, 1)) / (7 * DAY_MS));
  return { frequency: 'weekly', year, number };
}

/** First and last day of a period. Report weeks run from Sunday to the Saturday inside the ISO week. */
export function periodDates(period: Period): { readonly start: IsoDate; readonly end: IsoDate } {
  if (period.frequency === 'monthly') {
    return {
      start: isoDate(utcMs(period.year, period.number - 1, 1)),
      end: isoDate(utcMs(period.year, period.number, 0)),
    };
  }
  const saturdayMs = firstMondayMs(period.year) + ((period.number - 1) * 7 + 5) * DAY_MS;
  return { start: isoDate(saturdayMs - 6 * DAY_MS), end: isoDate(saturdayMs) };
}

/**
 * Whether a period is not over yet anywhere on earth. A day is added to the clock's, because reports come from countries where
 * it is tomorrow already.
 */
export function isUnfinished(period: Period, now: Date): boolean {
  const tomorrow = new Date(now.getTime() + DAY_MS);
  // Years first: beyond 9999, dates no longer sort as text.
  if (period.year > tomorrow.getUTCFullYear() + 1) return true;
  return periodDates(period).end > isoDate(tomorrow.getTime());
}

/** Reads YYYY-MM-DD; undefined when there is no such day. */
export function parseIsoDate(text: string): IsoDate | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || isoDate(ms) !== text ? undefined : (text as IsoDate);
}

function isoWeeksInYear(year: number): number {
  return (firstMondayMs(year + 1) - firstMondayMs(year)) / (7 * DAY_MS);
}

/** Monday of ISO week 1: the week that holds 4 January. */
function firstMondayMs(year: number): number {
  const fourthMs = utcMs(year, 0, 4);
  return fourthMs - ((new Date(fourthMs).getUTCDay() + 6) % 7) * DAY_MS;
}

/** Not Date.UTC, which takes the years 0 to 99 for those of the last century. */
function utcMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** Its first moment in UTC. */
export function dateMs(date: IsoDate): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function isoDate(ms: number): IsoDate {
  return new Date(ms).toISOString().slice(0, 10) as IsoDate;
}
