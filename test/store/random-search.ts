// Random data sets and random searches over them, small and full of coincidences: equal ranks, repeated words, plurals,
// accents, typos, hidden periods, unknown shares, titles and spellings that differ by period, late and revised reports.
import fc from 'fast-check';
import type { Frequency, Period } from '../../src/domain/period.ts';
import { periodKey } from '../../src/domain/period.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { type AsinQuery, SEARCH_ORDERS, type SearchQuery, SHARE_ORDERS } from '../../src/domain/search-query.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import type { TestData, TestPeriod, TestRow } from '../support/rank-data.ts';
import { NO_INSIGHT_FILTERS, randomInsights } from './random-insights.ts';
import { randomPlan } from './random-plan.ts';

const WORDS = [
  ...['shoe', 'shoes', 'Running', 'runs', 'iphone', 'case', 'cases', 'wireless', 'earbuds', 'earbud', 'usb', 'usb-c'],
  ...['2-pack', '2', 'pack', "kids'", 'kids', 'crème', 'creme', '10ft', '日本', '🎄', '𝔘x', 'ﬀ', '&', 'mini', 'Straße'],
];
const TYPOS = [
  'iphnoe',
  'wireles',
  'earbudz',
  'shooes',
  'xyzzy',
  'cse',
  'packk',
  'runing',
  'wirelesss',
  '3',
  'minimal',
];
const ASINS = ['B000000001', 'B000000002', 'B000000003', 'B000000004', '0306406152'];
const BRANDS = ['Anker', 'ANKER', 'Élan', 'élan', 'no name', 'No Name'];
const CATEGORIES = ['Beauty', 'BEAUTY', 'Luxury_Beauty', 'Electronics', 'Camera', 'Toys', 'Mystery Group'];
const CATEGORY_VALUES = [...CATEGORIES, 'Beauty & Personal Care', 'electronics', 'Other', 'nonsense', 'toys & games'];

const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.normalize('NFD'),
];

/** Those that come back from period to period. */
const REGULARS = ['running shoe', 'shoes', 'iphone case', 'usb-c 10ft', 'wireless earbuds', 'mini', 'kids shoes', '🎄'];

const term = fc
  .tuple(
    fc.oneof(
      fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
      fc.constantFrom(...REGULARS),
    ),
    fc.constantFrom(...SPELLINGS),
  )
  .map(([text, spell]) => spell(text));

function upToThree<T>(value: fc.Arbitrary<T>): fc.Arbitrary<(T | null)[]> {
  return fc.array(fc.option(value, { freq: 3 }), { maxLength: 3 });
}

/** Some have words of terms, in other forms, in pieces and behind odd spaces. */
const title = fc.oneof(
  fc.constantFrom('Plain title', 'plain title', '', 'A "quoted" title\\', 'Tab\there, ünïcode 🎄', ' \u200b'),
  fc
    .tuple(
      fc.array(fc.constantFrom(...WORDS, 'SHOES', "Kid's", 'Creme\u00a02', 'usb\tRun', 'STRASSE,', '１０ft'), {
        maxLength: 6,
      }),
      fc.constantFrom(...SPELLINGS),
    )
    .map(([words, spell]) => spell(words.join(' '))),
);

const share = fc.option(fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100));

const row: fc.Arbitrary<TestRow> = fc.record({
  term,
  rank: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3_000_000 })),
  products: upToThree(
    fc.record({
      asin: fc.constantFrom(...ASINS),
      title,
      clickShare: share,
      conversionShare: share,
    }),
  ),
  brands: upToThree(fc.constantFrom(...BRANDS)),
  categories: upToThree(fc.constantFrom(...CATEGORIES)),
});

/** A step of half a year leaves gaps, and puts periods a year apart into small sets. */
function listPeriods(
  frequency: Frequency,
  { count, isSparse }: { count: number; isSparse: boolean },
): readonly Period[] {
  const step = isSparse ? (frequency === 'monthly' ? 6 : 26) : 1;
  const numbers = Array.from({ length: count }, (_, i) => i * step);
  return numbers.map((i) =>
    frequency === 'monthly'
      ? { frequency, year: 2022 + Math.floor(i / 12), number: 1 + (i % 12) }
      : { frequency, year: 2026 + Math.floor((i + 50) / 53), number: 1 + ((i + 50) % 53) },
  );
}

export interface PublishedData {
  readonly data: TestData;
  readonly steps: readonly number[];
  readonly superseded: readonly TestPeriod[];
}

