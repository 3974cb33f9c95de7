// Relations between answers that hold whatever the right answer is.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brandHolder, planComparison, planHeldKeywords, planHolder, planTermHistory } from '../../src/domain/holder.ts';
import { isSamePeriod, periodKey } from '../../src/domain/period.ts';
import { PRO } from '../../src/domain/plan.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import { SEARCH_ORDERS } from '../../src/domain/search-query.ts';
import { planSeasons } from '../../src/domain/season.ts';
import type { RankView } from '../../src/domain/store.ts';
import { planSuggestions } from '../../src/domain/suggestion.ts';
import { planChanges, planNewTerms } from '../../src/domain/trend.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { ENGINES, shareOf, type TestStore, viewOf } from './engines.ts';
import { randomPlan } from './random-plan.ts';
import { periodAt, planKeywords } from './search-fixture.ts';

const WORDS = ['shoe', 'shoes', 'red', 'usb', 'hub', 'mini', 'case', 'cases', '2-pack', 'iphone'];
const QUERIES = ['shoe', 'red usb', 'case', 'iphnoe', 'mini hub', '2 pack', 'wireless'];

const TREND = {
  queries: [],
  categories: [],
  minRank: undefined,
  maxRank: undefined,
  frequency: 'monthly',
  orderDirection: 'asc',
  offset: 0,
  limit: 1000,
} as const;

const HELD = { periodKey: undefined, queries: ['shoe', 'case'], offset: 0, limit: 100, orderDirection: undefined };

/** Enough keywords that lists are long and pages many; more months than Pro can see. */
function makeData(): TestData {
  const pick = (seed: number) => WORDS[Math.abs(Math.imul(seed, 2_654_435_761)) % WORDS.length] ?? '';
  const row = (month: number, place: number): TestRow => {
    const id = (place * 7 + month * 31) % 900;
    return {
      term: `${pick(id)} ${pick(id * 3 + 1)} ${id % 4 === 0 ? '' : pick(id * 5 + 2)} ${id}`,
      rank: place + 1,
      brands: [id % 3 === 0 ? (month % 2 === 0 ? 'Anker' : 'ANKER') : null],
      products: [{ asin: `B00000000${id % 7}`, title: titleIn(month), clickShare: 1, conversionShare: null }],
      categories: [id % 2 === 0 ? 'Toys' : 'Strange'],
    };
  };
  // Every third month has no titles, so that the only ones left may be those of other months.
  const titleIn = (month: number) => (month % 3 === 0 ? '' : `Title of month ${month}`);
  const distinct = (rows: readonly TestRow[]) => [...new Map(rows.map((each) => [each.term, each])).values()];
  const months = Array.from({ length: 26 }, (_, month) => ({
    period: periodAt(month),
    rows: distinct(Array.from({ length: month === 0 ? 400 : 60 }, (_each, place) => row(month, place))),
  }));
  // The hidden months are imported last.
  return { frequency: 'monthly', periods: [...months.slice(2), ...months.slice(0, 2)] };
}

const data = makeData();
async function ask(view: RankView, plan: SearchPlan) {
  const { totalCount, rows } = await view.search(plan);
  return { totalCount, rows, terms: rows.map(({ normalizedSearchTerm }) => normalizedSearchTerm) };
}

