import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestError } from '../../src/domain/error.ts';
import { planAsinSearch, planSearch, type SearchPlan } from '../../src/domain/search-plan.ts';
import type { TestData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { enginePage, openEngine } from './engine.ts';
import { expectedPage } from './oracle.ts';
import { dataSets, type RandomSearch, searchesOver } from './random-search.ts';

const DATA_SETS = 30;
const SEARCHES_PER_DATA_SET = 200;

/** Undefined when planning refuses the search, as it does for a hidden period. */
function planOf(search: RandomSearch, data: TestData): SearchPlan | undefined {
  const context = { plan: search.plan, published: data.periods.map(({ period }) => period) };
  try {
    return 'query' in search ? planSearch(search.query, context) : planAsinSearch(search.asinQuery, context);
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

it('answers random searches over random data as the oracle does, byte for byte', async () => {
  await using directory = await openTemporaryDirectory();
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}; repeat with SEED=${seed}`);
  let buildCount = 0;
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
    buildCount += 1;
    const view = await openEngine(join(directory.path, String(buildCount)), data, { steps, superseded });
    for (const search of searches) {
      const plan = planOf(search, data);
      if (!plan) continue;
      const expected = expectedPage(data, plan);
      expect(enginePage(view, plan), JSON.stringify(search)).toEqual(expected);
      comparedCount += 1;
      foundCount += expected.totalCount > 0 ? 1 : 0;
    }
  });
  await fc.assert(property, { seed, numRuns: DATA_SETS });
  expect(comparedCount).toBeGreaterThanOrEqual(5_000);
  // Searches that find nothing would agree too easily.
  expect(foundCount).toBeGreaterThan(comparedCount / 4);
}, 1_800_000);
