// Numbers of a document as expressions, whole so that every engine has the same. What is not known is 0 for ranks, and has a condition
// beside it for everything else.
import type { Comparison } from '../../domain/comparison.ts';
import { RATIO_STEPS } from '../../domain/insights.ts';
import { isSamePeriod, type Period } from '../../domain/period.ts';
import { periodNumber } from '../period-number.ts';
import { type Sql, sql } from '../sql.ts';

/** A number that some rows do not have. */
export interface RowValue {
  readonly isKnown: Sql;
  readonly value: Sql;
}

type Window = readonly Period[];

export function ranksIn(window: Window): Sql {
  return sql`arrayFilter((r, p) -> p >= ${firstOf(window)}, ranks, periods)`;
}

export function firstSeen(window: Window): Sql {
  return sql`arrayReduce('min', arrayFilter(p -> p >= ${firstOf(window)}, periods))`;
}

export function rankIn(window: Window, period: Period | undefined): Sql {
  const isThere = period !== undefined && window.some((each) => isSamePeriod(each, period));
  return isThere ? sql`toInt64(ranks[indexOf(periods, ${periodNumber(period)})])` : sql`toInt64(0)`;
}

/** Positive is up. */
export function changeBetween(window: Window, from: Period | undefined, to: Period | undefined): RowValue {
  const [earlier, later] = [rankIn(window, from), rankIn(window, to)];
  return { isKnown: sql`(${earlier} > 0 AND ${later} > 0)`, value: sql`(${earlier} - ${later})` };
}

/** In hundredths of a percent, halves away from zero. */
export function changePercentage(window: Window, { from, to }: Comparison): RowValue {
  const { isKnown, value } = changeBetween(window, from, to);
  const earlier = rankIn(window, from);
  const size = sql`intDiv(abs(${value}) * 20000 + ${earlier}, if(${earlier} = 0, 1, 2 * ${earlier}))`;
  return { isKnown, value: sql`(if(${value} < 0, -1, 1) * toInt64(${size}))` };
}

/** In hundredths of a percent. */
export function concentration(column: 'clicks' | 'conversions'): RowValue {
  const shares = column === 'clicks' ? sql`clicks` : sql`conversions`;
  return {
    isKnown: sql`arrayExists(s -> s >= 0, ${shares})`,
    value: sql`toInt64(arraySum(arrayFilter(s -> s >= 0, ${shares})))`,
  };
}

/** In steps of a ten-thousandth, halves up. */
export function conversionToClick(): RowValue {
  const [click, conversion] = [concentration('clicks'), concentration('conversions')];
  const divisor = sql`if(${click.value} = 0, 1, 2 * ${click.value})`;
  return {
    isKnown: sql`(${click.isKnown} AND ${conversion.isKnown} AND ${click.value} > 0)`,
    value: sql`toInt64(intDiv(${conversion.value} * ${2 * RATIO_STEPS} + ${click.value}, ${divisor}))`,
  };
}

function firstOf([first]: Window): number {
  return first ? periodNumber(first) : 0;
}
