// What a season is (domain/season.ts), case by case, on every engine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Period, periodDates } from '../../src/domain/period.ts';
import { OWNER, PRO } from '../../src/domain/plan.ts';
import { planSeasons, type SeasonQuery } from '../../src/domain/season.ts';
import type { TestData } from '../support/rank-data.ts';
import { ENGINES, type TestStore, viewOf } from './engines.ts';

const QUERY: SeasonQuery = {
  ...{ queries: [], categories: [], minRank: undefined, maxRank: undefined, frequency: 'monthly' },
  ...{ peakMonth: undefined, withinWeeks: undefined, orderBy: 'strength', orderDirection: 'desc' },
  ...{ offset: 0, limit: 100 },
};

/** Ranks of one term from January 2024 on; null where it has none. */
type Ranks = readonly (number | null)[];

/** Twelve months at 100, but for these. */
function year(months: Readonly<Record<number, number | null>>): Ranks {
  return Array.from({ length: 12 }, (_, i) => (months[i + 1] === undefined ? 100 : (months[i + 1] ?? null)));
}

function monthly(ranksByTerm: Readonly<Record<string, Ranks>>): TestData {
  const count = Math.max(...Object.values(ranksByTerm).map((ranks) => ranks.length));
  return {
    frequency: 'monthly',
    periods: Array.from({ length: count }, (_, i) => ({
      period: { frequency: 'monthly', year: 2024 + Math.floor(i / 12), number: 1 + (i % 12) },
      rows: Object.entries(ranksByTerm).flatMap(([term, ranks]) => {
        const rank = ranks[i] ?? null;
        return rank === null ? [] : [{ term, rank }];
      }),
    })),
  };
}

