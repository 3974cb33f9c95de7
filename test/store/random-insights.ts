// Comparisons of any two periods, and filters by what they say; most searches have none of the filters.
import fc from 'fast-check';
import { periodKey, yearBefore } from '../../src/domain/period.ts';
import type { TestPeriod } from '../support/rank-data.ts';

/** Periods are published ones, not always visible ones, and some that lie in no report. */
export function randomInsights(periods: readonly TestPeriod[]) {
  const seldom = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 24, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  const keys = periods.flatMap(({ period }) => [periodKey(period), periodKey(yearBefore(period))]);
  const key = fc.constantFrom(...keys);
  const rankChange = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -3_000_000, max: 3_000_000 }));
  const percentage = fc.oneof(
    fc.integer({ min: -30_000, max: 9_999 }).map((hundredths) => hundredths / 100),
    fc.double({ min: -100_000, max: 100, noNaN: true }),
  );
  const concentration = fc.integer({ min: 0, max: 20_000 }).map((hundredths) => hundredths / 100);
  const ratio = fc.oneof(
    fc.integer({ min: 0, max: 30_000 }).map((steps) => steps / 10_000),
    fc.double({ min: 0, max: 9, noNaN: true }),
  );
  return {
    compareTo: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constant('year_ago' as const) },
      { weight: 2, arbitrary: key.map((each) => ({ periodKey: each })) },
    ),
    includesInsights: fc.boolean(),
    minChange: seldom(rankChange),
    maxChange: seldom(rankChange),
    minChangePercentage: seldom(percentage),
    maxChangePercentage: seldom(percentage),
    minYearChange: seldom(rankChange),
    maxYearChange: seldom(rankChange),
    minClickConcentration: seldom(concentration),
    maxClickConcentration: seldom(concentration),
    minConversionToClick: seldom(ratio),
    maxConversionToClick: seldom(ratio),
    firstSeenSince: seldom(key),
    titleGap: fc.constantFrom(...Array<boolean>(8).fill(false), true),
  };
}

export const NO_INSIGHT_FILTERS = {
  ...{ minChange: undefined, maxChange: undefined, minChangePercentage: undefined, maxChangePercentage: undefined },
  ...{ minYearChange: undefined, maxYearChange: undefined, minClickConcentration: undefined },
  ...{ maxClickConcentration: undefined, minConversionToClick: undefined, maxConversionToClick: undefined },
  ...{ firstSeenSince: undefined, titleGap: false },
};
