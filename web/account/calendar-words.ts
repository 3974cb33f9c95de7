import type { CalendarEntry } from '../api/wire.ts';
import { formatInstant, formatPeriod } from '../parts/format.ts';

/** "US, W28, 5–11 Jul 2026: late. Expected on 15 Jul 2026, 08:00." */
export function describe(entry: CalendarEntry): string {
  const { marketplace, type, period, state, message, expected_at, next_at, published_at, origin, revision } = entry;
  const parts = [`${marketplace}, ${formatPeriod(period, type)}: ${state}.`];
  if (message !== null) parts.push(message);
  if (expected_at !== null) parts.push(`Expected on ${formatInstant(expected_at)}.`);
  if (next_at !== null && Date.parse(next_at) > Date.now()) parts.push(`Tried next on ${formatInstant(next_at)}.`);
  if (published_at !== null) {
    const from = origin === 'amazon' ? 'from Amazon' : 'from a file';
    parts.push(
      `Came ${from} on ${formatInstant(published_at)}${revision && revision > 1 ? `, revision ${revision}` : ''}.`,
    );
  }
  return parts.join(' ');
}
