import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWNER, PRO, STUDIO } from '../../src/domain/plan.ts';
import { planSearch, type SearchPlan } from '../../src/domain/search-plan.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import { planLatestRanks } from '../../src/domain/trend.ts';
import type { TestData } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, viewOf } from './engines.ts';
import { dataSets, type RandomSearch, searchesOver } from './random-search.ts';
import { expectedMatches, expectedTermRanks } from './term-oracle.ts';
import { unlessRefused } from './unless-refused.ts';

const DATA_SETS = 12;
const SEARCHES_PER_DATA_SET = 40;

/** What the list of tracked keywords asks: words, and nothing else. */
const ONLY_WORDS = {
  method: 'similar',
  excludeQueries: [],
  brands: [],
  asins: [],
  categories: [],
  minRank: undefined,
  maxRank: undefined,
  minWords: undefined,
  maxWords: undefined,
  excludeNulls: false,
  orderBy: 'latest_rank',
} as const;

/** Undefined for what is no keyword search, or is refused. */
function planOf(search: RandomSearch, data: TestData, isPlain: boolean): SearchPlan | undefined {
  if (!('query' in search)) return undefined;
  const query = isPlain ? { ...search.query, ...ONLY_WORDS } : search.query;
  const context = { plan: search.plan, published: data.periods.map(({ period }) => period) };
  return unlessRefused(() => planSearch(query, context));
}

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('finds tracked terms exactly where the search finds them, with their ranks, over random data', async () => {
    await using opened = await openStore({});
    const seen = { matches: 0, misses: 0, ranks: 0, nulls: 0 };
    const cases = dataSets.chain(({ data, steps }) =>
      fc.tuple(
        fc.constant(data),
        fc.constant(steps),
        fc.array(searchesOver(data), {
          minLength: SEARCHES_PER_DATA_SET,
          maxLength: SEARCHES_PER_DATA_SET,
          size: 'max',
        }),
      ),
    );
    const property = fc.asyncProperty(cases, async ([data, steps, searches]) => {
      await opened.replace({ search: data, steps });
      using view = viewOf(opened.store, data);
      const known = data.periods.flatMap(({ rows }) => rows.map(({ term }) => normalizeTerm(term)));
      const terms = [...new Set([...known, 'in no data at all', 'shoe', ''])];
      for (const [i, search] of searches.entries()) {
        const plan = planOf(search, data, i % 3 !== 0);
        if (!plan) continue;
        const expected = expectedMatches(data, plan, terms);
        expect(await view.listMatches({ plan, terms }), JSON.stringify(search)).toEqual(expected);
        seen.matches += expected.filter(Boolean).length;
        seen.misses += expected.filter((match) => !match).length;
      }
      const published = data.periods.map(({ period }) => period);
      for (const plan of [PRO, STUDIO, OWNER, { ...PRO, months: 1, weeks: 1 }]) {
        const rankPlan = planLatestRanks({ frequency: data.frequency, terms }, { plan, published });
        const expected = expectedTermRanks(data, rankPlan);
        expect(await view.listTermRanks(rankPlan)).toEqual(expected);
        seen.ranks += expected.flat().filter((rank) => rank !== null).length;
        seen.nulls += expected.flat().filter((rank) => rank === null).length;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * share) });
    // Searches that find nothing, or everything, would agree too easily.
    expect(Math.min(seen.matches, seen.misses, seen.ranks, seen.nulls), JSON.stringify(seen)).toBeGreaterThan(
      200 * share,
    );
  }, 600_000);
});
