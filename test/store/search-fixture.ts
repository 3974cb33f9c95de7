// Queries with defaults, for tests that care about one parameter at a time.
import type { Frequency, Period } from '../../src/domain/period.ts';
import { type Plan, STUDIO } from '../../src/domain/plan.ts';
import { planAsinSearch, planSearch, type SearchPlan } from '../../src/domain/search-plan.ts';
import type { AsinQuery, SearchQuery } from '../../src/domain/search-query.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';

const PAGE = {
  marketplace: 'US',
  frequency: 'monthly',
  orderDirection: undefined,
  excludeNulls: false,
  page: 1,
  limit: 50,
} as const;

const KEYWORD_QUERY: SearchQuery = {
  ...PAGE,
  queries: [],
  method: 'similar',
  excludeQueries: [],
  brands: [],
  asins: [],
  categories: [],
  orderBy: 'best_match',
  minRank: undefined,
  maxRank: undefined,
  minWords: undefined,
  maxWords: undefined,
};

export function planKeywords(data: TestData, query: Partial<SearchQuery>, plan: Plan = STUDIO): SearchPlan {
  return planSearch({ ...KEYWORD_QUERY, frequency: data.frequency, ...query }, { plan, published: publishedIn(data) });
}

export function planAsins(data: TestData, query: Partial<AsinQuery>, plan: Plan = STUDIO): SearchPlan {
  const full: AsinQuery = { ...PAGE, frequency: data.frequency, asins: [], orderBy: 'best_match', ...query };
  return planAsinSearch(full, { plan, published: publishedIn(data) });
}

/** The month or week a number of periods after the first of 2024. */
export function periodAt(index: number, frequency: Frequency = 'monthly'): Period {
  const perYear = frequency === 'monthly' ? 12 : 52;
  return { frequency, year: 2024 + Math.floor(index / perYear), number: 1 + (index % perYear) };
}

/** One period for each list of terms, ranked in the order of the list. */
export function rankedData(...periods: readonly (readonly (string | TestRow)[])[]): TestData {
  return {
    frequency: 'monthly',
    periods: periods.map((rows, i) => ({
      period: periodAt(i),
      rows: rows.map((row, place) => (typeof row === 'string' ? { term: row, rank: place + 1 } : row)),
    })),
  };
}

function publishedIn({ periods }: TestData): readonly Period[] {
  return periods.map(({ period }) => period);
}
