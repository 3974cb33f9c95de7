// Which periods are fetched, and when one is late.
import type { Connection } from './connection.ts';
import {
  comparePeriods,
  type Frequency,
  type IsoDate,
  isoWeekOf,
  monthOf,
  type Period,
  periodDates,
} from './period.ts';
import type { PublishedPeriod } from './store.ts';

const DAY_MS = 86_400_000;

/** Reports are asked for from so long after the end of their period: earlier ones never succeed. */
const FIRST_ASKED_MS = { weekly: 1.5 * DAY_MS, monthly: 2.5 * DAY_MS } as const;
/** Amazon keeps no more; a bound on what a date that is far too early asks for. */
const MAX_PERIODS = { weekly: 160, monthly: 40 } as const;

/** The periods of one frequency that a connection fetches now, newest first. */
export function listWantedPeriods(
  connection: Pick<Connection, 'lookBackWeeks' | 'lookBackMonths' | 'since'>,
  frequency: Frequency,
  now: Date,
): readonly Period[] {
  const { since } = connection;
  const recentCount = lookBackOf(connection, frequency);
  return lastPeriods(frequency, now, since === null ? recentCount : MAX_PERIODS[frequency]).filter(
    (period, place) => place < recentCount || (since !== null && endOf(period) >= since),
  );
}

/** Whether a period lies in the look-back, in which it is fetched, and looked at again for corrections. */
export function isRecent(
  connection: Pick<Connection, 'lookBackWeeks' | 'lookBackMonths'>,
  period: Period,
  now: Date,
): boolean {
  const { frequency } = period;
  const oldest = lastPeriods(frequency, now, lookBackOf(connection, frequency)).at(-1);
  return oldest !== undefined && comparePeriods(period, oldest) >= 0;
}

function lookBackOf(
  { lookBackWeeks, lookBackMonths }: Pick<Connection, 'lookBackWeeks' | 'lookBackMonths'>,
  frequency: Frequency,
): number {
  return frequency === 'weekly' ? lookBackWeeks : lookBackMonths;
}

/** Those whose time to be asked for has come, newest first. */
function lastPeriods(frequency: Frequency, now: Date, count: number): readonly Period[] {
  const latestMs = now.getTime() - FIRST_ASKED_MS[frequency] - DAY_MS;
  const periods: Period[] = [];
  let period = lastEnded(frequency, latestMs);
  while (periods.length < count) {
    periods.push(period);
    period = previousPeriod(period);
  }
  return periods;
}

/** The newest period whose last day is not after the given moment's. */
function lastEnded(frequency: Frequency, ms: number): Period {
  const day = dayOf(ms);
  const period = frequency === 'monthly' ? monthOf(day) : isoWeekOf(day);
  return endOf(period) <= day ? period : previousPeriod(period);
}

function previousPeriod(period: Period): Period {
  const dayBefore = dayOf(Date.parse(`${periodDates(period).start}T00:00:00Z`) - DAY_MS);
  // The day before the Sunday that begins a report week is the Saturday of the week before.
  return period.frequency === 'monthly' ? monthOf(dayBefore) : isoWeekOf(dayBefore);
}

function nextPeriod(period: Period): Period {
  const dayAfter = Date.parse(`${periodDates(period).end}T00:00:00Z`) + DAY_MS;
  return period.frequency === 'monthly' ? monthOf(dayOf(dayAfter)) : isoWeekOf(dayOf(dayAfter + 6 * DAY_MS));
}

function endOf(period: Period): IsoDate {
  return periodDates(period).end;
}

function dayOf(ms: number): IsoDate {
  return new Date(ms).toISOString().slice(0, 10) as IsoDate;
}

/** A period that should have come by now. */
export interface LatePeriod {
  readonly marketplace: string;
  readonly period: Period;
  /** When it would have come if it were as punctual as the ones before it. */
  readonly expectedAt: Date;
}

/** Without enough periods to tell what is usual. */
const USUAL_DAYS = { weekly: 4, monthly: 8 } as const;
/** A period that came later than this was fetched afterwards, and says nothing of what is usual. */
const PUNCTUAL_DAYS = { weekly: 14, monthly: 25 } as const;
/** As many as every plan that ships can see: all are told the same. */
const COMPARED_PERIODS = 6;
const MIN_COMPARED = 3;
const PATIENCE_DAYS = 2;

/** The period that should follow the newest one of a series. */
export interface ExpectedPeriod extends LatePeriod {
  /** By two days and more. */
  readonly isLate: boolean;
  /** Whether enough periods came in time to tell what is usual. */
  readonly hasHabit: boolean;
}

/** Undefined where nothing was published. */
export function expectNextPeriod(
  /** Of one marketplace and frequency. */
  published: readonly Pick<PublishedPeriod, 'marketplace' | 'period' | 'endDate' | 'publishedAt'>[],
  now: Date,
): ExpectedPeriod | undefined {
  const newestFirst = published.toSorted((a, b) => comparePeriods(b.period, a.period));
  const [newest] = newestFirst;
  if (!newest) return undefined;
  const { marketplace, period } = newest;
  const { frequency } = period;
  const delays = newestFirst
    .slice(0, COMPARED_PERIODS)
    .map(({ endDate, publishedAt }) => (publishedAt.getTime() - afterDay(endDate)) / DAY_MS)
    .filter((days) => days >= 0 && days <= PUNCTUAL_DAYS[frequency])
    .toSorted((a, b) => a - b);
  const median = delays[Math.floor(delays.length / 2)];
  const hasHabit = delays.length >= MIN_COMPARED;
  const usualDays = median === undefined || !hasHabit ? USUAL_DAYS[frequency] : median;
  const missing = nextPeriod(period);
  const expectedMs = afterDay(endOf(missing)) + usualDays * DAY_MS;
  const isLate = now.getTime() > expectedMs + PATIENCE_DAYS * DAY_MS;
  return { marketplace, period: missing, expectedAt: new Date(expectedMs), isLate, hasHabit };
}

/** The next period of a series when it is later than usual. Where nobody fetches, only of a series that came regularly so far. */
export function findLatePeriod(
  published: Parameters<typeof expectNextPeriod>[0],
  { now, isFetched }: { readonly now: Date; readonly isFetched: boolean },
): LatePeriod | undefined {
  const expected = expectNextPeriod(published, now);
  if (!expected?.isLate || !(isFetched || expected.hasHabit)) return undefined;
  const { marketplace, period, expectedAt } = expected;
  return { marketplace, period, expectedAt };
}

function afterDay(date: IsoDate): number {
  return Date.parse(`${date}T00:00:00Z`) + DAY_MS;
}
