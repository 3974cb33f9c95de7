import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PRO } from '../../src/domain/plan.ts';
import {
  CHANGE_DIRECTIONS,
  CHANGE_ORDERS,
  type ChangePlan,
  type ChangeQuery,
  NEW_ORDERS,
  planChanges,
  planLatestRanks,
  planNewTerms,
  planSocialRanks,
  SOCIAL_ORDERS,
  type TrendContext,
} from '../../src/domain/trend.ts';
import type { TestData } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, viewOf } from './engines.ts';
import { trendData, trendsOver } from './random-trend.ts';
import { rankedData } from './search-fixture.ts';
import { expectedChanges, expectedLatestRanks, expectedNewTerms, expectedSocialRanks } from './trend-oracle.ts';
import { unlessRefused } from './unless-refused.ts';

const DATA_SETS = 12;
const TRENDS_PER_DATA_SET = 50;
const PAIRS = [{}, { compareTo: { periodKey: '01-2024' } }, { period: '02-2024' }];
const PAGE_OFFSETS = [1777, 0, 137, 2690, 9999];
const NO_FILTERS = { queries: [], categories: [], minRank: undefined, maxRank: undefined };

interface Page {
  readonly totalCount: number;
  readonly rows: readonly unknown[];
}

function publishedIn({ periods }: TestData) {
  return periods.map(({ period }) => period);
}

