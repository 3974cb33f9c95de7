// Comparisons of any two periods over keywords that stay: orders, filters and insights that are seldom null. Random searches over
// random terms (engine-equals-oracle.test.ts) have them too, but there nearly every change is null.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frequency, Period } from '../../src/domain/period.ts';
import { planAsinSearch, planSearch, type SearchPlan } from '../../src/domain/search-plan.ts';
import { ordersAbout } from '../../src/domain/search-query.ts';
import { presentSearchPage } from '../../src/http/v1/search-result.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, viewOf } from './engines.ts';
import { expectedPage, searchEverything } from './oracle.ts';
import { randomInsights } from './random-insights.ts';
import { randomPlan } from './random-plan.ts';
import { planKeywords } from './search-fixture.ts';
import { unlessRefused } from './unless-refused.ts';

const DATA_SETS = 10;
const SEARCH_COUNT = { minLength: 80, maxLength: 80 };
const TERMS = ['shoe', 'red shoes', 'Shoes men', 'usb shoe', 'kids shoe 2', 'shoe rack', 'shoes 10ft', 'crème shoe'];
const TITLES = [
  '',
  'Red Shoe for Men',
  'MENS SHOES, 10 ft',
  'Creme rack',
  'USB\u00a0Shoe',
  'kids’ shoes 2-pack',
  '\u200b',
];
const ASIN = 'B000000001';
const frame = () => ({ before: '', after: '' });

const share = fc.option(fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100));
const product = fc.record({
  asin: fc.constant(ASIN),
  title: fc.constantFrom(...TITLES),
  clickShare: share,
  conversionShare: share,
});
const rank = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 40_000_000 }));
const row = fc.record({
  rank: fc.option(rank, { freq: 6 }),
  products: fc.array(fc.option(product, { freq: 6 }), { maxLength: 3 }),
});

/** Every half year for two years, or every period. */
const dataSets: fc.Arbitrary<TestData> = fc
  .record({ frequency: fc.constantFrom<Frequency>('monthly', 'weekly'), isSparse: fc.boolean() })
  .chain(({ frequency, isSparse }) => {
    const perYear = frequency === 'monthly' ? 12 : 52;
    const step = isSparse ? perYear / 2 : 1;
    const numbers = Array.from({ length: isSparse ? 5 : 14 }, (_, i) => i * step);
    const periods = numbers.map((i): Period => {
      return { frequency, year: 2025 + Math.floor(i / perYear), number: 1 + (i % perYear) };
    });
    const rows = fc.array(row, { minLength: TERMS.length, maxLength: TERMS.length }).map((drawn) =>
      drawn.flatMap(({ rank: drawnRank, products }, i): TestRow[] => {
        return drawnRank === null ? [] : [{ term: TERMS[i] ?? '', rank: drawnRank, products }];
      }),
    );
    return fc
      .tuple(...periods.map((period) => rows.map((each) => ({ period, rows: each }))))
      .map((each) => ({ frequency, periods: each }));
  });

function searchesOver(data: TestData) {
  return fc.record({
    plan: randomPlan(),
    isByAsin: fc.constantFrom(false, false, true),
    query: fc.record({
      ...randomInsights(data.periods),
      frequency: fc.constant(data.frequency),
      orderBy: fc.constantFrom(...ordersAbout('insights')),
      orderDirection: fc.constantFrom(undefined, 'asc' as const, 'desc' as const),
      page: fc.constantFrom(1, 1, 2),
      limit: fc.constantFrom(3, 50),
    }),
  });
}

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('compares any two periods as the oracle does, in values and byte for byte', async () => {
    await using opened = await openStore({});
    const known = { change: 0, yearChange: 0, conversionToClick: 0, titleGap: 0, filtered: 0 };
    const cases = dataSets.chain((data) =>
      fc.tuple(fc.constant(data), fc.array(searchesOver(data), { ...SEARCH_COUNT, size: 'max' })),
    );
    const property = fc.asyncProperty(cases, async ([data, searches]) => {
      await opened.replace({ search: data });
      using view = viewOf(opened.store, data);
      for (const search of searches) {
        const plan = planOf(search, data);
        if (!plan) continue;
        const note = JSON.stringify(search);
        const expected = expectedPage(data, plan);
        const { json, totalCount } = await presentSearchPage(view, plan, { frame });
        expect({ totalCount, dataJson: json.toString() }, note).toEqual(expected);
        const all = searchEverything(data, plan);
        const rows = all.slice(plan.offset, plan.offset + plan.limit);
        expect(await view.search(plan), note).toEqual({ totalCount: all.length, rows });
        for (const name of ['change', 'yearChange', 'conversionToClick', 'titleGap'] as const) {
          known[name] += rows.filter(({ insights }) => (insights?.[name] ?? null) !== null).length;
        }
        known.filtered += all.length > 0 && all.length < TERMS.length ? 1 : 0;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * share) });
    expect(Math.min(...Object.values(known)), JSON.stringify(known)).toBeGreaterThan(50 * share);
  }, 600_000);

  it('orders and filters long lists, with deep falls and many equal numbers, as the oracle does', async () => {
    const periods = [0, 1, 2].map((i) => ({
      period: { frequency: 'monthly', year: 2024 + (i === 0 ? 0 : 1), number: i === 1 ? 12 : 1 } as const,
      rows: Array.from({ length: 900 }, (_, n): TestRow => {
        const deep = i === 2 ? 40_000_000 - ((n * 7) % 300) : 1 + (n % 3);
        const product = {
          asin: ASIN,
          title: '',
          clickShare: (n % 40) / 4,
          conversionShare: n % 9 === 0 ? null : n % 7,
        };
        return { term: `shoe ${n}`, rank: n % 2 === 0 ? deep : 1000 + ((n * (i + 3)) % 50), products: [product] };
      }).filter((_, n) => (n + i) % 11 !== 0),
    }));
    const data: TestData = { frequency: 'monthly', periods };
    await using opened = await openStore({ search: data });
    using view = viewOf(opened.store, data);
    for (const orderBy of ordersAbout('insights')) {
      for (const orderDirection of ['asc', 'desc'] as const) {
        for (const page of [1, 7, 60]) {
          for (const compareTo of [undefined, 'year_ago' as const]) {
            const query = { queries: ['shoe'], orderBy, orderDirection, page, limit: 12, compareTo };
            const plan = planKeywords(data, page === 7 ? { ...query, minChange: -45, maxChange: 40 } : query);
            const rows = searchEverything(data, plan);
            const { offset, limit } = plan;
            const expected = { totalCount: rows.length, rows: rows.slice(offset, offset + limit) };
            expect(await view.search(plan), JSON.stringify(query)).toEqual(expected);
          }
        }
      }
    }
  }, 120_000);
});

type Search = ReturnType<typeof searchesOver> extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function planOf({ plan, query, isByAsin }: Search, data: TestData): SearchPlan | undefined {
  const context = { plan, published: data.periods.map(({ period }) => period) };
  const words = { queries: ['shoe'], method: 'similar', excludeQueries: [] } as const;
  return unlessRefused(() =>
    isByAsin ? planAsinSearch({ ...query, asins: [ASIN] }, context) : planSearch({ ...query, ...words }, context),
  );
}
