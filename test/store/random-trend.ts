// Random data sets whose keywords come back from period to period, and random trend queries over them.
import fc from 'fast-check';
import { type Frequency, periodKey } from '../../src/domain/period.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import {
  CHANGE_DIRECTIONS,
  CHANGE_ORDERS,
  type ChangeQuery,
  NEW_ORDERS,
  type NewQuery,
  SOCIAL_ORDERS,
  type SocialQuery,
} from '../../src/domain/trend.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { randomPlan } from './random-plan.ts';
import { periodAt } from './search-fixture.ts';

/** Capitals, prefixes of one another, equal first bytes, texts shorter than a key, and code points of every length. */
const TERMS = [
  ...['a', 'A b', 'abc', 'ABCD', 'abcd e', 'abcd ef', 'abcdefgh', 'abcdefgh i', 'abcdefgh j', 'zebra', 'Zebra print'],
  ...['é', 'straße', '日本', '日本 語', '🎄', '𝔘x', 'ﬀ', '"quoted\\"', "kids' shoes", 'running shoes', 'Running Shoe'],
];

const QUERIES = [
  ...TERMS,
  'shoe',
  'print zebra',
  'SHOES kids',
  'zebta',
  'runnning shoe',
  'nothing like it',
  'abcdefgk',
  '!',
];
const CATEGORIES = ['Beauty', 'Luxury_Beauty', 'Camera', 'Mystery Group'];
const CATEGORY_VALUES = [...CATEGORIES, 'Beauty & Personal Care', 'electronics', 'Other', 'nonsense'];

const rank = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 40_000_000 }));

const row: fc.Arbitrary<TestRow> = fc.record({
  term: fc
    .tuple(fc.constantFrom(...TERMS), fc.boolean())
    .map(([term, isShouted]) => (isShouted ? term.toUpperCase() : term)),
  rank,
  categories: fc.array(fc.option(fc.constantFrom(...CATEGORIES), { freq: 3 }), { maxLength: 3 }),
});

export interface TrendData {
  readonly data: TestData;
  /** Another set of the same terms, whose categories count for social-media ranks. */
  readonly retail: TestData;
}

export const trendData: fc.Arbitrary<TrendData> = fc
  .constantFrom<Frequency>('monthly', 'weekly')
  .chain((frequency) => fc.record({ data: testData(frequency), retail: testData(frequency) }));

function testData(frequency: Frequency): fc.Arbitrary<TestData> {
  return fc
    .record({
      periodCount: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 9 }) },
        // More than Pro can see.
        { weight: 1, arbitrary: fc.constant(26) },
      ),
    })
    .chain(({ periodCount }) =>
      fc
        .array(
          fc.uniqueArray(row, {
            maxLength: periodCount > 20 ? 6 : 20,
            selector: ({ term }) => normalizeTerm(term),
            size: 'max',
          }),
          { minLength: periodCount, maxLength: periodCount },
        )
        .map((rows) => ({
          frequency,
          periods: rows.map((each, i) => ({ period: periodAt(i, frequency), rows: each })),
        })),
    );
}

export interface RandomTrend {
  readonly plan: Plan;
  readonly changes: ChangeQuery;
  readonly social: SocialQuery;
  readonly newcomers: NewQuery;
  readonly terms: readonly string[];
}

export function trendsOver({ data: { frequency, periods } }: TrendData): fc.Arbitrary<RandomTrend> {
  const key = fc.constantFrom(...periods.map(({ period }) => periodKey(period)));
  const rarely = <T>(values: readonly T[]) =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...values), { maxLength: 3 }) },
    );
  const maybe = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  const page = {
    queries: rarely(QUERIES),
    categories: rarely(CATEGORY_VALUES),
    minRank: maybe(fc.integer({ min: 1, max: 5 })),
    maxRank: maybe(fc.oneof(fc.integer({ min: 3, max: 7 }), fc.integer({ min: 7, max: 30_000_000 }))),
    frequency: fc.constant(frequency),
    orderDirection: fc.constantFrom('asc' as const, 'desc' as const),
    offset: fc.oneof(fc.constant(0), fc.nat(12)),
    limit: fc.constantFrom(1, 3, 10, 1000),
  };
  return fc.record({
    plan: randomPlan(),
    changes: fc.record({
      ...page,
      orderBy: fc.constantFrom(...CHANGE_ORDERS),
      threshold: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(0.5, 1, 1.5, 2, 1000) },
        fc.integer({ min: 1, max: 30_000_000 }),
      ),
      direction: fc.constantFrom(undefined, ...CHANGE_DIRECTIONS),
      period: maybe(key),
      compareTo: fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constant('year_ago' as const) },
        { weight: 2, arbitrary: key.map((each) => ({ periodKey: each })) },
      ),
    }),
    social: fc.record({ ...page, orderBy: fc.constantFrom(...SOCIAL_ORDERS) }),
    newcomers: fc.record({ ...page, orderBy: fc.constantFrom(...NEW_ORDERS) }),
    terms: fc.array(fc.constantFrom(...TERMS, 'unknown').map(normalizeTerm), { maxLength: 5 }),
  });
}
