import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHANGE_ORDERS, planChanges, planLatestRanks, planSocialRanks, SOCIAL_ORDERS } from '../../src/domain/trend.ts';
import { listChanges, listLatestRanks, listSocialRanks } from '../../src/snapshot/trends.ts';
import type { TestData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { openEngine } from './engine.ts';
import { trendData, trendsOver } from './random-trend.ts';
import { periodAt, rankedData } from './search-fixture.ts';
import { expectedChanges, expectedLatestRanks, expectedSocialRanks } from './trend-oracle.ts';

const DATA_SETS = 25;
const TRENDS_PER_DATA_SET = 40;
const RUNS_ON = { throwIfCancelled: () => {} };

function publishedIn({ periods }: TestData) {
  return periods.map(({ period }) => period);
}

it('lists random trends over random data as the oracle does', async () => {
  await using directory = await openTemporaryDirectory();
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}; repeat with SEED=${seed}`);
  let buildCount = 0;
  const found = { changes: 0, social: 0, ranks: 0, nulls: 0 };
  const cases = trendData.chain((data) =>
    fc.tuple(
      fc.constant(data),
      fc.array(trendsOver(data), { minLength: TRENDS_PER_DATA_SET, maxLength: TRENDS_PER_DATA_SET, size: 'max' }),
    ),
  );
  const property = fc.asyncProperty(cases, async ([data, trends]) => {
    buildCount += 1;
    const view = await openEngine(join(directory.path, String(buildCount)), data);
    for (const { plan, changes, social, terms } of trends) {
      const context = { plan, published: publishedIn(data) };
      const changePlan = planChanges(changes, context);
      const changed = expectedChanges(data, changePlan);
      expect(listChanges(view, changePlan, RUNS_ON), JSON.stringify(changePlan)).toEqual(changed);
      const socialPlan = planSocialRanks(social, context);
      const ranked = expectedSocialRanks(data, socialPlan);
      expect(listSocialRanks(view, socialPlan, RUNS_ON), JSON.stringify(socialPlan)).toEqual(ranked);
      const rankPlan = planLatestRanks({ frequency: data.frequency, terms }, context);
      const latest = expectedLatestRanks(data, rankPlan);
      expect(listLatestRanks(view, rankPlan), JSON.stringify(rankPlan)).toEqual(latest);
      found.changes += changed.rows.length > 1 ? 1 : 0;
      found.social += ranked.rows.length > 1 ? 1 : 0;
      found.ranks += latest.filter((rank) => rank !== null).length;
      found.nulls += latest.filter((rank) => rank === null).length;
    }
  });
  await fc.assert(property, { seed, numRuns: DATA_SETS });
  // Lists without rows would agree too easily.
  expect(Math.min(found.changes, found.social, found.ranks, found.nulls), JSON.stringify(found)).toBeGreaterThan(50);
}, 120_000);

it('selects pages of long lists, with many ties and shared beginnings, as the oracle sorts them', async () => {
  await using directory = await openTemporaryDirectory();
  const numbers = Array.from({ length: 1500 }, (_, i) => i);
  const termOf = (i: number) => ['shoe', 'Shoes for', 'x', '日本', ''][i % 5] + String((i * 7919) % 100_003);
  const data = rankedData(
    numbers.map((i) => ({ term: termOf(i), rank: 1 + ((i * 31) % 500) })),
    numbers.map((i) => ({ term: termOf(i), rank: 1 + ((i * 17) % 300) })),
  );
  const view = await openEngine(directory.path, data);
  const context = { plan: 'pro', published: publishedIn(data) } as const;
  for (const orderDirection of ['asc', 'desc'] as const) {
    for (const offset of [0, 777, 1490, 9999]) {
      const page = { frequency: 'monthly', orderDirection, offset, limit: 20 } as const;
      for (const orderBy of CHANGE_ORDERS) {
        const plan = planChanges({ ...page, orderBy, threshold: 0.5, direction: undefined }, context);
        expect(listChanges(view, plan, RUNS_ON), JSON.stringify(plan)).toEqual(expectedChanges(data, plan));
      }
      for (const orderBy of SOCIAL_ORDERS) {
        const plan = planSocialRanks({ ...page, orderBy }, context);
        expect(listSocialRanks(view, plan, RUNS_ON), JSON.stringify(plan)).toEqual(expectedSocialRanks(data, plan));
      }
    }
  }
}, 120_000);

it('stops when it is cancelled', async () => {
  await using directory = await openTemporaryDirectory();
  const data = rankedData(['a', 'b'], ['b', 'a']);
  const view = await openEngine(directory.path, data);
  const query = { frequency: 'monthly', orderBy: 'query', orderDirection: 'asc', offset: 0, limit: 1 } as const;
  const plan = planSocialRanks(query, { plan: 'pro', published: [periodAt(0), periodAt(1)] });
  const cancelled = () => {
    throw new Error('cancelled');
  };
  expect(() => listSocialRanks(view, plan, { throwIfCancelled: cancelled })).toThrow('cancelled');
});
