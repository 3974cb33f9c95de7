// File names and the metadata line of native reports.

import { type Period, periodDates } from '../src/domain/period.ts';

const DAY_MS = 86_400_000;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export function reportFileName({
  marketplace,
  period,
}: {
  readonly marketplace: string;
  readonly period: Period;
}): string {
  const span = period.frequency === 'monthly' ? 'Month' : 'Week';
  return `${marketplace}_Top_Search_Terms_Simple_${span}_${periodDates(period).end.replaceAll('-', '_')}.csv`;
}

export function reportMetadata(period: Period): string {
  if (period.frequency === 'monthly') {
    return `Reporting Range=["Monthly"],Select year=["${period.year}"],Select month=["${MONTHS[period.number - 1]}"]`;
  }
  const { start, end } = periodDates(period);
  const year = Number(end.slice(0, 4));
  return `Reporting Range=["Weekly"],Select week=["Week ${printedWeek(end)} | ${start} - ${end} ${year}"]`;
}

/** Amazon's own week number: weeks begin on Sunday, and week 1 holds 1 January. It is not the ISO week in every year. */
function printedWeek(saturday: string): number {
  const saturdayMs = Date.parse(`${saturday}T00:00:00Z`);
  const januaryMs = Date.UTC(Number(saturday.slice(0, 4)), 0, 1);
  const firstSundayMs = januaryMs - new Date(januaryMs).getUTCDay() * DAY_MS;
  return Math.floor((saturdayMs - firstSundayMs) / (7 * DAY_MS)) + 1;
}
