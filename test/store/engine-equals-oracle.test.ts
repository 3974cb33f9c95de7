import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAsinSearch, planSearch, type SearchPlan } from '../../src/domain/search-plan.ts';
import { presentSearchPage } from '../../src/http/v1/search-result.ts';
import type { TestData } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, viewOf } from './engines.ts';
import { expectedPage, searchEverything } from './oracle.ts';
import { dataSets, type RandomSearch, searchesOver } from './random-search.ts';
import { unlessRefused } from './unless-refused.ts';

const DATA_SETS = 20;
const SEARCHES_PER_DATA_SET = 200;
const frame = (totalCount: number) => ({ before: '{"é":', after: `,"total":${totalCount}}` });

function planOf(search: RandomSearch, data: TestData): SearchPlan | undefined {
  const context = { plan: search.plan, published: data.periods.map(({ period }) => period) };
  return unlessRefused(() =>
    'query' in search ? planSearch(search.query, context) : planAsinSearch(search.asinQuery, context),
  );
}

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('answers random searches over random data as the oracle does, in values and byte for byte', async () => {
    await using opened = await openStore({});
    let comparedCount = 0;
    let foundCount = 0;
    const cases = dataSets.chain(({ data, steps, superseded }) =>
      fc.record({
        data: fc.constant(data),
        steps: fc.constant(steps),
        superseded: fc.constant(superseded),
        searches: fc.array(searchesOver(data), {
          minLength: SEARCHES_PER_DATA_SET,
          maxLength: SEARCHES_PER_DATA_SET,
          size: 'max',
        }),
      }),
    );
    const property = fc.asyncProperty(cases, async ({ data, steps, superseded, searches }) => {
      await opened.replace({ search: data, steps, superseded });
      using view = viewOf(opened.store, data);
      for (const [i, search] of searches.entries()) {
        const plan = planOf(search, data);
        if (!plan) continue;
        const note = JSON.stringify(search);
        const expected = expectedPage(data, plan);
        // The engine's own page where it writes one, and the page that is made of its rows.
        const views = [view, { ...rowsOf(view), set: view.set, periods: view.periods }];
        for (const each of i % 5 === 0 ? views : [view]) {
          const { json, totalCount, release } = await presentSearchPage(each as typeof view, plan, { frame });
          const { before, after } = frame(expected.totalCount);
          expect({ totalCount, text: json.toString() }, note).toEqual({
            totalCount: expected.totalCount,
            text: before + expected.dataJson + after,
          });
          release();
        }
        if (i % 5 === 0) {
          const rows = searchEverything(data, plan).slice(plan.offset, plan.offset + plan.limit);
          expect(await view.search(plan), note).toEqual({ totalCount: expected.totalCount, rows });
          expect(await view.count(plan), note).toBe(expected.totalCount);
        }
        comparedCount += 1;
        foundCount += expected.totalCount > 0 ? 1 : 0;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * share), endOnFailure: share < 1 });
    expect(comparedCount).toBeGreaterThan((DATA_SETS * share * SEARCHES_PER_DATA_SET) / 2);
    // Searches that find nothing would agree too easily.
    expect(foundCount).toBeGreaterThan(comparedCount / 4);
  }, 1_800_000);
});

/** A view that cannot present by itself. */
function rowsOf(view: ReturnType<typeof viewOf>) {
  return { search: view.search.bind(view) };
}
