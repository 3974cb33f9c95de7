import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Period } from '../../src/domain/period.ts';
import { planProductChanges } from '../../src/domain/tracked-product.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, viewOf } from './engines.ts';
import { expectedProductChanges } from './product-change-oracle.ts';
import { asImported, holderData } from './random-holder.ts';
import { randomPlan } from './random-plan.ts';
import type { PublishedData } from './random-search.ts';
import { trendData } from './random-trend.ts';

/** Of each kind. */
const DATA_SETS = 6;
/** Few data sets have what is looked for. */
const MIN_SHARE = 0.3;
const QUESTIONS_PER_DATA_SET = 30;
const ASINS = ['B000000001', 'B000000002', 'B000000003', 'B000000004', 'B999999999'];

/** Terms that come back from period to period, each time with other products. */
const recurring: fc.Arbitrary<PublishedData> = fc
  .tuple(trendData, fc.infiniteStream(fc.array(fc.constantFrom(...ASINS, null), { maxLength: 3 })))
  .map(([{ data }, stream]) => ({
    steps: [],
    superseded: [],
    data: {
      ...data,
      periods: data.periods.map(({ period, rows }) =>
        asImported({
          period,
          rows: rows.map((row) => ({
            ...row,
            products: (stream.next().value as (string | null)[]).map(
              (asin) => asin && { asin, title: `Title ${asin}`, clickShare: 1, conversionShare: null },
            ) as never,
          })),
        }),
      ),
    },
  }));

const question = fc.record({
  plan: randomPlan(),
  asins: fc.uniqueArray(fc.constantFrom(...ASINS), { minLength: 1 }),
  back: fc.nat(4),
  limit: fc.constantFrom(0, 1, 3, 1000),
});
type Question = typeof question extends fc.Arbitrary<infer Drawn> ? Drawn : never;

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  it('lists what products gained and lost as the oracle does, in every window and period', async () => {
    await using opened = await openStore({});
    const found = { entered: 0, left: 0, place: 0 };
    const asked = fc.array(question, {
      minLength: QUESTIONS_PER_DATA_SET,
      maxLength: QUESTIONS_PER_DATA_SET,
      size: 'max',
    });
    const compare = async (published: PublishedData, questions: readonly Question[]) => {
      const { data, steps, superseded } = published;
      await opened.replace({ search: data, steps, superseded });
      using view = viewOf(opened.store, data);
      for (const { plan, asins, back, limit } of questions) {
        const period: Period | undefined = view.periods.at(-1 - back);
        const context = { plan, frequency: data.frequency, published: view.periods };
        const changePlan = planProductChanges({ asins, period, limit }, context);
        const expected = expectedProductChanges(data, changePlan);
        expect(await view.listProductChanges(changePlan), JSON.stringify(changePlan)).toEqual(expected);
        for (const { counts } of expected) {
          for (const change of ['entered', 'left', 'place'] as const) found[change] += counts[change];
        }
      }
    };
    for (const dataSets of [holderData, recurring]) {
      const property = fc.asyncProperty(dataSets, asked, compare);
      await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * Math.max(share, MIN_SHARE)) });
    }
    expect(Math.min(...Object.values(found)), JSON.stringify(found)).toBeGreaterThan(20 * share);
  }, 600_000);
});
