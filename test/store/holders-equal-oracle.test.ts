import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  brandHolder,
  COMPARE_MODES,
  HELD_ORDERS,
  type HeldOrder,
  type Holder,
  planComparison,
  planHeldKeywords,
  planHolder,
  planTermHistory,
} from '../../src/domain/holder.ts';
import { OWNER } from '../../src/domain/plan.ts';
import type { TestRow } from '../support/rank-data.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, viewOf } from './engines.ts';
import { expectedComparison, expectedHeldKeywords, expectedHolder, expectedTermPeriods } from './holder-oracle.ts';
import { holderData, holderQuestions } from './random-holder.ts';
import { rankedData } from './search-fixture.ts';
import { unlessRefused } from './unless-refused.ts';

const DATA_SETS = 16;
const QUESTIONS_PER_DATA_SET = 80;

function asinOf(id: number): string {
  return `B${String(id).padStart(9, '0')}`;
}

/** The first products and brands stand in every second row, the others in few; ranks repeat. */
function manyRows(month: number): readonly TestRow[] {
  return Array.from({ length: 400 }, (_, i) => {
    const seed = i * 7919 + month * 104_729;
    const share = seed % 11 === 0 ? null : (seed % 9000) / 100;
    const product = (id: number) => ({ asin: asinOf(id), title: `Title ${id}`, clickShare: share, conversionShare: 1 });
    return {
      term: `Term ${(i * 7 + month * 50) % 600}`,
      rank: 1 + (seed % 150),
      products: [product(i % 2 === 0 ? seed % 3 : 3 + (seed % 40)), product(43 + (seed % 657)), product(seed % 2)],
      brands: [`brand ${seed % 3}`, `Brand ${3 + (seed % 37)}`],
      categories: [`Category ${seed % 13}`],
    };
  });
}

