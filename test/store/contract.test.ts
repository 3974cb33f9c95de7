// The promises of domain/store.ts about searches, on every engine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRO, STUDIO } from '../../src/domain/plan.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import type { SearchQuery } from '../../src/domain/search-query.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import type { TestData } from '../support/rank-data.ts';
import { ENGINES, type TestStore, viewOf } from './engines.ts';
import { periodAt, planAsins, planKeywords, rankedData } from './search-fixture.ts';

interface Answer {
  readonly totalCount: number;
  readonly rows: readonly SearchRow[];
  readonly terms: readonly string[];
}

describe.each(ENGINES)('$name', ({ openStore }) => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openStore({});
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  async function search(data: TestData, plan: SearchPlan): Promise<Answer> {
    await opened.replace({ search: data });
    using view = viewOf(opened.store, data);
    const { totalCount, rows } = await view.search(plan);
    expect(await view.count(plan)).toBe(totalCount);
    return { totalCount, rows, terms: rows.map(({ normalizedSearchTerm }) => normalizedSearchTerm) };
  }

  async function termsFor(data: TestData, query: Partial<SearchQuery>): Promise<readonly string[]> {
    return (await search(data, planKeywords(data, query))).terms;
  }

  it('finds every word of a query in any order, with plurals, accents and case folded', async () => {
    const data = rankedData(['Red Running Shoes', 'shoe for runs', 'crème brûlée torch', 'red hat']);
    expect(await termsFor(data, { queries: ['shoe run'] })).toEqual(['red running shoes', 'shoe for runs']);
    expect(await termsFor(data, { queries: ['CREME torch'] })).toEqual(['crème brûlée torch']);
  });

  it('takes hyphens, apostrophes and digits with units as shoppers do', async () => {
    const data = rankedData(['2-pack socks', '2 pack socks', "kids' shoes", '10ft cable', '10 ft cable', 'pack of 20']);
    expect(await termsFor(data, { queries: ['2pack'] })).toEqual(['2-pack socks', '2 pack socks']);
    expect(await termsFor(data, { queries: ['kids shoe'] })).toEqual(["kids' shoes"]);
    expect(await termsFor(data, { queries: ['10-ft'] })).toEqual(['10ft cable', '10 ft cable']);
  });

  it('replaces a word that is in no term, and never one that is', async () => {
    const data = rankedData(['iphone case', 'wireless earbuds', 'iphnoe']);
    expect(await termsFor(data, { queries: ['wireles earbuds'] })).toEqual(['wireless earbuds']);
    expect(await termsFor(data, { queries: ['iphnoe'] })).toEqual(['iphnoe']);
    expect(await termsFor(data, { queries: ['iphome case'] })).toEqual(['iphone case']);
  });

  it('orders best_match by tier, then newer period, then rank', async () => {
    const data = rankedData(
      ['old usb hub', 'usb'],
      ['hub with usb c', 'cable usb c', 'usb c cable', 'c usb', 'usb c', 'usb-c', 'usb hub c'],
    );
    expect(await termsFor(data, { queries: ['usb c'] })).toEqual([
      'usb c',
      'usb-c',
      'usb c cable',
      'hub with usb c',
      'cable usb c',
      'c usb',
      'usb hub c',
    ]);
    expect(await termsFor(data, { queries: ['usb'], limit: 3, page: 3 })).toEqual([
      'cable usb c',
      'c usb',
      'old usb hub',
    ]);
  });

  it('finds a phrase wherever it stands in a long term', async () => {
    const apart = 'c and a usb';
    const long = Array.from({ length: 36 }, (_, n) =>
      [...Array.from({ length: n }, (_, i) => `w${i}`), 'usb c'].join(' '),
    );
    const terms = await termsFor(rankedData([apart, ...long]), { queries: ['usb c'], limit: 100 });
    expect(terms).toEqual([...long, apart]);
  });

  it('puts the best tiers last when best_match ascends, ties unchanged', async () => {
    const data = rankedData(['a usb', 'b usb', 'usb']);
    expect(await termsFor(data, { queries: ['usb'], orderDirection: 'asc' })).toEqual(['a usb', 'b usb', 'usb']);
  });

  it('drops terms with all words of an excluded string', async () => {
    const data = rankedData(['usb hub', 'usb mini hub', 'usb minis']);
    expect(await termsFor(data, { queries: ['usb'], excludeQueries: ['mini hub'] })).toEqual(['usb hub', 'usb minis']);
    expect(await termsFor(data, { queries: ['usb'], excludeQueries: ['mini'] })).toEqual(['usb hub']);
    expect(await termsFor(data, { queries: ['usb'], excludeQueries: ['!!!'] })).toHaveLength(3);
  });

  it('answers an exact search in the order of its queries', async () => {
    const data = rankedData(['one', 'two', 'three']);
    const queries = ['three', 'TWO', 'none', 'one', 'three'];
    expect(await termsFor(data, { queries, method: 'exact', excludeQueries: ['two'] })).toEqual([
      'three',
      'two',
      'one',
    ]);
  });

  it('puts nulls last in both directions and breaks ties by rank, then term', async () => {
    const data = rankedData(
      [
        { term: 'x b', rank: 5 },
        { term: 'x a', rank: 5 },
        { term: 'x c', rank: 9 },
      ],
      [
        { term: 'x d', rank: 1 },
        { term: 'x 😀', rank: 2 },
        { term: 'x ﬆ', rank: 2 },
      ],
    );
    const orderBy = { periodKey: '1-2024' };
    const nulls = ['x d', 'x st', 'x 😀'];
    expect(await termsFor(data, { queries: ['x'], orderBy })).toEqual(['x a', 'x b', 'x c', ...nulls]);
    expect(await termsFor(data, { queries: ['x'], orderBy, orderDirection: 'desc' })).toEqual([
      'x c',
      'x a',
      'x b',
      ...nulls,
    ]);
  });

  it('keeps only keywords of the newest period when nulls are excluded', async () => {
    const data = rankedData(['x old', 'x both'], ['x new', 'x both']);
    expect(await termsFor(data, { queries: ['x'], excludeNulls: true })).toEqual(['x new', 'x both']);
  });

  it('sums up visible periods only, with the average rounded to two decimals', async () => {
    const data = rankedData(...Array.from({ length: 26 }, (_, i) => [{ term: 'x', rank: i === 25 ? 8 : i + 1 }]));
    const pro = await search(data, planKeywords(data, { queries: ['x'] }, PRO));
    expect(pro.rows[0]).toMatchObject({
      totalPeriods: 24,
      bestRank: 3,
      worstRank: 25,
      avgRank: 13.75,
      latestRank: 8,
      latestPeriod: periodAt(25),
    });
    expect(pro.rows[0]?.ranks).toEqual([...Array.from({ length: 23 }, (_, i) => i + 3), 8]);
    const studio = await search(data, planKeywords(data, { queries: ['x'] }, STUDIO));
    expect(studio.rows[0]).toMatchObject({ bestRank: 1, avgRank: 12.81 });
  });

  it('hides a keyword, and its words, whose ranks are all outside of the window', async () => {
    const data = rankedData(['wireles'], ...Array.from({ length: 24 }, () => ['wireless']));
    const pro = await search(data, planKeywords(data, { queries: ['wireles'] }, PRO));
    expect(pro.terms).toEqual(['wireless']);
    const studio = await search(data, planKeywords(data, { queries: ['wireles'] }, STUDIO));
    expect(studio.terms).toEqual(['wireles']);
  });

  it('filters by latest data: brands without case, ASINs, buckets and stored categories', async () => {
    const product = { asin: 'B000000001', title: 'T', clickShare: 1, conversionShare: null };
    const data = rankedData([
      { term: 'x brand', rank: 1, brands: [null, 'Anker'] },
      { term: 'x product', rank: 2, products: [null, product] },
      { term: 'x beauty', rank: 3, categories: ['Luxury_Beauty'] },
      { term: 'x other', rank: 4, categories: ['Strange'] },
      { term: 'x bare', rank: 5 },
    ]);
    expect(await termsFor(data, { queries: ['x'], brands: ['ANKER', 'nobody'] })).toEqual(['x brand']);
    expect(await termsFor(data, { queries: ['x'], asins: ['b000000001'] })).toEqual(['x product']);
    expect(await termsFor(data, { queries: ['x'], categories: ['beauty & personal care'] })).toEqual(['x beauty']);
    expect(await termsFor(data, { queries: ['x'], categories: ['Beauty'] })).toEqual([]);
    expect(await termsFor(data, { queries: ['x'], categories: ['whatever'] })).toEqual(['x other']);
    expect(await termsFor(data, { queries: ['x'], minRank: 2, maxRank: 3 })).toEqual(['x product', 'x beauty']);
    expect(await termsFor(data, { queries: ['x'], minWords: 3 })).toEqual([]);
  });

  it('finds keywords by ASIN and orders them by its share, unknown ones last', async () => {
    const product = (clickShare: number | null) => [{ asin: 'B000000001', title: 'T', clickShare, conversionShare: 2 }];
    const data = rankedData([
      { term: 'low', rank: 1, products: product(1.5) },
      { term: 'unknown', rank: 2, products: product(null) },
      { term: 'high', rank: 3, products: product(20) },
      { term: 'none', rank: 4 },
    ]);
    const byShare = await search(data, planAsins(data, { asins: ['b000000001'], orderBy: 'click_share' }));
    expect(byShare.terms).toEqual(['high', 'low', 'unknown']);
    const byDefault = await search(data, planAsins(data, { asins: ['B000000001'] }));
    expect(byDefault.terms).toEqual(['low', 'unknown', 'high']);
  });

  it('counts exactly, also past the end', async () => {
    const data = rankedData(['x 1', 'x 2', 'x 3']);
    const answer = await search(data, planKeywords(data, { queries: ['x'], page: 9, limit: 2 }));
    expect(answer).toEqual({ totalCount: 3, rows: [], terms: [] });
  });

  it.each(['🎄', 'مرحبا', "'; DROP TABLE x; --", 'a'.repeat(256), '%', '\\', '"', '𝔘', 'x\u0000y'])(
    'answers %j with what matches it and nothing else',
    async (text) => {
      const data = rankedData(['🎄', 'مرحبا', 'plain']);
      const { totalCount } = await search(data, planKeywords(data, { queries: [text] }));
      expect(totalCount).toBe(['🎄', 'مرحبا'].includes(text) ? 1 : 0);
    },
  );
});
