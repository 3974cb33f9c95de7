// The filters of a plan as conditions on a row of documents.
import type { Comparison } from '../../domain/comparison.ts';
import { RATIO_STEPS } from '../../domain/insights.ts';
import type { Period } from '../../domain/period.ts';
import type { Filters } from '../../domain/search-filter.ts';
import { periodNumber } from '../period-number.ts';
import { type Sql, sql, strings } from '../sql.ts';
import { categoryFilterKey } from '../tokens.ts';
import {
  changeBetween,
  changePercentage,
  concentration,
  conversionToClick,
  firstSeen,
  type RowValue,
} from './row-values.ts';

const HUNDREDTHS = 100;

export function filterConditions({
  window,
  filters,
  comparison,
}: {
  readonly window: readonly Period[];
  readonly filters: Partial<Filters>;
  readonly comparison: Comparison;
}): readonly Sql[] {
  const { brands = [], asins = [], categories = [], firstSeenSince } = filters;
  const newest = window.at(-1);
  const { from, to, yearAgo } = comparison;
  const hasOne = (column: Sql, values: readonly string[]): readonly Sql[] =>
    values.length === 0 ? [] : [sql`hasAny(${column}, ${strings(values)})`];
  return [
    ...hasOne(sql`brand_keys`, brands),
    ...hasOne(sql`asins`, asins),
    ...hasOne(sql`category_keys`, categories.map(categoryFilterKey)),
    ...within({ isKnown: sql`1`, value: sql`latest_rank` }, filters.minRank, filters.maxRank),
    ...within({ isKnown: sql`1`, value: sql`word_count` }, filters.minWords, filters.maxWords),
    ...(filters.excludeNulls ? [sql`latest_period = ${newest ? periodNumber(newest) : 0}`] : []),
    ...within(changeBetween(window, from, to), filters.minChange, filters.maxChange),
    ...within(
      changePercentage(window, comparison),
      filters.minChangePercentage,
      filters.maxChangePercentage,
      HUNDREDTHS,
    ),
    ...within(changeBetween(window, yearAgo, to), filters.minYearChange, filters.maxYearChange),
    ...within(concentration('clicks'), filters.minClickConcentration, filters.maxClickConcentration, HUNDREDTHS),
    ...within(conversionToClick(), filters.minConversionToClick, filters.maxConversionToClick, RATIO_STEPS),
    ...(firstSeenSince ? [sql`${firstSeen(window)} >= ${periodNumber(firstSeenSince)}`] : []),
    ...(filters.titleGap ? [sql`title_gap = 1`] : []),
  ];
}

/** The value is in steps, of which so many make one. */
function within(
  { isKnown, value }: RowValue,
  min: number | undefined,
  max: number | undefined,
  steps = 1,
): readonly Sql[] {
  if (min === undefined && max === undefined) return [];
  return [
    isKnown,
    ...(min === undefined ? [] : [sql`${value} >= ${leastSteps(min, steps)}`]),
    ...(max === undefined ? [] : [sql`${value} <= ${mostSteps(max, steps)}`]),
  ];
}

/** The lowest number of steps that is not below the bound, as numbers that are shown compare with it. */
export function leastSteps(bound: number, steps: number): number {
  let least = Math.ceil(bound * steps);
  while (least / steps < bound) least += 1;
  while ((least - 1) / steps >= bound) least -= 1;
  return least;
}

export function mostSteps(bound: number, steps: number): number {
  return -leastSteps(-bound, steps);
}
