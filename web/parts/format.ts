// Numbers and dates for people. One locale, so that columns line up and screenshots read the same everywhere.
import type { Frequency } from '../api/wire.ts';

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const ONE_DECIMAL = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

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

/** "Oct 2026", "W45 2026". */
export function formatPeriod(key: string, type: Frequency): string {
  const [number = '', year = ''] = key.split('-');
  return type === 'monthly' ? `${MONTHS[Number(number) - 1] ?? number} ${year}` : `W${number} ${year}`;
}

/** "15 Nov 2026, 05:21" in the reader's time. */
export function formatInstant(iso: string): string {
  const date = new Date(iso);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}, ${formatClock(date)}`;
}

/** "4 Oct 2026" of a plain date. */
export function formatDate(isoDate: string): string {
  const [year = '', month = '', day = ''] = isoDate.split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

export function formatClock(date: Date): string {
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
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
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
