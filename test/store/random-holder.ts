// Random questions about terms, products and brands, over the random data of searches.
import fc from 'fast-check';
import {
  brandHolder,
  COMPARE_MODES,
  type CompareQuery,
  HELD_ORDERS,
  HELD_STATUSES,
  type HeldKeywordQuery,
  type HeldOrder,
  type Holder,
} from '../../src/domain/holder.ts';
import { periodKey } from '../../src/domain/period.ts';
import type { Plan } from '../../src/domain/plan.ts';
import type { TestData, TestPeriod } from '../support/rank-data.ts';
import { randomPlan } from './random-plan.ts';
import { dataSets, type PublishedData } from './random-search.ts';

const ASINS = ['B000000001', 'B000000002', 'B000000003', 'B000000004', '0306406152', 'B999999999'];
const BRANDS = ['anker', 'ÉLAN', 'No Name', 'unknown'];
const QUERIES = ['shoe', 'usb', 'kids case', 'earbudz', '2 pack', '🎄', 'nothing like it'];

/** As importers leave it: in one period a product has one title, the first that is not blank, and a brand one spelling. */
export const holderData: fc.Arbitrary<PublishedData> = dataSets.map(({ data, steps, superseded }) => ({
  data: { ...data, periods: data.periods.map(asImported) },
  steps,
  superseded: superseded.map(asImported),
}));

export function asImported({ period, rows }: TestPeriod): TestPeriod {
  const titles = new Map<string, string>();
  const spellings = new Map<string, string>();
  const fold = (name: string) => name.normalize('NFC').toLowerCase();
  for (const { products = [], brands = [] } of rows) {
    for (const product of products) if (product && !titles.get(product.asin)) titles.set(product.asin, product.title);
    for (const name of brands) if (name !== null && !spellings.has(fold(name))) spellings.set(fold(name), name);
  }
  return {
    period,
    rows: rows.map((row) => ({
      ...row,
      products: row.products?.map((each) => each && { ...each, title: titles.get(each.asin) ?? '' }) ?? [],
      brands: row.brands?.map((name) => name && (spellings.get(fold(name)) ?? name)) ?? [],
    })),
  };
}

export interface RandomHolderQuestion {
  readonly plan: Plan;
  readonly term: string;
  readonly held: HeldKeywordQuery;
  readonly compared: CompareQuery;
}

export function holderQuestions({ periods }: TestData): fc.Arbitrary<RandomHolderQuestion> {
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
  const asin = fc.constantFrom(...ASINS);
  const holder: fc.Arbitrary<Holder> = fc.oneof(
    { weight: 2, arbitrary: asin.map((each): Holder => ({ kind: 'product', asin: each })) },
    { weight: 1, arbitrary: fc.constantFrom(...BRANDS).map(brandHolder) },
  );
  const known = periods.flatMap(({ rows }) => rows.map(({ term }) => term));
  const list = {
    periodKey: maybe(fc.constantFrom(...periods.map(({ period }) => periodKey(period)))),
    queries: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...QUERIES), { minLength: 1, maxLength: 2 }) },
    ),
    offset: fc.oneof(fc.constant(0), fc.nat(5)),
    limit: fc.constantFrom(1, 3, 1000),
    orderDirection: maybe(fc.constantFrom('asc' as const, 'desc' as const)),
  };
  return fc.record({
    plan: randomPlan(),
    term: fc.constantFrom('in no report', ...known),
    held: fc.record({
      ...list,
      holder,
      status: fc.constantFrom(...HELD_STATUSES),
      orderBy: fc.constantFrom(...(Object.keys(HELD_ORDERS) as HeldOrder[])),
    }),
    compared: fc.record({
      ...list,
      asins: fc.uniqueArray(asin, { minLength: 2, maxLength: 6 }),
      mode: fc.constantFrom(...COMPARE_MODES),
    }),
  });
}
