// Random data sets whose keywords come back from period to period, and random trend queries over them.
import fc from 'fast-check';
import type { Frequency } from '../../src/domain/period.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import {
  CHANGE_DIRECTIONS,
  CHANGE_ORDERS,
  type ChangeQuery,
  SOCIAL_ORDERS,
  type SocialQuery,
} from '../../src/domain/trend.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { periodAt } from './search-fixture.ts';

/** Capitals, prefixes of one another, equal first bytes, texts shorter than a key, and code points of every length. */
const TERMS = [
  ...['a', 'A b', 'abc', 'ABCD', 'abcd e', 'abcd ef', 'abcdefgh', 'abcdefgh i', 'abcdefgh j', 'zebra', 'Zebra print'],
  ...['é', 'straße', '日本', '日本 語', '🎄', '𝔘x', 'ﬀ', '"quoted\\"', "kids' shoes", 'running shoes', 'Running Shoe'],
];

const rank = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 40_000_000 }));

const row: fc.Arbitrary<TestRow> = fc.record({
  term: fc
    .tuple(fc.constantFrom(...TERMS), fc.boolean())
    .map(([term, isShouted]) => (isShouted ? term.toUpperCase() : term)),
  rank,
});

export const trendData: fc.Arbitrary<TestData> = fc
  .record({
    frequency: fc.constantFrom<Frequency>('monthly', 'weekly'),
    periodCount: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 9 }) },
      // More than Pro can see.
      { weight: 1, arbitrary: fc.constant(26) },
    ),
  })
  .chain(({ frequency, periodCount }) =>
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

export interface RandomTrend {
  readonly plan: Plan;
  readonly changes: ChangeQuery;
  readonly social: SocialQuery;
  readonly terms: readonly string[];
}

export function trendsOver({ frequency }: TestData): fc.Arbitrary<RandomTrend> {
  const page = {
    frequency: fc.constant(frequency),
    orderDirection: fc.constantFrom('asc' as const, 'desc' as const),
    offset: fc.oneof(fc.constant(0), fc.nat(12)),
    limit: fc.constantFrom(1, 3, 10, 1000),
  };
  return fc.record({
    plan: fc.constantFrom<Plan>('pro', 'studio'),
    changes: fc.record({
      ...page,
      orderBy: fc.constantFrom(...CHANGE_ORDERS),
      threshold: fc.oneof(fc.constantFrom(0.5, 1, 1.5, 2, 1000), fc.integer({ min: 1, max: 30_000_000 })),
      direction: fc.constantFrom(undefined, ...CHANGE_DIRECTIONS),
    }),
    social: fc.record({ ...page, orderBy: fc.constantFrom(...SOCIAL_ORDERS) }),
    terms: fc.array(fc.constantFrom(...TERMS, 'unknown').map(normalizeTerm), { maxLength: 5 }),
  });
}
