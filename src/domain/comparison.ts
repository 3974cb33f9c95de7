// Which two periods are compared. A period that has no data, or in which a keyword has no rank, is never replaced by another.
import { invalidParameter } from './error.ts';
import { comparePeriods, type Frequency, isSamePeriod, type Period, periodKey, yearBefore } from './period.ts';
import { parseVisiblePeriod } from './visible-period.ts';

/** The earlier period as a caller names it: by its key as typed, or one year before the newer one. */
export type CompareTo = 'year_ago' | { readonly periodKey: string };
export const YEAR_AGO = 'year_ago';

export interface Comparison {
  /** Undefined where there is no such visible period. One that was named may lie in a gap. */
  readonly from: Period | undefined;
  /** The newer one; undefined while nothing is visible. */
  readonly to: Period | undefined;
  /** One year before the newer one; undefined where it is not visible. */
  readonly yearAgo: Period | undefined;
}

export const NO_COMPARISON: Comparison = { from: undefined, to: undefined, yearAgo: undefined };

export interface ComparisonQuery {
  readonly frequency: Frequency;
  /** The visible periods, oldest first. */
  readonly window: readonly Period[];
  /** Undefined means the visible period before the newer one. */
  readonly compareTo: CompareTo | undefined;
  /** Key of the newer period as typed; undefined means the newest visible one. */
  readonly period?: string | undefined;
}

export function planComparison({ frequency, window, compareTo, period }: ComparisonQuery): Comparison {
  const read = (key: string, parameter: string): Period =>
    parseVisiblePeriod(key, { parameter, frequency, window, otherwise: 'leave the parameter out' });
  const to = period === undefined ? window.at(-1) : read(period, 'period');
  const wantedYearAgo = to && yearBefore(to);
  const yearAgo = wantedYearAgo && window.find((visible) => isSamePeriod(visible, wantedYearAgo));
  if (compareTo === YEAR_AGO) return { from: yearAgo, to, yearAgo };
  if (compareTo === undefined) {
    return { from: to && window.findLast((visible) => comparePeriods(visible, to) < 0), to, yearAgo };
  }
  const from = read(compareTo.periodKey, 'compare_to');
  if (to && comparePeriods(from, to) < 0) return { from, to, yearAgo };
  const newer = to ? periodKey(to) : '';
  const fault = `names the period '${periodKey(from)}', which is not before ${newer}.`;
  throw invalidParameter({ name: 'compare_to', fault }, `Use a period before ${newer}, or ${YEAR_AGO}.`);
}
