// Histories of more periods than a byte can count, on every engine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Holder, planHeldKeywords, planHolder, planTermHistory } from '../../src/domain/holder.ts';
import { OWNER, type Plan } from '../../src/domain/plan.ts';
import type { RankView } from '../../src/domain/store.ts';
import type { TestProduct } from '../support/rank-data.ts';
import { ENGINES, type TestStore, viewOf } from './engines.ts';
import { rankedData } from './search-fixture.ts';

const PERIODS = 300;
const [STAYING, EARLY, LATE] = ['B00000000A', 'B00000000B', 'B00000000C'];
const RENAMED_AT = 255;

function product(asin: string, title: string): TestProduct {
  return { asin, title, clickShare: 10, conversionShare: 5 };
}

/** One product in all periods, with another name in the last ones; one in the first alone, one in the last alone. */
const data = rankedData(
  ...Array.from({ length: PERIODS }, (_, period) => {
    const beside = period === 0 ? EARLY : period === PERIODS - 1 ? LATE : undefined;
    const staying = product(STAYING, period < RENAMED_AT ? 'Old title' : 'New title');
    return [
      { term: 'shoe', rank: period + 1, products: [staying, ...(beside ? [product(beside, 'Once')] : [])] },
      ...(period === 3 ? [{ term: 'boot', rank: 7, products: [product(STAYING, 'Old title')] }] : []),
    ];
  }),
);
const published = data.periods.map(({ period }) => period);
const context = { plan: OWNER, frequency: 'monthly', published } as const;
const RECENT: Plan = { ...OWNER, months: 24 };

function holderOf(asin: string): Holder {
  return { kind: 'product', asin };
}

describe.each(ENGINES)('$name', ({ openStore }) => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openStore({ search: data, steps: [PERIODS - 1] });
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  async function ask<T>(question: (view: RankView) => Promise<T>): Promise<T> {
    using view = viewOf(opened.store, data);
    return await question(view);
  }

  it('names products by their newest title, and knows those of the first and of the last period alone', async () => {
    const titles = [];
    for (const asin of [STAYING, EARLY, LATE]) {
      titles.push((await ask((view) => view.findHolder(planHolder(holderOf(asin), context))))?.title);
    }
    expect(titles).toEqual(['New title', 'Once', 'Once']);
  });

  it('finds what stands in the newest periods for a plan that sees no others', async () => {
    const plan = planHolder(holderOf(STAYING), { ...context, plan: RECENT });
    const found = await ask((view) => view.findHolder(plan));
    expect(found).toMatchObject({ title: 'New title', periods: { length: 24 } });
    const early = planHolder(holderOf(EARLY), { ...context, plan: RECENT });
    expect(await ask((view) => view.findHolder(early))).toBeUndefined();
  });

  it('tells a term from the first period on', async () => {
    const history = await ask((view) => view.listTermPeriods(planTermHistory('shoe', context)));
    expect(history.map(({ rank }) => rank)).toEqual(data.periods.map((_, period) => period + 1));
    expect(history[0]?.products.map(({ title }) => title)).toEqual(['New title', 'Once']);
  });

  it('says since when a keyword is held', async () => {
    const query = { periodKey: undefined, queries: [], offset: 0, limit: 10, orderDirection: undefined } as const;
    const held = { ...query, holder: holderOf(STAYING), status: 'held', orderBy: 'search_rank' } as const;
    const page = await ask((view) => view.listHeldKeywords(planHeldKeywords(held, context)));
    expect(page?.rows).toMatchObject([{ searchTerm: 'shoe', rank: PERIODS, since: published[0] }]);
  });
});
