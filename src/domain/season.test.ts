import { describe, expect, it } from 'vitest';
import { type Frequency, type Period, periodsInYear } from './period.ts';
import { OWNER } from './plan.ts';
import { listSeasonYears, planSeasons, type SeasonQuery, strengthHundredths } from './season.ts';

function listPeriods(frequency: Frequency, { from, to }: { readonly from: number; readonly to: number }): Period[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((year) =>
    Array.from({ length: periodsInYear({ frequency, year }) }, (_, i) => ({ frequency, year, number: i + 1 })),
  );
}

const QUERY: SeasonQuery = {
  ...{ queries: [], frequency: 'monthly', orderBy: 'strength', orderDirection: 'desc', offset: 0, limit: 10 },
  ...{ peakMonth: undefined, withinWeeks: undefined },
};

function weeksUntil(newest: Period): readonly number[] {
  const { frequency } = newest;
  return planSeasons({ ...QUERY, frequency }, { plan: OWNER, published: [newest] }).weeksUntilPeak;
}

describe('the years of a window', () => {
  it('are twelve months each, counted back from the newest', () => {
    const months = listPeriods('monthly', { from: 2024, to: 2026 });
    expect(listSeasonYears(months)).toHaveLength(3);
    expect(listSeasonYears(months.slice(0, 34))[0]).toEqual([
      ...[[24], [25], [26], [27], [28], [29], [30], [31], [32], [33], [22], [23]],
    ]);
    expect(listSeasonYears(months.slice(1))).toHaveLength(2);
    expect(listSeasonYears(months.slice(0, 11))).toEqual([]);
    expect(listSeasonYears([])).toEqual([]);
  });

  it('end at a month that was never published', () => {
    const months = listPeriods('monthly', { from: 2020, to: 2026 });
    expect(listSeasonYears(months.filter((_, i) => i !== 40))).toHaveLength(3);
    // The newest month that is published is the last of a year, whatever the calendar says.
    expect(listSeasonYears(months.filter((_, i) => i !== 82))).toHaveLength(0);
  });

  it('put a week into the month of its Thursday: the first into January, the last into December', () => {
    for (const to of [2020, 2021, 2024, 2026]) {
      const weeks = listPeriods('weekly', { from: to - 1, to });
      const years = listSeasonYears(weeks);
      expect(years.map((year) => [year[0]?.[0], year[11]?.at(-1)])).toEqual([
        [weeks.findIndex(({ year, number }) => year === to && number === 1), weeks.length - 1],
        [0, weeks.findIndex(({ year, number }) => year === to && number === 1) - 1],
      ]);
      expect(years.flat(2)).toHaveLength(weeks.length);
      // Every month has four or five Thursdays.
      expect(new Set(years.flat().map(({ length }) => length))).toEqual(new Set([4, 5]));
    }
  });

  it('leave out a newest month of which weeks are to come', () => {
    const weeks = listPeriods('weekly', { from: 2024, to: 2026 });
    const untilEndOfJuly = weeks.findIndex(({ year, number }) => year === 2026 && number === 32);
    const julyFirst = listSeasonYears(weeks.slice(0, untilEndOfJuly))[0];
    expect(julyFirst?.[6]?.at(-1)).toBe(untilEndOfJuly - 1);
    const withoutJuly = listSeasonYears(weeks.slice(0, untilEndOfJuly - 1))[0];
    expect(withoutJuly?.[6]?.at(-1)).toBeLessThan(untilEndOfJuly - 50);
    expect(withoutJuly?.[5]?.at(-1)).toBeGreaterThan(untilEndOfJuly - 10);
  });
});

describe('weeks until a month', () => {
  it('count from the day behind the newest period and are 0 while the month lasts', () => {
    const december = { frequency: 'monthly', year: 2025, number: 12 } as const;
    expect(weeksUntil(december)).toEqual([0, 5, 9, 13, 18, 22, 26, 31, 35, 39, 44, 48]);
    const february = { frequency: 'monthly', year: 2026, number: 2 } as const;
    expect(weeksUntil(february)).toEqual([44, 49, 0, 5, 9, 14, 18, 22, 27, 31, 35, 40]);
    // Ends on Saturday, 1 August 2026.
    const week = { frequency: 'weekly', year: 2026, number: 31 } as const;
    expect(weeksUntil(week)).toEqual([22, 27, 31, 35, 39, 44, 48, 0, 5, 9, 13, 18]);
  });

  it('and the wanted month decide together which months are listed', () => {
    const published = [{ frequency: 'monthly', year: 2025, number: 12 }] as const;
    const wanted = (query: Partial<SeasonQuery>) =>
      planSeasons({ ...QUERY, ...query }, { plan: OWNER, published }).isWanted.flatMap((is, i) => (is ? [i + 1] : []));
    expect(wanted({})).toHaveLength(12);
    expect(wanted({ withinWeeks: 9 })).toEqual([1, 2, 3]);
    expect(wanted({ peakMonth: 3 })).toEqual([3]);
    expect(wanted({ peakMonth: 3, withinWeeks: 8 })).toEqual([]);
    expect(planSeasons(QUERY, { plan: OWNER, published: [] }).isWanted).toEqual([]);
  });
});

describe('a strength', () => {
  it.each([
    [200, 20, 1000],
    [200, 60, 333],
    [162, 160, 101],
    [201, 200, 101],
    [200, 199, 101],
    [80_000_000, 2, 4_000_000_000],
  ])('of %d over %d is %d hundredths, rounded half up', (years, peak, hundredths) => {
    expect(strengthHundredths(years, peak)).toBe(hundredths);
  });
});