describe.each(ENGINES)('$name', ({ openStore, share }) => {
  const pageSize = Math.ceil(7 / share);

  let opened: TestStore;
  let view: RankView;

  beforeAll(async () => {
    opened = await openStore({ search: data });
    view = viewOf(opened.store, data);
  });
  afterAll(async () => {
    view[Symbol.dispose]();
    await opened[Symbol.asyncDispose]();
  });

  it('answers every plan the same, byte for byte, when everything outside of its window is deleted', async () => {
    const plans = [PRO, { ...PRO, months: 1 }, ...fc.sample(randomPlan(), { seed: SEED, numRuns: 2 })];
    for (const drawn of plans.slice(0, Math.ceil(1 + 3 * share))) {
      const { window } = planKeywords(data, { queries: ['x'] }, drawn);
      const visible = {
        ...data,
        periods: data.periods.filter(({ period }) => window.some((each) => isSamePeriod(each, period))),
      };
      await using opened = await openStore({ search: visible });
      using pruned = viewOf(opened.store, visible);
      const oldest = { periodKey: periodKey(window[0] ?? periodAt(0)) };
      const questions = QUERIES.flatMap((query) => [...SEARCH_ORDERS, oldest].map((orderBy) => ({ query, orderBy })));
      for (const { query, orderBy } of shareOf(questions, share)) {
        const compareTo = orderBy === 'change' && window.length > 1 ? oldest : 'year_ago';
        const plan = planKeywords(data, { queries: [query], orderBy, compareTo, includesInsights: true }, drawn);
        const question = `${query} by ${JSON.stringify(orderBy)} in ${window.length} periods`;
        expect(await pruned.search(plan), question).toEqual(await view.search(plan));
      }
      const context = { plan: drawn, published: data.periods.map(({ period }) => period) };
      for (const orderBy of ['current_rank', 'query'] as const) {
        const plan = planNewTerms({ ...TREND, orderBy }, context);
        expect(await pruned.listNewTerms(plan)).toEqual(await view.listNewTerms(plan));
      }
      const seasons = planSeasons(
        { ...TREND, orderBy: 'strength', peakMonth: undefined, withinWeeks: undefined },
        context,
      );
      expect(await pruned.listSeasonal(seasons)).toEqual(await view.listSeasonal(seasons));
      for (const query of QUERIES) {
        const search = planKeywords(data, { queries: [query], limit: 1000 }, drawn);
        const roots = { search, kind: undefined, order: { field: 'rising', direction: 'desc' } } as const;
        expect(await pruned.listRoots(roots), query).toEqual(await view.listRoots(roots));
      }
      const held = { ...context, frequency: data.frequency };
      const anyTerm = data.periods[0]?.rows[3]?.term ?? '';
      const history = planTermHistory(anyTerm, held);
      expect(await pruned.listTermPeriods(history)).toEqual(await view.listTermPeriods(history));
      for (const holder of [brandHolder('anker'), { kind: 'product', asin: 'B000000003' } as const]) {
        const holderPlan = planHolder(holder, held);
        expect(await pruned.findHolder(holderPlan)).toEqual(await view.findHolder(holderPlan));
        for (const orderBy of ['since', 'click_share'] as const) {
          const plan = planHeldKeywords({ ...HELD, holder, status: 'all', orderBy }, held);
          expect(await pruned.listHeldKeywords(plan)).toEqual(await view.listHeldKeywords(plan));
        }
      }
      const compared = planComparison({ ...HELD, asins: ['B000000001', 'B000000002'], mode: 'any' }, held);
      expect(await pruned.compareProducts(compared)).toEqual(await view.compareProducts(compared));
      const since = { queries: ['shoe'], firstSeenSince: periodKey(window.at(-3) ?? window.at(-1) ?? periodAt(0)) };
      const seenSince = planKeywords(data, { ...since, titleGap: true, includesInsights: true }, drawn);
      expect(await pruned.search(seenSince)).toEqual(await view.search(seenSince));
      for (const compareTo of [undefined, 'year_ago', ...(window.length > 1 ? [oldest] : [])] as const) {
        const order = { orderBy: 'abs_change', threshold: 1, direction: undefined, compareTo } as const;
        const changes = planChanges({ ...TREND, ...order }, context);
        expect(await pruned.listChanges(changes)).toEqual(await view.listChanges(changes));
      }
      for (const text of ['s', 'shoe c', 'min']) {
        const plan = planSuggestions({ text, frequency: data.frequency, limit: 10 }, context);
        expect(await pruned.listSuggestions(plan)).toEqual(await view.listSuggestions(plan));
      }
    }
  }, 240_000);

  it.each([...SEARCH_ORDERS])('gives, page by page in order of %s, every result once', async (orderBy) => {
    const lists = ['shoe', 'case'].flatMap((query) =>
      (['asc', 'desc'] as const).map((orderDirection) => ({ queries: [query], orderBy, orderDirection })),
    );
    // Every order, whatever the share.
    for (const list of shareOf(lists, Math.max(share, 1 / lists.length), SEARCH_ORDERS.indexOf(orderBy))) {
      const whole = await ask(view, planKeywords(data, { ...list, limit: 1000 }));
      expect(whole.totalCount).toBeGreaterThan(50);
      const paged: string[] = [];
      for (let page = 1; page <= Math.ceil(whole.totalCount / pageSize); page += 1) {
        paged.push(...(await ask(view, planKeywords(data, { ...list, limit: pageSize, page }))).terms);
      }
      expect(paged).toEqual(whole.terms);
      expect(new Set(paged).size).toBe(whole.totalCount);
    }
  });

  it('never adds results by a filter', async () => {
    const filters = [
      { brands: ['anker'] },
      { categories: ['Toys & Games'] },
      { minRank: 10 },
      { maxRank: 30 },
      { maxWords: 3 },
      { excludeNulls: true },
      { excludeQueries: ['mini'] },
      { minChange: 1 },
      { maxChangePercentage: 10 },
      { minYearChange: -3 },
      { maxClickConcentration: 1 },
      { minConversionToClick: 0 },
      { firstSeenSince: '06-2025' },
      { titleGap: true },
    ];
    const cases = QUERIES.flatMap((query) => filters.map((filter) => ({ query, filter })));
    for (const { query, filter } of shareOf(cases, share)) {
      const all = new Set((await ask(view, planKeywords(data, { queries: [query], limit: 1000 }))).terms);
      const { terms, totalCount } = await ask(view, planKeywords(data, { queries: [query], limit: 1000, ...filter }));
      expect(terms.every((term) => all.has(term))).toBe(true);
      expect(totalCount).toBeLessThanOrEqual(all.size);
    }
  });

  it('does not depend on the order of the queries, except where an exact search keeps it', async () => {
    const permutations = fc.shuffledSubarray(QUERIES, { minLength: QUERIES.length });
    await fc.assert(
      fc.asyncProperty(permutations, fc.constantFrom(...SEARCH_ORDERS), async (queries, orderBy) => {
        const shuffled = await ask(view, planKeywords(data, { queries, orderBy }));
        expect(shuffled).toEqual(await ask(view, planKeywords(data, { queries: QUERIES, orderBy })));
      }),
      { numRuns: Math.ceil(60 * share) },
    );
    const { terms } = await ask(view, planKeywords(data, { queries: ['shoe'], limit: 5 }));
    const reversed = [...terms].reverse();
    const exact = await ask(view, planKeywords(data, { queries: reversed, method: 'exact' }));
    expect(exact.terms).toEqual(reversed);
  });
});
