// The promises of domain/holder.ts, on every engine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  brandHolder,
  type CompareMode,
  type CompareQuery,
  type HeldKeywordQuery,
  type Holder,
  planComparison,
  planHeldKeywords,
  planHolder,
  planTermHistory,
} from '../../src/domain/holder.ts';
import { type Plan, STUDIO } from '../../src/domain/plan.ts';
import type { RankView } from '../../src/domain/store.ts';
import type { TestProduct } from '../support/rank-data.ts';
import { ENGINES, type TestStore, viewOf } from './engines.ts';
import { periodAt, rankedData } from './search-fixture.ts';

const [A, B, C] = ['B00000000A', 'B00000000B', 'B00000000C'];
const PRODUCT: Holder = { kind: 'product', asin: A };
const ALL = { periodKey: undefined, queries: [], offset: 0, limit: 100, orderDirection: undefined };

function product(asin: string, clickShare: number | null = null, title = ''): TestProduct {
  return { asin, title, clickShare, conversionShare: clickShare === null ? null : clickShare / 2 };
}

/** The product A holds "shoe" throughout, wins "boot", loses "sock", and comes back to "hat". */
const data = rankedData(
  [
    { term: 'shoe', rank: 5, products: [product(A, 10.1, 'Old title')], brands: ['ACME'], categories: ['Shoes'] },
    { term: 'hat', rank: 6, products: [product(B), product(A)], brands: ['Other'] },
  ],
  [
    { term: 'shoe', rank: 4, products: [product(B, 5), product(A, 12.5)], brands: ['Acme', 'Other'] },
    { term: 'sock', rank: 7, products: [null, null, product(A, 0.3)], categories: ['Shoes', 'Toys'] },
  ],
  [
    { term: 'Shoe', rank: 3, products: [product(A, 20.2, 'New title'), product(A, 1)], brands: ['acme', 'Zed'] },
    { term: 'boot', rank: 1, products: [product(C, 9), product(A, 0.1)], brands: ['Zed'], categories: ['Shoes'] },
    { term: 'hat', rank: 2, products: [product(C), product(B), product(A)] },
    { term: 'sock', rank: 9, products: [product(C, 3)] },
  ],
);

