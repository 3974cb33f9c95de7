// The oracle of the trend lists: plain objects, sorted as a whole by the words of domain/trend.ts.
// Words are matched by the oracle of the search.
import { matchesCategory } from '../../src/domain/category.ts';
import { NO_COMPARISON } from '../../src/domain/comparison.ts';
import { comparePeriods, type Period } from '../../src/domain/period.ts';
import { NO_FILTERS } from '../../src/domain/search-filter.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import type { ChangeRow, NewRow, SocialRow, TrendPage } from '../../src/domain/store.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import {
  type ChangePlan,
  changePercentage,
  type LatestRankPlan,
  type NewPlan,
  type SocialPlan,
} from '../../src/domain/trend.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { compareCodePoints, searchEverything } from './oracle.ts';
import { findRow, rowsOf } from './oracle-rows.ts';

type TrendPlan = ChangePlan | SocialPlan | NewPlan;

interface Mover {
  readonly searchTerm: string;
  readonly categories: readonly string[];
  readonly term: string;
  readonly from: number;
  readonly to: number;
}

export function expectedChanges(data: TestData, plan: ChangePlan): TrendPage<ChangeRow> {
  const { previous, current, threshold, direction } = plan;
  if (!previous || !current) return { totalCount: 0, rows: [] };
  const moved = listMovers(data, { from: previous, to: current }).filter(({ from, to }) => {
    const isWanted = direction === undefined || (direction === 'positive' ? to < from : to > from);
    return isWanted && Math.abs(from - to) > threshold;
  });
  const isNewest = current === plan.window.at(-1);
  const movers = isNewest ? moved : moved.map((mover) => inNewestForm(mover, { data, window: plan.window }));
  const fieldOf = ({ from, to }: Mover): number => {
    const values = {
      change: from - to,
      abs_change: Math.abs(from - to),
      change_percentage: changePercentage({ previousRank: from, currentRank: to }),
      current_rank: to,
      previous_rank: from,
    };
    return plan.order.field === 'query' ? 0 : values[plan.order.field];
  };
  const passes = makeFilter(data, plan);
  const kept = movers.filter((mover) => passes(mover, mover.categories));
  const rows = sortMovers(kept, plan, fieldOf).map(({ searchTerm, from, to }) => {
    return { searchTerm, previousRank: from, currentRank: to };
  });
  return pageOf(rows, plan);
}

export function expectedSocialRanks(data: TestData, plan: SocialPlan, retail: TestData): TrendPage<SocialRow> {
  const [first, last] = [plan.span[0], plan.span.at(-1)];
  if (!first || !last) return { totalCount: 0, rows: [] };
  const fieldOf = ({ from, to }: Mover): number => {
    const values = { total_improvement: from - to, start_rank: from, end_rank: to };
    return plan.order.field === 'query' ? 0 : values[plan.order.field];
  };
  const passes = makeFilter(data, plan);
  const ranked = listMovers(data, { from: first, to: last });
  const match = { kind: 'exact', terms: ranked.map(({ term }) => term) } as const;
  const twins = searchEverything(retail, searchPlan({ window: plan.retailWindow, match }));
  const categories = new Map(twins.map((twin) => [twin.normalizedSearchTerm, twin.categories]));
  const movers = ranked.filter((mover) => passes(mover, categories.get(mover.term) ?? []));
  const rows = sortMovers(movers, plan, fieldOf).map(({ searchTerm, term, from, to }) => ({
    searchTerm,
    normalizedSearchTerm: term,
    ranks: plan.span.map((period) => rankIn(data, { term, period }) ?? null),
    startRank: from,
    endRank: to,
  }));
  return pageOf(rows, plan);
}

