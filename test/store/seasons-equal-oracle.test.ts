import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FREQUENCIES, type Frequency, type Period, periodDates, periodsInYear } from '../../src/domain/period.ts';
import { OWNER, type Plan } from '../../src/domain/plan.ts';
import { planSeasons, SEASON_ORDERS, type SeasonQuery } from '../../src/domain/season.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, shareOf, viewOf } from './engines.ts';
import { expectedSeasonal } from './season-oracle.ts';

const DATA_SETS = { monthly: 5, weekly: 3 };
const LISTS_PER_DATA_SET = 60;
/** Of the lists of a data set, because few of them have what is looked for. */
const MIN_SHARE = 0.4;
const TERMS = ['snow boots', 'Snow Shovel', 'sun screen', 'sunscreens', 'gift', 'gifts for him', 'lamp', '日本', '🎄'];
const FILTERS = [{}, { queries: ['shoe'], withinWeeks: 20 }, { categories: ['Camera'], maxRank: 300 }];
const CATEGORIES = ['Beauty', 'Camera', 'Mystery Group'];

/** So many periods from one in 2020 on, through years of 53 weeks too. */
function listPeriods(frequency: Frequency, { first, count }: { readonly first: number; readonly count: number }) {
  const periods: Period[] = [];
  for (let year = 2020, number = first; periods.length < count; number += 1) {
    if (number > periodsInYear({ frequency, year })) {
      year += 1;
      number = 1;
    }
    periods.push({ frequency, year, number });
  }
  return periods;
}

/** How a term's rank goes through the year, and where it is missing. */
interface Course {
  readonly term: string;
  readonly peak: number;
  /** Days by which the peak is early or late, by year. */
  readonly shifts: readonly number[];
  /** 0 for a flat course. */
  readonly height: number;
  readonly noise: readonly number[];
  readonly missing: readonly number[];
  readonly category: string;
}

function courseOf(term: string, count: number): fc.Arbitrary<Course> {
  const few = fc.array(fc.nat(count - 1), { maxLength: 3 });
  return fc.record({
    term: fc.constant(term),
    peak: fc.integer({ min: 0, max: 365 }),
    shifts: fc.array(fc.constantFrom(0, 0, 0, 20, -20, 45, 100), { minLength: 5, maxLength: 5 }),
    height: fc.constantFrom(0, 3, 40, 40_000_000 / 180),
    noise: fc.array(fc.nat(2), { minLength: count, maxLength: count }),
    missing: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: few }),
    category: fc.constantFrom(...CATEGORIES),
  });
}

function rankOf(course: Course, { period, index }: { readonly period: Period; readonly index: number }): TestRow {
  const day = Date.parse(periodDates(period).end) / 86_400_000;
  const shift = course.shifts[period.year % course.shifts.length] ?? 0;
  const apart = Math.abs(((((day - course.peak - shift) % 365) + 365 + 182) % 365) - 182);
  const rank = 1 + Math.floor((apart * course.height) / 10) + (course.noise[index] ?? 0);
  return { term: course.term, rank: Math.min(rank, 40_000_000), categories: [course.category] };
}

const dataSets = (frequency: Frequency): fc.Arbitrary<TestData> =>
  fc
    .record({
      first: fc.integer({ min: 1, max: frequency === 'monthly' ? 12 : 53 }),
      count:
        frequency === 'monthly'
          ? fc.oneof(fc.integer({ min: 22, max: 40 }), fc.integer({ min: 36, max: 40 }))
          : fc.integer({ min: 104, max: 160 }),
      gap: fc.option(fc.nat(150), { freq: 4 }),
    })
    .chain(({ first, count, gap }) =>
      fc.tuple(...TERMS.map((term) => courseOf(term, count))).map((courses) => {
        const periods = listPeriods(frequency, { first, count });
        const reports = periods.map((period, index) => ({
          period,
          rows: courses
            .filter(({ missing }) => !missing.includes(index))
            .map((course) => rankOf(course, { period, index })),
        }));
        return { frequency, periods: reports.filter((_, index) => index !== gap) };
      }),
    );