/** The two newest periods where those that were drawn are refused: one is hidden, or they stand the wrong way round. */
function planOf(changes: ChangeQuery, context: TrendContext): ChangePlan {
  const newest = { ...changes, period: undefined, compareTo: undefined };
  return unlessRefused(() => planChanges(changes, context)) ?? planChanges(newest, context);
}

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('lists random trends over random data as the oracle does', async () => {
    await using opened = await openStore({});
    await using alone = await openStore({});
    let buildCount = 0;
    let otherPairCount = 0;
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
      await opened.replace({ social: data, search: retail });
      await alone.replace({ search: data, steps });
      using socialView = viewOf(opened.store, { ...data, source: 'social' });
      using view = viewOf(alone.store, data);
      for (const { plan, changes, social, newcomers, terms } of trends) {
        const context = { plan, published: publishedIn(data) };
        const changePlan = planOf(changes, context);
        const changed = expectedChanges(data, changePlan);
        expect(await view.listChanges(changePlan), JSON.stringify(changePlan)).toEqual(changed);
        const socialPlan = planSocialRanks(social, { ...context, retailPublished: publishedIn(retail) });
        const ranked = expectedSocialRanks(data, socialPlan, retail);
        const socialRanks = await socialView.listSocialRanks(socialPlan);
        expect(socialRanks, JSON.stringify(socialPlan)).toEqual(ranked);
        const newPlan = planNewTerms(newcomers, context);
        const arrived = expectedNewTerms(data, newPlan);
        expect(await view.listNewTerms(newPlan), JSON.stringify(newPlan)).toEqual(arrived);
        const rankPlan = planLatestRanks({ frequency: data.frequency, terms }, context);
        const latest = expectedLatestRanks(data, rankPlan);
        expect(await view.listLatestRanks(rankPlan), JSON.stringify(rankPlan)).toEqual(latest);
        found.changes += changed.rows.length > 1 ? 1 : 0;
        const isOther =
          changePlan.previous !== changePlan.window.at(-2) || changePlan.current !== changePlan.window.at(-1);
        otherPairCount += isOther && changed.rows.length > 0 ? 1 : 0;
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
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * share) });
    // Lists without rows would agree too easily.
    expect(Math.min(...Object.values(found)), JSON.stringify(found)).toBeGreaterThan(20 * share);
    expect(otherPairCount).toBeGreaterThan(2 * share);
  }, 600_000);

  it('selects pages of long lists, with many ties and shared beginnings, as the oracle sorts them', async () => {
    const numbers = Array.from({ length: 3000 }, (_, i) => i);
    const termOf = (i: number) => ['shoe', 'Shoes for', 'x', '日本', ''][i % 5] + String((i * 7919) % 100_003);
    const data = rankedData(
      numbers.slice(300).map((i) => ({ term: termOf(i), rank: 1 + ((i * 31) % 500) })),
      numbers.map((i) => ({ term: termOf(i), rank: 1 + ((i * 17) % 300) })),
      numbers.slice(0, 2700).map((i) => ({ term: termOf(i).toUpperCase(), rank: 1 + ((i * 13) % 400) })),
    );
    await using opened = await openStore({ search: data, social: data });
    using view = viewOf(opened.store, data);
    const context = { plan: PRO, published: publishedIn(data) } as const;
    const retail = { retailPublished: publishedIn(data) };
    const offsets = PAGE_OFFSETS.slice(0, Math.ceil(PAGE_OFFSETS.length * share));
    const comparePages = async <P extends { readonly offset: number; readonly limit: number }>(
      plan: P,
      { list, expected }: { readonly list: (page: P) => Promise<Page>; readonly expected: (whole: P) => Page },
    ) => {
      const { rows, totalCount } = expected({ ...plan, offset: 0, limit: numbers.length });
      for (const offset of offsets) {
        const page = { ...plan, offset };
        expect(await list(page), JSON.stringify(page)).toEqual({ totalCount, rows: rows.slice(offset, offset + 20) });
      }
    };
    using social = viewOf(opened.store, { ...data, source: 'social' });
    for (const [n, orderDirection] of (['asc', 'desc'] as const).entries()) {
      const page = { ...NO_FILTERS, frequency: 'monthly', orderDirection, offset: 0, limit: 20 } as const;
      for (const orderBy of CHANGE_ORDERS) {
        for (const [m, direction] of [undefined, ...CHANGE_DIRECTIONS].entries()) {
          for (const [i, threshold] of [0.5, 120, 300].entries()) {
            const pair = PAIRS[(n + m + i) % PAIRS.length];
            await comparePages(planChanges({ ...page, ...pair, orderBy, threshold, direction }, context), {
              list: (plan) => view.listChanges(plan),
              expected: (plan) => expectedChanges(data, plan),
            });
          }
        }
      }
      for (const orderBy of SOCIAL_ORDERS) {
        await comparePages(planSocialRanks({ ...page, orderBy }, { ...context, ...retail }), {
          list: (plan) => social.listSocialRanks(plan),
          expected: (plan) => expectedSocialRanks(data, plan, data),
        });
      }
      for (const orderBy of NEW_ORDERS) {
        await comparePages(planNewTerms({ ...page, orderBy }, context), {
          list: (plan) => view.listNewTerms(plan),
          expected: (plan) => expectedNewTerms(data, plan),
        });
      }
    }
  }, 600_000);

  it('orders falls of millions of percent exactly', async () => {
    const numbers = Array.from({ length: 600 }, (_, i) => i);
    const data = rankedData(
      numbers.map((i) => ({ term: `term ${i}`, rank: 1 + (i % 2) })),
      numbers.map((i) => ({ term: `term ${i}`, rank: 1 + (i % 3) })),
      numbers.map((i) => ({ term: `term ${i}`, rank: 40_000_000 - ((i * 7) % 599) })),
    );
    await using opened = await openStore({ search: data, social: data });
    using view = viewOf(opened.store, data);
    for (const orderDirection of ['asc', 'desc'] as const) {
      const page = { ...NO_FILTERS, frequency: 'monthly', orderDirection, offset: 90, limit: 400 } as const;
      const query = { ...page, orderBy: 'change_percentage', threshold: 1, direction: undefined } as const;
      for (const compareTo of [undefined, { periodKey: '01-2024' }]) {
        const plan = planChanges({ ...query, compareTo }, { plan: PRO, published: publishedIn(data) });
        expect(await view.listChanges(plan)).toEqual(expectedChanges(data, plan));
      }
    }
  });
});