export function expectedNewTerms(data: TestData, plan: NewPlan): TrendPage<NewRow> {
  const newest = plan.window.at(-1);
  if (!newest) return { totalCount: 0, rows: [] };
  const passes = makeFilter(data, plan);
  const newcomers = listMovers(data, { from: newest, to: newest })
    .filter(({ term }) => plan.window.slice(0, -1).every((period) => rankIn(data, { term, period }) === undefined))
    .filter((mover) => passes(mover, mover.categories));
  const rows = sortMovers(newcomers, plan, ({ to }) => to).map(({ searchTerm, to }) => {
    return { searchTerm, currentRank: to };
  });
  return pageOf(rows, plan);
}

export function expectedLatestRanks(data: TestData, { window, terms }: LatestRankPlan): readonly (number | null)[] {
  const newestFirst = [...window].sort((a, b) => comparePeriods(b, a));
  return terms.map((term) => {
    const ranks = newestFirst.map((period) => rankIn(data, { term, period }));
    return ranks.find((rank) => rank !== undefined) ?? null;
  });
}

function listMovers(data: TestData, { from, to }: { readonly from: Period; readonly to: Period }): readonly Mover[] {
  return rowsOf(data, to).flatMap((row) => {
    const term = normalizeTerm(row.term);
    const earlier = rankIn(data, { term, period: from });
    const categories = categoriesOf(row);
    return earlier === undefined ? [] : [{ searchTerm: row.term, term, categories, from: earlier, to: row.rank }];
  });
}

/** Spelling and categories are those of the newest visible period that has the term. */
function inNewestForm(
  mover: Mover,
  { data, window }: { readonly data: TestData; readonly window: readonly Period[] },
): Mover {
  const { term } = mover;
  const newest = window.findLast((period) => findRow(data, { term, period }));
  const row = newest && findRow(data, { term, period: newest });
  return row ? { ...mover, searchTerm: row.term, categories: categoriesOf(row) } : mover;
}

function categoriesOf({ categories = [] }: TestRow): readonly string[] {
  return categories.filter((category) => category !== null);
}

function makeFilter(
  data: TestData,
  { window, filters }: TrendPlan,
): (mover: Mover, categories: readonly string[]) => boolean {
  const match = { kind: 'similar', queries: filters.queries, excluded: [] } as const;
  const found = filters.queries.length === 0 ? [] : searchEverything(data, searchPlan({ window, match }));
  const matched = new Set(found.map(({ normalizedSearchTerm }) => normalizedSearchTerm));
  return ({ term, to }, categories) =>
    (filters.queries.length === 0 || matched.has(term)) &&
    (filters.categories.length === 0 ||
      categories.some((name) => filters.categories.some((category) => matchesCategory(name, category)))) &&
    to >= (filters.minRank ?? 0) &&
    to <= (filters.maxRank ?? Number.POSITIVE_INFINITY);
}

/** A search for the words alone: its results are the terms that a trend list may have. */
function searchPlan({ window, match }: Pick<SearchPlan, 'window' | 'match'>): SearchPlan {
  return {
    window,
    match,
    filters: NO_FILTERS,
    order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
    comparison: NO_COMPARISON,
    includesInsights: false,
    offset: 0,
    limit: Number.POSITIVE_INFINITY,
  };
}

function pageOf<Row>(rows: readonly Row[], { offset, limit }: TrendPlan): TrendPage<Row> {
  return { totalCount: rows.length, rows: rows.slice(offset, offset + limit) };
}

function sortMovers(
  movers: readonly Mover[],
  { order }: TrendPlan,
  fieldOf: (mover: Mover) => number,
): readonly Mover[] {
  const sign = order.direction === 'asc' ? 1 : -1;
  const byTerm = (a: Mover, b: Mover) => compareCodePoints(a.term, b.term);
  return [...movers].sort((a, b) => {
    if (order.field === 'query') return sign * byTerm(a, b);
    return sign * (fieldOf(a) - fieldOf(b)) || a.to - b.to || byTerm(a, b);
  });
}

function rankIn(data: TestData, place: { readonly term: string; readonly period: Period }) {
  return findRow(data, place)?.rank;
}
