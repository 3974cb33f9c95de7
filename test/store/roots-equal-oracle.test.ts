import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWNER } from '../../src/domain/plan.ts';
import { planRoots, ROOT_KINDS, ROOT_ORDERS, type RootOrder } from '../../src/domain/root.ts';
import type { TestData } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { ENGINES, OTHER_ENGINES, viewOf } from './engines.ts';
import { dataSets, type PublishedData, type RandomSearch, searchesOver, withoutFilters } from './random-search.ts';
import { trendData } from './random-trend.ts';
import { expectedRoots } from './root-oracle.ts';
import { planKeywords, rankedData } from './search-fixture.ts';
import { unlessRefused } from './unless-refused.ts';

const DATA_SETS = 12;
const SEARCHES_PER_DATA_SET = 50;

/** Also such in which most terms come back from period to period. */
const anyData: fc.Arbitrary<PublishedData> = fc.oneof(
  { weight: 1, arbitrary: dataSets },
  { weight: 2, arbitrary: trendData.map(({ data }) => ({ data, steps: [], superseded: [] })) },
);

const shown = fc.record({
  kind: fc.constantFrom(undefined, undefined, ...ROOT_KINDS),
  orderBy: fc.constantFrom(...(Object.keys(ROOT_ORDERS) as RootOrder[])),
  orderDirection: fc.constantFrom(undefined, 'asc' as const, 'desc' as const),
});

/** Words of the data and no filter: several terms are found, and some of them moved. */
function broadSearches({ frequency, periods }: TestData): fc.Arbitrary<RandomSearch> {
  const words = periods.flatMap(({ rows }) => rows.flatMap(({ term }) => term.split(' ')));
  if (words.length === 0) return searchesOver({ frequency, periods });
  return fc
    .tuple(searchesOver({ frequency, periods }), fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }))
    .map(([search, queries]) =>
      'query' in search
        ? { plan: OWNER, query: { ...withoutFilters(search.query), queries, method: 'similar' } }
        : search,
    );
}

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('lists the roots of random searches over random data as the oracle does', async () => {
    await using opened = await openStore({});
    let foundCount = 0;
    let moveCount = 0;
    const cases = anyData.chain((published) =>
      fc.tuple(
        fc.constant(published),
        fc.array(fc.tuple(fc.oneof(searchesOver(published.data), broadSearches(published.data)), shown), {
          minLength: SEARCHES_PER_DATA_SET,
          maxLength: SEARCHES_PER_DATA_SET,
          size: 'max',
        }),
      ),
    );
    const property = fc.asyncProperty(cases, async ([{ data, steps, superseded }, searches]) => {
      await opened.replace({ search: data, steps, superseded });
      using view = viewOf(opened.store, data);
      for (const [search, { kind, orderBy, orderDirection }] of searches) {
        if (!('query' in search)) continue;
        const query = { search: search.query, kind, orderBy, orderDirection };
        const plan = unlessRefused(() => planRoots(query, { plan: search.plan, published: view.periods }));
        if (!plan) continue;
        const expected = expectedRoots(data, plan);
        expect(await view.listRoots(plan), JSON.stringify(query)).toEqual(expected);
        foundCount += expected.rows.length > 1 ? 1 : 0;
        moveCount += expected.rows.some(({ rising, falling }) => rising + falling > 0) ? 1 : 0;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * share), endOnFailure: true });
    // Lists without rows would agree too easily.
    expect(Math.min(foundCount, moveCount), JSON.stringify({ foundCount, moveCount })).toBeGreaterThan(5 * share);
  }, 600_000);
});

describe.each(ENGINES)('$name', ({ openStore }) => {
  it('counts a term once for each word and pair of words that it has, and how terms moved', async () => {
    const data = rankedData(
      ['usb hub', 'Usb Usb', 'hub usb hub usb', 'mini usb'],
      ['mini usb', 'usb hub', 'hub usb hub usb', 'new usb-c'],
    );
    await using opened = await openStore({ search: data });
    using view = viewOf(opened.store, data);
    const search = planKeywords(data, { queries: ['usb'] });
    const plan = { search, kind: undefined, order: { field: 'terms', direction: 'desc' } } as const;
    const { rows, totalCount } = await view.listRoots(plan);
    expect(totalCount).toBe(rows.length);
    expect(rows.map(({ root, terms, bestRank, rising, falling }) => [root, terms, bestRank, rising, falling])).toEqual([
      ['usb', 5, 1, 1, 1],
      ['hub', 2, 1, 0, 1],
      ['usb hub', 2, 1, 0, 1],
      ['mini', 1, 1, 1, 0],
      ['mini usb', 1, 1, 1, 0],
      ['usb usb', 1, 2, 0, 0],
      ['hub usb', 1, 3, 0, 0],
      ['c', 1, 4, 0, 0],
      ['new', 1, 4, 0, 0],
      ['new usb', 1, 4, 0, 0],
      ['usb c', 1, 4, 0, 0],
    ]);
  });
});