describe.each(ENGINES)('$name', ({ openStore }) => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openStore({ search: data });
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  async function ask<T>(question: (view: RankView) => Promise<T>): Promise<T> {
    using view = viewOf(opened.store, data);
    return await question(view);
  }

  function context(plan: Plan = STUDIO) {
    return { plan, frequency: 'monthly', published: data.periods.map(({ period }) => period) } as const;
  }

  async function termsFor(query: Partial<HeldKeywordQuery>, plan?: Plan): Promise<readonly string[] | undefined> {
    const whole = { ...ALL, holder: PRODUCT, status: 'held', orderBy: 'search_rank', ...query } as const;
    const page = await ask((view) => view.listHeldKeywords(planHeldKeywords(whole, context(plan))));
    return page?.rows.map(({ searchTerm }) => searchTerm);
  }

  async function compare(mode: CompareMode, query: Partial<CompareQuery> = {}) {
    const whole = { ...ALL, asins: [A, B, C], mode, ...query };
    return await ask((view) => view.compareProducts(planComparison(whole, context())));
  }

  it('tells a term from period to period, with titles of today and gaps where it has no rank', async () => {
    const history = await ask((view) => view.listTermPeriods(planTermHistory('SOCK', context())));
    expect(history).toEqual([
      { rank: null, products: [], brands: [] },
      { rank: 7, products: [{ ...product(A, 0.3), title: 'New title' }], brands: [] },
      { rank: 9, products: [product(C, 3)], brands: [] },
    ]);
    const unknown = await ask((view) => view.listTermPeriods(planTermHistory('unheard of', context())));
    expect(unknown).toEqual(data.periods.map(() => ({ rank: null, products: [], brands: [] })));
  });

  it('sums up a product: places, shares, its best keyword, what came and what went', async () => {
    expect(await ask((view) => view.findHolder(planHolder(PRODUCT, context())))).toEqual({
      name: A,
      title: 'New title',
      brands: [
        { name: 'Zed', keywords: 2 },
        { name: 'acme', keywords: 1 },
      ],
      categories: [{ name: 'Shoes', keywords: 1 }],
      periods: [
        {
          places: [1, 1, 0],
          clickShareSum: 10.1,
          knownClickShares: 1,
          best: { searchTerm: 'Shoe', rank: 5, place: 1 },
        },
        {
          places: [0, 1, 1],
          clickShareSum: 12.8,
          knownClickShares: 2,
          best: { searchTerm: 'Shoe', rank: 4, place: 2 },
        },
        {
          places: [1, 1, 1],
          clickShareSum: 20.3,
          knownClickShares: 2,
          best: { searchTerm: 'boot', rank: 1, place: 2 },
        },
      ],
      entered: 2,
      left: 1,
    });
  });

  it('sums up a brand however it is spelled, without shares and without itself among the others', async () => {
    const brand = await ask((view) => view.findHolder(planHolder(brandHolder('ACME'), context())));
    expect(brand).toMatchObject({
      name: 'acme',
      title: '',
      brands: [{ name: 'Zed', keywords: 1 }],
      entered: 0,
      left: 0,
    });
    expect(brand?.periods.map((period) => [period?.places, period?.clickShareSum])).toEqual([
      [[1, 0, 0], null],
      [[1, 0, 0], null],
      [[1, 0, 0], null],
    ]);
  });

  it('knows nothing of what is only in hidden periods', async () => {
    const one = { ...STUDIO, months: 1 };
    expect(await ask((view) => view.findHolder(planHolder(brandHolder('other'), context(one))))).toBeUndefined();
    expect(await termsFor({ holder: brandHolder('Other') }, one)).toBeUndefined();
    expect(await termsFor({ holder: brandHolder('Other') })).toEqual([]);
    const seen = await ask((view) => view.findHolder(planHolder(PRODUCT, context(one))));
    expect(seen).toMatchObject({ entered: null, left: null, periods: [{ places: [1, 1, 1] }] });
    expect(await termsFor({ status: 'entered' }, one)).toEqual([]);
    expect(await termsFor({ status: 'all' }, one)).toEqual(['boot', 'hat', 'Shoe']);
  });

  it('lists the keywords of a product with the period before and the start of the run', async () => {
    const whole = { ...ALL, holder: PRODUCT, status: 'all', orderBy: 'since' } as const;
    const page = await ask((view) => view.listHeldKeywords(planHeldKeywords(whole, context())));
    const standing = (place: number, clickShare: number | null) => ({
      place,
      clickShare,
      conversionShare: clickShare === null ? null : clickShare / 2,
    });
    expect(page).toEqual({
      totalCount: 4,
      rows: [
        {
          ...{ searchTerm: 'Shoe', rank: 3, previousRank: 4, since: periodAt(0) },
          ...{ standing: standing(1, 20.2), previous: standing(2, 12.5) },
        },
        {
          ...{ searchTerm: 'sock', rank: 9, previousRank: 7, since: periodAt(1) },
          ...{ standing: null, previous: standing(3, 0.3) },
        },
        {
          ...{ searchTerm: 'boot', rank: 1, previousRank: null, since: periodAt(2) },
          ...{ standing: standing(2, 0.1), previous: null },
        },
        {
          ...{ searchTerm: 'hat', rank: 2, previousRank: null, since: periodAt(2) },
          ...{ standing: standing(3, null), previous: null },
        },
      ],
    });
  });

  it('lists by status, period, words and page, with exact totals', async () => {
    expect(await termsFor({})).toEqual(['boot', 'hat', 'Shoe']);
    expect(await termsFor({ status: 'entered' })).toEqual(['boot', 'hat']);
    expect(await termsFor({ status: 'left' })).toEqual(['sock']);
    expect(await termsFor({ status: 'left', periodKey: '02-2024' })).toEqual(['hat']);
    expect(await termsFor({ periodKey: '1-2024' })).toEqual(['Shoe', 'hat']);
    expect(await termsFor({ queries: ['shoes', 'hats'] })).toEqual(['hat', 'Shoe']);
    expect(await termsFor({ limit: 1, offset: 1 })).toEqual(['hat']);
    expect(await termsFor({ offset: 7 })).toEqual([]);
    expect(await termsFor({ holder: { kind: 'product', asin: 'B00000000Z' } })).toBeUndefined();
  });

  it('orders unknown values last in both directions', async () => {
    expect(await termsFor({ orderBy: 'click_share' })).toEqual(['Shoe', 'boot', 'hat']);
    expect(await termsFor({ orderBy: 'click_share', orderDirection: 'asc' })).toEqual(['boot', 'Shoe', 'hat']);
    expect(await termsFor({ orderBy: 'share_change', status: 'all' })).toEqual(['Shoe', 'boot', 'hat', 'sock']);
    expect(await termsFor({ orderBy: 'place', orderDirection: 'desc', status: 'all' })).toEqual([
      'hat',
      'boot',
      'Shoe',
      'sock',
    ]);
  });

  it('compares products: keywords of all, of any, and those that the first lacks', async () => {
    const any = await compare('any');
    expect(any.rows.map(({ searchTerm, standings }) => [searchTerm, standings.map((each) => each?.place)])).toEqual([
      ['boot', [2, undefined, 1]],
      ['hat', [3, 2, 1]],
      ['Shoe', [1, undefined, undefined]],
      ['sock', [undefined, undefined, 1]],
    ]);
    expect(any.products).toEqual([
      { title: 'New title', keywords: 3 },
      { title: '', keywords: 1 },
      { title: '', keywords: 3 },
    ]);
    expect((await compare('shared')).rows.map(({ searchTerm }) => searchTerm)).toEqual(['hat']);
    expect((await compare('gap')).rows.map(({ searchTerm, rank }) => [searchTerm, rank])).toEqual([['sock', 9]]);
    const older = await compare('any', { periodKey: '02-2024', orderDirection: 'desc', limit: 1 });
    expect(older).toMatchObject({ totalCount: 2, rows: [{ searchTerm: 'sock', rank: 7 }] });
  });

  it('answers for ranks alone, and for social ranks, as for rows that name nothing', async () => {
    const bare = rankedData(['one', 'two'], ['two']);
    await using bareOnes = await openStore({ search: bare, social: bare });
    for (const source of ['search', 'social'] as const) {
      using view = viewOf(bareOnes.store, { ...bare, source });
      const asked = { ...context(), published: view.periods };
      expect(await view.listTermPeriods(planTermHistory('two', asked))).toEqual([
        { rank: 2, products: [], brands: [] },
        { rank: 1, products: [], brands: [] },
      ]);
      expect(await view.findHolder(planHolder(PRODUCT, asked))).toBeUndefined();
      const compared = await view.compareProducts(planComparison({ ...ALL, asins: [A, B], mode: 'any' }, asked));
      expect(compared).toMatchObject({ totalCount: 0, rows: [] });
    }
  });

  it('sees nothing through an empty window', async () => {
    using view = viewOf(opened.store, data);
    const nothing = { ...context(), published: [] };
    expect(await view.listTermPeriods(planTermHistory('shoe', nothing))).toEqual([]);
    expect(await view.findHolder(planHolder(PRODUCT, nothing))).toBeUndefined();
  });
});
