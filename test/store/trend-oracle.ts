// The oracle of the trend lists: plain objects, sorted as a whole by the words of domain/trend.ts.
import { comparePeriods, isSamePeriod, type Period } from '../../src/domain/period.ts';
import type { ChangeRow, SocialRow, TrendPage } from '../../src/domain/store.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import type { ChangePlan, LatestRankPlan, SocialPlan } from '../../src/domain/trend.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { compareCodePoints } from './oracle.ts';

interface Mover {
  readonly searchTerm: string;
  readonly term: string;
  readonly from: number;
  readonly to: number;
}

export function expectedChanges(data: TestData, plan: ChangePlan): TrendPage<ChangeRow> {
  const { previous, current, threshold, direction } = plan;
  if (!previous || !current) return { totalCount: 0, rows: [] };
  const movers = listMovers(data, { from: previous, to: current }).filter(({ from, to }) => {
    const isWanted = direction === undefined || (direction === 'positive' ? to < from : to > from);
    return isWanted && Math.abs(from - to) > threshold;
  });
  const fieldOf = ({ from, to }: Mover): number => {
    const values = { change: from - to, abs_change: Math.abs(from - to), current_rank: to, previous_rank: from };
    return plan.order.field === 'query' ? 0 : values[plan.order.field];
  };
  const rows = sortMovers(movers, plan, fieldOf).map(({ searchTerm, from, to }) => {
    return { searchTerm, previousRank: from, currentRank: to };
  });
  return { totalCount: rows.length, rows: rows.slice(plan.offset, plan.offset + plan.limit) };
}

export function expectedSocialRanks(data: TestData, plan: SocialPlan): TrendPage<SocialRow> {
  const [first, last] = [plan.span[0], plan.span.at(-1)];
  if (!first || !last) return { totalCount: 0, rows: [] };
  const fieldOf = ({ from, to }: Mover): number => {
    const values = { total_improvement: from - to, start_rank: from, end_rank: to };
    return plan.order.field === 'query' ? 0 : values[plan.order.field];
  };
  const movers = sortMovers(listMovers(data, { from: first, to: last }), plan, fieldOf);
  const rows = movers.map(({ searchTerm, term, from, to }) => ({
    searchTerm,
    normalizedSearchTerm: term,
    ranks: plan.span.map((period) => rankIn(data, { term, period }) ?? null),
    startRank: from,
    endRank: to,
  }));
  return { totalCount: rows.length, rows: rows.slice(plan.offset, plan.offset + plan.limit) };
}

export function expectedLatestRanks(data: TestData, { window, terms }: LatestRankPlan): readonly (number | null)[] {
  const newestFirst = [...window].sort((a, b) => comparePeriods(b, a));
  return terms.map((term) => {
    const ranks = newestFirst.map((period) => rankIn(data, { term, period }));
    return ranks.find((rank) => rank !== undefined) ?? null;
  });
}

function listMovers(data: TestData, { from, to }: { readonly from: Period; readonly to: Period }): readonly Mover[] {
  return rowsOf(data, to).flatMap(({ term: searchTerm, rank }) => {
    const term = normalizeTerm(searchTerm);
    const earlier = rankIn(data, { term, period: from });
    return earlier === undefined ? [] : [{ searchTerm, term, from: earlier, to: rank }];
  });
}

function sortMovers(
  movers: readonly Mover[],
  { order }: ChangePlan | SocialPlan,
  fieldOf: (mover: Mover) => number,
): readonly Mover[] {
  const sign = order.direction === 'asc' ? 1 : -1;
  const byTerm = (a: Mover, b: Mover) => compareCodePoints(a.term, b.term);
  return [...movers].sort((a, b) => {
    if (order.field === 'query') return sign * byTerm(a, b);
    return sign * (fieldOf(a) - fieldOf(b)) || a.to - b.to || byTerm(a, b);
  });
}

/** Many plans look at one period, so its ranks are put together once. */
const ranksByRows = new WeakMap<readonly TestRow[], ReadonlyMap<string, number>>();

function rankIn(data: TestData, { term, period }: { readonly term: string; readonly period: Period }) {
  const rows = rowsOf(data, period);
  const ranks = ranksByRows.get(rows) ?? new Map(rows.map((row) => [normalizeTerm(row.term), row.rank]));
  ranksByRows.set(rows, ranks);
  return ranks.get(term);
}

function rowsOf(data: TestData, wanted: Period): readonly TestRow[] {
  return data.periods.find(({ period }) => isSamePeriod(period, wanted))?.rows ?? [];
}
