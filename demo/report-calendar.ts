// Which periods a data set covers: the newest ones that are complete.

import { type IsoDate, isoWeekOf, monthOf, type Period, parseIsoDate, periodDates } from '../src/domain/period.ts';

const DAY_MS = 86_400_000;

/** The newest months that ended before the day of `now` (UTC), oldest first. */
export function completeMonths({ now, count }: { readonly now: Date; readonly count: number }): readonly Period[] {
  const months: Period[] = [];
  for (let back = count; back >= 1; back -= 1) {
    months.push(monthOf(isoDateOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1))));
  }
  return months;
}

/** The newest report weeks whose Saturday is before the day of `now` (UTC), oldest first. */
export function completeWeeks({ now, count }: { readonly now: Date; readonly count: number }): readonly Period[] {
  const todayMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const saturdayMs = todayMs - (now.getUTCDay() + 1) * DAY_MS;
  const weeks: Period[] = [];
  for (let back = count - 1; back >= 0; back -= 1) weeks.push(isoWeekOf(isoDateOf(saturdayMs - back * 7 * DAY_MS)));
  return weeks;
}

/** By last day; a week before a month that ends with it. */
export function compareByEnd(a: Period, b: Period): number {
  const [endA, endB] = [periodDates(a).end, periodDates(b).end];
  if (endA !== endB) return endA < endB ? -1 : 1;
  return a.frequency === b.frequency ? 0 : a.frequency === 'weekly' ? -1 : 1;
}

function isoDateOf(ms: number): IsoDate {
  const date = parseIsoDate(new Date(ms).toISOString().slice(0, 10));
  if (date === undefined) throw new Error(`${ms} is not a day.`);
  return date;
}