/** A data set, what it replaced, and in which order and steps it is published. */
export const dataSets: fc.Arbitrary<PublishedData> = fc
  .record({
    frequency: fc.constantFrom<Frequency>('monthly', 'monthly', 'weekly'),
    periodCount: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 5 }) },
      { weight: 3, arbitrary: fc.integer({ min: 6, max: 8 }) },
      // More than Pro can see.
      { weight: 1, arbitrary: fc.constant(26) },
    ),
    isSparse: fc.constantFrom(false, false, true),
    isStepwise: fc.boolean(),
    isLate: fc.boolean(),
    revisedCount: fc.constantFrom(0, 0, 1, 2),
  })
  .chain(({ frequency, periodCount, isSparse, isStepwise, isLate, revisedCount }) => {
    const rows = fc.uniqueArray(row, {
      maxLength: periodCount > 20 ? 5 : 14,
      selector: ({ term: text }) => normalizeTerm(text),
    });
    const all = listPeriods(frequency, { count: periodCount, isSparse });
    const reports = (periods: readonly Period[]) =>
      fc.tuple(...periods.map((period) => rows.map((each): TestPeriod => ({ period, rows: each }))));
    const order = isLate ? fc.shuffledSubarray([...all], { minLength: periodCount }) : fc.constant(all);
    return fc.record({
      data: order.chain(reports).map((periods) => ({ frequency, periods })),
      steps: fc.constant(isStepwise ? [Math.ceil(periodCount / 2), periodCount - 1].filter((count) => count > 0) : []),
      superseded: fc.shuffledSubarray([...all], { maxLength: Math.min(revisedCount, periodCount) }).chain(reports),
    });
  });

export type RandomSearch =
  | { readonly plan: Plan; readonly query: SearchQuery }
  | { readonly plan: Plan; readonly asinQuery: AsinQuery };

const NO_FILTER_QUERY = {
  ...{ brands: [], asins: [], categories: [] },
  ...{ minRank: undefined, maxRank: undefined, minWords: undefined, maxWords: undefined },
};

/** Searches over a data set; their periods are published ones, not always visible ones. */
export function searchesOver({ frequency, periods }: TestData): fc.Arbitrary<RandomSearch> {
  const text = fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
        { weight: 1, arbitrary: fc.constantFrom(...TYPOS) },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((words) => words.join(' '));
  const word = fc.constantFrom(...WORDS);
  const known = periods.flatMap(({ rows }) => rows.map((each) => each.term));
  const query = known.length === 0 ? text : fc.oneof(word, text, fc.constantFrom(...known));
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
  const rarely = <T>(values: readonly T[]) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...values), { maxLength: 3 }) },
    );
  const period = fc.constantFrom(...periods.map((each) => ({ periodKey: periodKey(each.period) })));
  const page = {
    marketplace: fc.constant('US'),
    frequency: fc.constant(frequency),
    excludeNulls: fc.boolean(),
    ...randomInsights(periods),
    orderDirection: maybe(fc.constantFrom('asc' as const, 'desc' as const)),
    page: fc.integer({ min: 1, max: 3 }),
    limit: fc.constantFrom(1, 3, 10, 1000),
  };
  const keywordQuery: fc.Arbitrary<SearchQuery> = fc.record({
    ...page,
    queries: fc.array(query, { minLength: 1, maxLength: 4 }),
    method: fc.constantFrom('exact', 'similar', 'similar', 'similar'),
    excludeQueries: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(query, { maxLength: 2 })),
    brands: rarely(['anker', 'ÉLAN', 'No Name', 'unknown']),
    asins: rarely([...ASINS.map((asin) => asin.toLowerCase()), 'B999999999']),
    categories: rarely(CATEGORY_VALUES),
    orderBy: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...SEARCH_ORDERS) }, period),
    minRank: maybe(fc.integer({ min: 1, max: 6 })),
    maxRank: maybe(fc.integer({ min: 4, max: 2_000_000 })),
    minWords: maybe(fc.integer({ min: 1, max: 3 })),
    maxWords: maybe(fc.integer({ min: 1, max: 4 })),
  });
  const asinQuery: fc.Arbitrary<AsinQuery> = fc.record({
    ...page,
    asins: fc.array(fc.constantFrom(...ASINS, 'b999999999'), { minLength: 1, maxLength: 3 }),
    orderBy: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...SEARCH_ORDERS, ...SHARE_ORDERS) }, period),
  });
  const plan = randomPlan();
  return fc.oneof(
    { weight: 2, arbitrary: fc.record({ plan, query: keywordQuery }) },
    { weight: 2, arbitrary: fc.record({ plan, query: keywordQuery.map(withoutFilters) }) },
    { weight: 1, arbitrary: fc.record({ plan, asinQuery }) },
  );
}

/** All filters at once leave few results of small data sets. */
export function withoutFilters(query: SearchQuery): SearchQuery {
  return { ...query, ...NO_FILTER_QUERY, excludeNulls: false, ...NO_INSIGHT_FILTERS };
}