/** The first product and brand stand in every row beside few brands, the second ones beside so many that most are equally frequent. */
function crowdedRows(month: number): readonly TestRow[] {
  return Array.from({ length: 700 }, (_, i) => {
    const seed = i * 7919 + month * 104_729;
    const isFirst = i % 2 === 0;
    const id = isFirst ? 0 : 1;
    return {
      term: `Term ${i + month * 10}`,
      rank: 1 + i,
      products: [{ asin: asinOf(id), title: `Title ${id}`, clickShare: 1, conversionShare: null }],
      brands: [
        isFirst ? 'First' : 'Second',
        isFirst ? `Brand ${(seed % 15) * (seed % 3)}` : `brand ${i}`,
        'Everywhere',
      ],
      categories: isFirst ? [`Category ${seed % 50}`, `Category ${seed % 7}`] : [],
    };
  });
}

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('answers random questions about terms, products and brands over random data as the oracle does', async () => {
    await using opened = await openStore({});
    const seen = { histories: 0, holders: 0, strangers: 0, held: 0, left: 0, compared: 0 };
    const cases = holderData.chain((published) =>
      fc.tuple(
        fc.constant(published),
        fc.array(holderQuestions(published.data), {
          minLength: QUESTIONS_PER_DATA_SET,
          maxLength: QUESTIONS_PER_DATA_SET,
          size: 'max',
        }),
      ),
    );
    const property = fc.asyncProperty(cases, async ([{ data, steps, superseded }, questions]) => {
      await opened.replace({ search: data, steps, superseded });
      using view = viewOf(opened.store, data);
      const published = data.periods.map(({ period }) => period);
      for (const { plan, term, held, compared } of questions) {
        const context = { plan, frequency: data.frequency, published };
        const historyPlan = planTermHistory(term, context);
        const history = expectedTermPeriods(data, historyPlan);
        expect(await view.listTermPeriods(historyPlan), JSON.stringify(historyPlan)).toEqual(history);
        seen.histories += history.some(({ products }) => products.length > 0) ? 1 : 0;
        const holderPlan = planHolder(held.holder, context);
        const holder = expectedHolder(data, holderPlan);
        expect(await view.findHolder(holderPlan), JSON.stringify(holderPlan)).toEqual(holder);
        if (holder) seen.holders += 1;
        else seen.strangers += 1;
        const heldPlan = unlessRefused(() => planHeldKeywords(held, context));
        if (heldPlan) {
          const page = expectedHeldKeywords(data, heldPlan);
          expect(await view.listHeldKeywords(heldPlan), JSON.stringify(heldPlan)).toEqual(page);
          seen.held += page && page.rows.length > 1 ? 1 : 0;
          seen.left += page?.rows.some(({ standing }) => standing === null) ? 1 : 0;
        }
        const comparePlan = unlessRefused(() => planComparison(compared, context));
        if (!comparePlan) continue;
        const comparison = expectedComparison(data, comparePlan);
        expect(await view.compareProducts(comparePlan), JSON.stringify(comparePlan)).toEqual(comparison);
        seen.compared += comparison.rows.length > 0 ? 1 : 0;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * share) });
    // Answers without rows would agree too easily.
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(20 * share);
  }, 600_000);

  it('answers for products and brands with hundreds of keywords, and among thousands of others, as the oracle does', async () => {
    const data = rankedData(...[0, 1, 2, 3].map(manyRows));
    await using opened = await openStore({ search: data, steps: [2] });
    using view = viewOf(opened.store, data);
    const published = data.periods.map(({ period }) => period);
    const holders = [
      ...[0, 1, 2, 5, 699, 700].map((id): Holder => ({ kind: 'product', asin: asinOf(id) })),
      ...['brand 0', 'BRAND 3', 'brand 39'].map(brandHolder),
    ];
    const page = { queries: [], periodKey: undefined, offset: 20, limit: 60, orderDirection: undefined };
    for (const plan of [OWNER, { ...OWNER, months: 2 }]) {
      const context = { plan, frequency: data.frequency, published };
      for (const holder of holders) {
        const holderPlan = planHolder(holder, context);
        expect(await view.findHolder(holderPlan), JSON.stringify(holder)).toEqual(expectedHolder(data, holderPlan));
        for (const orderBy of Object.keys(HELD_ORDERS) as HeldOrder[]) {
          const heldPlan = planHeldKeywords({ ...page, holder, status: 'all', orderBy }, context);
          const expected = expectedHeldKeywords(data, heldPlan);
          expect(await view.listHeldKeywords(heldPlan), JSON.stringify(heldPlan)).toEqual(expected);
        }
      }
      for (const mode of COMPARE_MODES) {
        const comparePlan = planComparison({ ...page, asins: [0, 1, 2].map(asinOf), mode }, context);
        expect(await view.compareProducts(comparePlan)).toEqual(expectedComparison(data, comparePlan));
      }
    }
    for (const term of ['term 0', 'term 7', 'term 399', 'term 400']) {
      const plan = planTermHistory(term, { plan: OWNER, frequency: data.frequency, published });
      expect(await view.listTermPeriods(plan)).toEqual(expectedTermPeriods(data, plan));
    }
  }, 600_000);

  it('names what stands beside hundreds of keywords most often as the oracle does, however many are equally frequent', async () => {
    const holders: readonly Holder[] = [
      ...[0, 1].map((id): Holder => ({ kind: 'product', asin: asinOf(id) })),
      ...['first', 'second', 'everywhere'].map(brandHolder),
    ];
    const months = [0, 1].map(crowdedRows);
    // In the newest month, and in one before it.
    for (const data of [rankedData(...months), rankedData(...months, ['nothing beside it'])]) {
      await using opened = await openStore({ search: data });
      using view = viewOf(opened.store, data);
      const published = data.periods.map(({ period }) => period);
      for (const holder of holders) {
        const plan = planHolder(holder, { plan: OWNER, frequency: data.frequency, published });
        const expected = expectedHolder(data, plan);
        expect(expected?.brands.length).toBeGreaterThan(1);
        expect(await view.findHolder(plan), JSON.stringify(holder)).toEqual(expected);
      }
    }
  }, 600_000);
});