describe.each(ENGINES)('$name', ({ openStore }) => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openStore({});
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  async function open(data: TestData) {
    await opened.replace({ search: data });
    const view = viewOf(opened.store, data);
    const list = async (query: Partial<SeasonQuery> = {}, plan = OWNER) => {
      const planned = planSeasons({ ...QUERY, frequency: data.frequency, ...query }, { plan, published: view.periods });
      const { rows, totalCount } = await view.listSeasonal(planned);
      expect(totalCount).toBe(rows.length);
      return rows.map(({ searchTerm, peakMonth, strength, fullYears }) => [searchTerm, peakMonth, strength, fullYears]);
    };
    return { list, [Symbol.dispose]: () => view[Symbol.dispose]() };
  }

  async function listOnce(data: TestData) {
    using seasons = await open(data);
    return await seasons.list();
  }

  it('lists a term that peaks in the same month of two years, with the factor between the medians', async () => {
    const data = monthly({ sun: [...year({ 7: 10 }), ...year({ 7: 30 })], flat: [...year({}), ...year({})] });
    expect(await listOnce(data)).toEqual([['sun', 7, 5, 2]]);
  });

  it('takes a neighbouring month for the same one, December and January too, and none further away', async () => {
    const data = monthly({
      beside: [...year({ 7: 10 }), ...year({ 8: 20, 7: 90 })],
      wrapped: [...year({ 12: 10 }), ...year({ 1: 20 })],
      apart: [...year({ 6: 10 }), ...year({ 8: 20 })],
      opposite: [...year({ 1: 10 }), ...year({ 7: 10 })],
    });
    expect((await listOnce(data)).map(([term, month]) => [term, month])).toEqual([
      ['beside', 7],
      ['wrapped', 12],
    ]);
  });

  it("breaks ties of months towards January, and lets any of a year's best months be its peak", async () => {
    const data = monthly({
      twice: [...year({ 3: 10, 9: 10 }), ...year({ 3: 10, 9: 10 })],
      late: [...year({ 3: 20, 9: 10 }), ...year({ 3: 10, 9: 10 })],
    });
    expect((await listOnce(data)).map(([term, month]) => [term, month])).toEqual([
      ['late', 9],
      ['twice', 3],
    ]);
  });

  it('counts years back from the newest month, and needs a rank in every month of two of them', async () => {
    const summer = year({ 7: 10 });
    const data = monthly({
      three: [...summer, ...summer, ...summer],
      gap: [...summer, ...year({ 7: 10, 2: null }), ...summer],
      older: [...year({ 7: 10, 2: null }), ...summer, ...summer],
      gone: [...summer, ...summer, ...year({ 7: 10, 12: null })],
    });
    using seasons = await open(data);
    expect((await seasons.list()).toSorted()).toEqual([
      ['older', 7, 10, 2],
      ['three', 7, 10, 3],
    ]);
    expect((await seasons.list({}, PRO)).toSorted()).toEqual([
      ['older', 7, 10, 2],
      ['three', 7, 10, 2],
    ]);
    expect(await seasons.list({}, { ...PRO, months: 23 })).toEqual([]);
  });

  it('rounds strengths half up to two decimals and leaves out who stands no higher in the peak month', async () => {
    const data = monthly({
      third: [...year({ 7: 30 }), ...year({ 7: 30 })],
      half: [
        ...year({ 7: 80 }).map((rank) => (rank === 100 ? 81 : rank)),
        ...year({ 7: 80 }).map((rank) => (rank === 100 ? 81 : rank)),
      ],
      flat: [...year({}), ...year({})],
    });
    expect(await listOnce(data)).toEqual([
      ['third', 7, 3.33, 2],
      ['half', 7, 1.01, 2],
    ]);
  });

  it('finds no year in which a month was never published', async () => {
    const summer = year({ 7: 10 });
    const { periods, ...set } = monthly({ sun: [...summer, ...summer] });
    expect(await listOnce({ ...set, periods: periods.filter((_, i) => i !== 3) })).toEqual([]);
  });

  it('counts weeks until the peak month from the end of the newest period', async () => {
    const data = monthly({
      sun: [...year({ 3: 10 }), ...year({ 3: 10 })],
      snow: [...year({ 1: 9 }), ...year({ 1: 9 })],
    });
    // From the first of January 2026.
    const plan = planSeasons(QUERY, { plan: OWNER, published: data.periods.map(({ period }) => period) });
    expect(plan.weeksUntilPeak).toEqual([0, 5, 9, 13, 18, 22, 26, 31, 35, 39, 44, 48]);
    using seasons = await open(data);
    const termsOf = async (query: Partial<SeasonQuery>) => (await seasons.list(query)).map(([term]) => term);
    expect(await termsOf({ withinWeeks: 0 })).toEqual(['snow']);
    expect(await termsOf({ withinWeeks: 8 })).toEqual(['snow']);
    expect(await termsOf({ withinWeeks: 9, orderBy: 'weeks_until_peak' })).toEqual(['sun', 'snow']);
    expect(await termsOf({ peakMonth: 3 })).toEqual(['sun']);
    expect(await termsOf({ peakMonth: 3, withinWeeks: 8 })).toEqual([]);
  });

  it('puts a week into the month of its Thursday', async () => {
    const weeks = [
      ...Array.from({ length: 52 }, (_, i): Period => ({ frequency: 'weekly', year: 2024, number: i + 1 })),
      ...Array.from({ length: 52 }, (_, i): Period => ({ frequency: 'weekly', year: 2025, number: i + 1 })),
    ];
    // Week 31 of 2024 is from 28 July to 3 August; its Thursday is 1 August.
    const isPeak = (week: Period) => new Date(Date.parse(periodDates(week).end) - 2 * 86_400_000).getUTCMonth() === 7;
    const data: TestData = {
      frequency: 'weekly',
      periods: weeks.map((period) => ({ period, rows: [{ term: 'sun', rank: isPeak(period) ? 10 : 200 }] })),
    };
    expect(periodDates({ frequency: 'weekly', year: 2024, number: 31 }).start).toBe('2024-07-28');
    using seasons = await open(data);
    expect(await seasons.list()).toEqual([['sun', 8, 20, 2]]);
    // January of the first year has lost a week, or all.
    expect(await seasons.list({}, { ...OWNER, weeks: 103 })).toEqual([['sun', 8, 20, 2]]);
    expect(await seasons.list({}, { ...OWNER, weeks: 99 })).toEqual([]);
  }, 240_000);
});
