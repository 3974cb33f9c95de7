// Numbers and dates for people. One locale, so that columns line up and screenshots read the same everywhere.
import type { Frequency } from '../api/wire.ts';

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const ONE_DECIMAL = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;

export function formatNumber(value: number): string {
  return WHOLE.format(value);
}

export function formatShort(value: number): string {
  return SHORT.format(value);
}

export function formatAverage(value: number): string {
  return WHOLE.format(Math.round(value));
}

export function formatPercent(value: number): string {
  return `${ONE_DECIMAL.format(value).replace('-', '−')}%`;
}

/** "Oct 2026"; "W46, 8–14 Nov 2026", because the number of a week tells few people which days it has. */
export function formatPeriod(key: string, type: Frequency): string {
  const [number, year] = readKey(key);
  if (type === 'monthly') return `${MONTHS[number - 1] ?? number} ${year}`;
  const { start, end } = weekDays(number, year);
  const first =
    start.getUTCFullYear() === end.getUTCFullYear() ? dayOf(start) : `${dayOf(start)} ${start.getUTCFullYear()}`;
  return `W${pad(number)}, ${spanOf(start, end, first)} ${end.getUTCFullYear()}`;
}

/** For narrow columns: "Oct 2026", "W46, 8–14 Nov". */
export function formatPeriodShort(key: string, type: Frequency): string {
  const [number, year] = readKey(key);
  if (type === 'monthly') return formatPeriod(key, type);
  const { start, end } = weekDays(number, year);
  return `W${pad(number)}, ${spanOf(start, end, dayOf(start))}`;
}

function readKey(key: string): readonly [number, number] {
  const [number = Number.NaN, year = Number.NaN] = key.split('-').map(Number);
  return [number, year];
}

/** Report weeks run from Sunday to the Saturday inside the ISO week. */
function weekDays(week: number, year: number): { readonly start: Date; readonly end: Date } {
  const fourthMs = Date.UTC(year, 0, 4);
  const firstMondayMs = fourthMs - ((new Date(fourthMs).getUTCDay() + 6) % 7) * DAY_MS;
  const saturdayMs = firstMondayMs + ((week - 1) * 7 + 5) * DAY_MS;
  return { start: new Date(saturdayMs - 6 * DAY_MS), end: new Date(saturdayMs) };
}

function dayOf(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

function spanOf(start: Date, end: Date, first: string): string {
  return start.getUTCMonth() === end.getUTCMonth() ? `${start.getUTCDate()}–${dayOf(end)}` : `${first} – ${dayOf(end)}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** "8 Jul 2026", from YYYY-MM-DD. */
export function formatDay(day: string): string {
  const [year, month, date] = day.split('-').map(Number);
  return `${date} ${MONTHS[(month ?? 1) - 1]} ${year}`;
}

/** "Jul 2026", from YYYY-MM. */
export function formatMonth(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return `${MONTHS[(number ?? 1) - 1]} ${year}`;
}

/** "15 Nov 2026, 05:21" in the reader's time. */
export function formatInstant(iso: string): string {
  const date = new Date(iso);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}, ${formatClock(date)}`;
}

export function formatClock(date: Date): string {
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

const AGES: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

/** "3 hours ago". */
export function formatAge(iso: string, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - Date.parse(iso)) / 1000);
  for (const [size, name] of AGES) {
    const count = Math.floor(seconds / size);
    if (count > 0) return `${formatNumber(count)} ${name}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}

/** "4:05" until an instant. */
export function formatCountdown(untilMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1000));
  return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
}