const lists: fc.Arbitrary<{ readonly plan: Plan; readonly query: Omit<SeasonQuery, 'frequency'> }> = fc.record({
  plan: fc
    .constantFrom<Plan['months']>('all', 'all', 24, 26, 36, 104, 105, 110, 1)
    .map((limit): Plan => ({ ...OWNER, months: limit, weeks: limit })),
  query: fc.record({
    peakMonth: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 2 }),
    withinWeeks: fc.option(fc.integer({ min: 0, max: 49 }), { nil: undefined, freq: 2 }),
    queries: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      fc.array(fc.constantFrom('snow', 'sun', 'gfit', 'xyz')),
    ),
    categories: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fc.constantFrom(...CATEGORIES, 'Other'))),
    minRank: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 2 }),
    maxRank: fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined, freq: 2 }),
    orderBy: fc.constantFrom(...SEASON_ORDERS),
    orderDirection: fc.constantFrom('asc' as const, 'desc' as const),
    offset: fc.constantFrom(0, 0, 1, 5),
    limit: fc.constantFrom(1, 2, 1000),
  }),
});

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('lists random seasons in random windows as the oracle does', async () => {
    const found = { monthly: 0, weekly: 0, filtered: 0, threeYears: 0 };
    const listCount = Math.ceil(LISTS_PER_DATA_SET * Math.max(share, MIN_SHARE));
    const asked = fc.array(lists, { minLength: listCount, maxLength: listCount, size: 'max' });
    await using opened = await openStore({});
    for (const frequency of FREQUENCIES) {
      const property = fc.asyncProperty(dataSets(frequency), asked, async (data, questions) => {
        await opened.replace({ search: data });
        using view = viewOf(opened.store, data);
        for (const { plan, query } of questions) {
          const seasonPlan = planSeasons({ ...query, frequency }, { plan, published: view.periods });
          const expected = expectedSeasonal(data, seasonPlan);
          expect(await view.listSeasonal(seasonPlan), JSON.stringify({ plan, query })).toEqual(expected);
          const isFiltered = query.queries.length + (query.categories?.length ?? 0) > 0;
          found[frequency] += expected.rows.length > 1 ? 1 : 0;
          found.filtered += isFiltered && expected.rows.length > 0 ? 1 : 0;
          found.threeYears += expected.rows.some(({ fullYears }) => fullYears > 2) ? 1 : 0;
        }
      });
      await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS[frequency] * share) });
    }
    // Lists without rows would agree too easily.
    expect(Math.min(...Object.values(found)), JSON.stringify(found)).toBeGreaterThan(0);
  }, 900_000);

  it('selects pages of long lists as the oracle sorts them', async () => {
    const terms = Array.from(
      { length: 2500 },
      (_, i) => ['shoe', 'Shoes for', 'x', '日本'][i % 4] + String((i * 7919) % 100_003),
    );
    const rankOf = (term: number, index: number) =>
      1 + ((term * 31) % 40) * 7 + Math.abs((index % 12) - (term % 12)) * 50;
    const data: TestData = {
      frequency: 'monthly',
      periods: listPeriods('monthly', { first: 5, count: 24 }).map((period, index) => ({
        period,
        rows: terms.map((term, i) => ({ term, rank: rankOf(i, index), categories: [CATEGORIES[i % 3] ?? ''] })),
      })),
    };
    await using opened = await openStore({ search: data });
    using view = viewOf(opened.store, data);
    const query = {
      minRank: undefined,
      maxRank: undefined,
      queries: [],
      categories: [],
      peakMonth: undefined,
      withinWeeks: undefined,
    } as const;
    const pages = SEASON_ORDERS.flatMap((orderBy) => [
      { orderBy, orderDirection: 'asc', offset: 0 } as const,
      { orderBy, orderDirection: 'desc', offset: 1200 } as const,
      { orderBy, orderDirection: 'asc', offset: 9999 } as const,
    ]);
    for (const [i, filter] of FILTERS.entries()) {
      for (const page of shareOf(pages, share, i)) {
        const asked = { ...query, ...page, ...filter, frequency: 'monthly', limit: 20 } as const;
        const plan = planSeasons(asked, { plan: OWNER, published: view.periods });
        const expected = expectedSeasonal(data, plan);
        expect(await view.listSeasonal(plan), JSON.stringify(plan.order)).toEqual(expected);
        expect(expected.totalCount).toBeGreaterThan(20);
      }
    }
  }, 600_000);
});
