import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  CHANGE_DIRECTIONS,
  CHANGE_ORDERS,
  NEW_ORDERS,
  planChanges,
  planLatestRanks,
  planNewTerms,
  planSocialRanks,
  SOCIAL_ORDERS,
} from '../../src/domain/trend.ts';
import { listChanges, listLatestRanks, listNewTerms, listSocialRanks } from '../../src/snapshot/trends/trends.ts';
import type { TestData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { openEngine } from './engine.ts';
import { trendData, trendsOver } from './random-trend.ts';
import { rankedData } from './search-fixture.ts';
import { expectedChanges, expectedLatestRanks, expectedNewTerms, expectedSocialRanks } from './trend-oracle.ts';

const DATA_SETS = 40;
const TRENDS_PER_DATA_SET = 50;
const RUNS_ON = { throwIfCancelled: () => {} };
const NO_FILTERS = { queries: [], categories: [], minRank: undefined, maxRank: undefined };

function publishedIn({ periods }: TestData) {
  return periods.map(({ period }) => period);
}

it('lists random trends over random data as the oracle does', async () => {
  await using directory = await openTemporaryDirectory();
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}; repeat with SEED=${seed}`);
  let buildCount = 0;
  const found = { changes: 0, social: 0, newcomers: 0, filtered: 0, ranks: 0, nulls: 0 };
  const cases = trendData.chain((data) =>
    fc.tuple(
      fc.constant(data),
      fc.array(trendsOver(data), { minLength: TRENDS_PER_DATA_SET, maxLength: TRENDS_PER_DATA_SET, size: 'max' }),
    ),
  );
  const property = fc.asyncProperty(cases, async ([{ data, retail }, trends]) => {
    buildCount += 1;
    // Period by period, so that lists follow from the generation before, too.
    const steps = buildCount % 2 === 0 ? [data.periods.length - 1].filter((count) => count > 0) : [];
    const view = await openEngine(join(directory.path, String(buildCount)), data, { steps });
    const retailView = await openEngine(join(directory.path, `${buildCount}-retail`), retail);
    for (const { plan, changes, social, newcomers, terms } of trends) {
      const context = { plan, published: publishedIn(data) };
      const changePlan = planChanges(changes, context);
      const changed = expectedChanges(data, changePlan);
      expect(listChanges(view, changePlan, RUNS_ON), JSON.stringify(changePlan)).toEqual(changed);
      const socialPlan = planSocialRanks(social, { ...context, retailPublished: publishedIn(retail) });
      const ranked = expectedSocialRanks(data, socialPlan, retail);
      const socialRanks = listSocialRanks(view, socialPlan, { ...RUNS_ON, retail: retailView });
      expect(socialRanks, JSON.stringify(socialPlan)).toEqual(ranked);
      const newPlan = planNewTerms(newcomers, context);
      const arrived = expectedNewTerms(data, newPlan);
      expect(listNewTerms(view, newPlan, RUNS_ON), JSON.stringify(newPlan)).toEqual(arrived);
      const rankPlan = planLatestRanks({ frequency: data.frequency, terms }, context);
      const latest = expectedLatestRanks(data, rankPlan);
      expect(listLatestRanks(view, rankPlan), JSON.stringify(rankPlan)).toEqual(latest);
      found.changes += changed.rows.length > 1 ? 1 : 0;
      found.social += ranked.rows.length > 1 ? 1 : 0;
      found.newcomers += arrived.rows.length > 1 ? 1 : 0;
      const filtered = [changed, ranked, arrived].filter(({ rows }, i) => {
        const { queries, categories = [] } = [changes, social, newcomers][i] ?? NO_FILTERS;
        return rows.length > 0 && queries.length + categories.length > 0;
      });
      found.filtered += filtered.length;
      found.ranks += latest.filter((rank) => rank !== null).length;
      found.nulls += latest.filter((rank) => rank === null).length;
    }
  });
  await fc.assert(property, { seed, numRuns: DATA_SETS });
  // Lists without rows would agree too easily.
  expect(Math.min(...Object.values(found)), JSON.stringify(found)).toBeGreaterThan(20);
}, 600_000);

it('selects pages of long lists, with many ties and shared beginnings, as the oracle sorts them', async () => {
  await using directory = await openTemporaryDirectory();
  const numbers = Array.from({ length: 3000 }, (_, i) => i);
  const termOf = (i: number) => ['shoe', 'Shoes for', 'x', '日本', ''][i % 5] + String((i * 7919) % 100_003);
  const data = rankedData(
    numbers.slice(300).map((i) => ({ term: termOf(i), rank: 1 + ((i * 31) % 500) })),
    numbers.map((i) => ({ term: termOf(i), rank: 1 + ((i * 17) % 300) })),
  );
  const view = await openEngine(directory.path, data);
  const context = { plan: 'pro', published: publishedIn(data) } as const;
  const retail = { retailPublished: [] };
  for (const orderDirection of ['asc', 'desc'] as const) {
    for (const offset of [0, 137, 1777, 2690, 9999]) {
      const page = { ...NO_FILTERS, frequency: 'monthly', orderDirection, offset, limit: 20 } as const;
      for (const orderBy of CHANGE_ORDERS) {
        for (const direction of [undefined, ...CHANGE_DIRECTIONS]) {
          for (const threshold of [0.5, 120, 300]) {
            const plan = planChanges({ ...page, orderBy, threshold, direction }, context);
            expect(listChanges(view, plan, RUNS_ON), JSON.stringify(plan)).toEqual(expectedChanges(data, plan));
          }
        }
      }
      for (const orderBy of SOCIAL_ORDERS) {
        const plan = planSocialRanks({ ...page, orderBy }, { ...context, ...retail });
        const listed = listSocialRanks(view, plan, { ...RUNS_ON, retail: undefined });
        expect(listed, JSON.stringify(plan)).toEqual(expectedSocialRanks(data, plan, rankedData()));
      }
      for (const orderBy of NEW_ORDERS) {
        const plan = planNewTerms({ ...page, orderBy }, context);
        expect(listNewTerms(view, plan, RUNS_ON), JSON.stringify(plan)).toEqual(expectedNewTerms(data, plan));
      }
    }
  }
}, 600_000);

it('orders falls of millions of percent exactly', async () => {
  await using directory = await openTemporaryDirectory();
  const numbers = Array.from({ length: 600 }, (_, i) => i);
  const data = rankedData(
    numbers.map((i) => ({ term: `term ${i}`, rank: 1 + (i % 2) })),
    numbers.map((i) => ({ term: `term ${i}`, rank: 40_000_000 - ((i * 7) % 599) })),
  );
  const view = await openEngine(directory.path, data);
  for (const orderDirection of ['asc', 'desc'] as const) {
    const page = { ...NO_FILTERS, frequency: 'monthly', orderDirection, offset: 90, limit: 400 } as const;
    const query = { ...page, orderBy: 'change_percentage', threshold: 1, direction: undefined } as const;
    const plan = planChanges(query, { plan: 'pro', published: publishedIn(data) });
    expect(listChanges(view, plan, RUNS_ON)).toEqual(expectedChanges(data, plan));
  }
});

it('stops when it is cancelled', async () => {
  await using directory = await openTemporaryDirectory();
  const data = rankedData(['a', 'b', 'c'], ['b', 'a', 'd']);
  const view = await openEngine(directory.path, data);
  const page = {
    ...NO_FILTERS,
    frequency: 'monthly',
    orderBy: 'query',
    orderDirection: 'asc',
    offset: 0,
    limit: 1,
  } as const;
  const context = { plan: 'pro', published: publishedIn(data) } as const;
  const cancelled = {
    throwIfCancelled: () => {
      throw new Error('cancelled');
    },
  };
  const lists = [
    (options: typeof RUNS_ON) =>
      listSocialRanks(view, planSocialRanks(page, { ...context, retailPublished: [] }), {
        ...options,
        retail: undefined,
      }),
    (options: typeof RUNS_ON) =>
      listChanges(view, planChanges({ ...page, threshold: 0.5, direction: undefined }, context), options),
    (options: typeof RUNS_ON) => listNewTerms(view, planNewTerms(page, context), options),
  ];
  for (const list of lists) expect(() => list(cancelled)).toThrow('cancelled');
});
