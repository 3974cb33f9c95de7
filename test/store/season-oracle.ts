// The oracle of seasonal terms: dates by the calendar, medians by sorting, a term at a time, as domain/season.ts says in words.
import { NO_COMPARISON } from '../../src/domain/comparison.ts';
import { type Period, periodDates } from '../../src/domain/period.ts';
import { NO_FILTERS } from '../../src/domain/search-filter.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import type { SeasonPlan } from '../../src/domain/season.ts';
import type { SeasonRow, TrendPage } from '../../src/domain/store.ts';
import type { TestData } from '../support/rank-data.ts';
import { compareCodePoints, searchEverything } from './oracle.ts';
import { termsIn } from './oracle-rows.ts';

const DAY_MS = 86_400_000;

interface Seasonal extends SeasonRow {
  readonly term: string;
}

export function expectedSeasonal(data: TestData, plan: SeasonPlan): TrendPage<SeasonRow> {
  const newest = plan.window.at(-1);
  if (!newest) return { totalCount: 0, rows: [] };
  const seasonal = listCurrentTerms(data, plan).flatMap((row): readonly Seasonal[] => {
    const season = seasonOf(row.ranks, plan.window);
    if (!season || !plan.isWanted[season.peakMonth - 1]) return [];
    const { normalizedSearchTerm: term, searchTerm, latestRank: currentRank } = row;
    return [{ term, searchTerm, currentRank, ...season }];
  });
  const fieldOf = (row: Seasonal): number => {
    const values = {
      strength: row.strength,
      weeks_until_peak: weeksUntil(row.peakMonth, newest),
      current_rank: row.currentRank,
    };
    return plan.order.field === 'query' ? 0 : values[plan.order.field];
  };
  const sign = plan.order.direction === 'asc' ? 1 : -1;
  const sorted = seasonal.toSorted((a, b) => {
    const byTerm = compareCodePoints(a.term, b.term);
    if (plan.order.field === 'query') return sign * byTerm;
    return sign * (fieldOf(a) - fieldOf(b)) || a.currentRank - b.currentRank || byTerm;
  });
  const rows = sorted.map(({ term: _term, ...row }) => row);
  return { totalCount: rows.length, rows: rows.slice(plan.offset, plan.offset + plan.limit) };
}

/** What a keyword search with the same filters finds in the newest period. */
function listCurrentTerms(data: TestData, { window, filters }: SeasonPlan): readonly SearchRow[] {
  const { queries, ...others } = filters;
  const all = new Set(data.periods.flatMap(({ rows }) => [...termsIn(rows).keys()]));
  return searchEverything(data, {
    window,
    match: queries.length === 0 ? { kind: 'exact', terms: [...all] } : { kind: 'similar', queries, excluded: [] },
    filters: { ...NO_FILTERS, ...others, excludeNulls: true },
    order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
    comparison: NO_COMPARISON,
    includesInsights: false,
    offset: 0,
    limit: Number.POSITIVE_INFINITY,
  });
}

/** The day that decides to which month a period belongs: of a week its Thursday. */
function dayOf(period: Period): Date {
  const { start } = periodDates(period);
  return new Date(Date.parse(start) + (period.frequency === 'weekly' ? 4 * DAY_MS : 0));
}

/** Year and month as one number that grows by one from month to month. */
function monthOf(day: Date): number {
  return 12 * day.getUTCFullYear() + day.getUTCMonth();
}

type Season = Pick<SeasonRow, 'peakMonth' | 'fullYears' | 'strength'>;

/** Many plans look at one keyword in one window, whose ranks are one list, so its season is found once. */
const seasons = new WeakMap<readonly (number | null)[], Season | 'none'>();

function seasonOf(ranks: readonly (number | null)[], window: readonly Period[]): Season | undefined {
  const season = seasons.get(ranks) ?? findSeason(ranks, window) ?? 'none';
  seasons.set(ranks, season);
  return season === 'none' ? undefined : season;
}

function findSeason(ranks: readonly (number | null)[], window: readonly Period[]): Season | undefined {
  const newest = window.at(-1);
  if (!newest) return undefined;
  const known = window.flatMap((period, i) => {
    const rank = ranks[i] ?? null;
    return rank === null ? [] : [{ month: monthOf(dayOf(period)), rank }];
  });
  const newestDay = dayOf(newest);
  const weekLater = new Date(newestDay.getTime() + 7 * DAY_MS);
  const isOver = newest.frequency === 'monthly' || weekLater.getUTCMonth() !== newestDay.getUTCMonth();
  const lastMonth = monthOf(newestDay) - (isOver ? 0 : 1);
  const years: (readonly (typeof known)[number][])[] = [];
  for (;;) {
    const end = lastMonth - 12 * years.length;
    const year = known.filter(({ month }) => month > end - 12 && month <= end);
    if (new Set(year.map(({ month }) => month)).size < 12) break;
    years.push(year);
  }
  if (years.length < 2) return undefined;
  const all = years.flat();
  const inMonth = (year: typeof all, calendarMonth: number) =>
    medianOf(year.filter(({ month }) => month % 12 === calendarMonth).map(({ rank }) => rank));
  const months = Array.from({ length: 12 }, (_, i) => i);
  const lowest = Math.min(...months.map((month) => inMonth(all, month)));
  const peak = months.find((month) => inMonth(all, month) === lowest) ?? 0;
  const neighbours = [peak, (peak + 1) % 12, (peak + 11) % 12];
  const isThereEachYear = years.every((year) => {
    const best = Math.min(...months.map((month) => inMonth([...year], month)));
    return neighbours.some((month) => inMonth([...year], month) === best);
  });
  const median = medianOf(all.map(({ rank }) => rank));
  if (!isThereEachYear || median <= lowest) return undefined;
  // Hundredths are whole before they are rounded down: medians have halves at most.
  const strength = Math.floor((400 * median + 2 * lowest) / (4 * lowest)) / 100;
  return { peakMonth: peak + 1, fullYears: years.length, strength };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[sorted.length / 2 - 1] ?? 0) + upper) / 2;
}

/** Day by day from the first one behind the newest period. */
function weeksUntil(month: number, newest: Period): number {
  let days = 0;
  const start = Date.parse(periodDates(newest).end) + DAY_MS;
  while (new Date(start + days * DAY_MS).getUTCMonth() + 1 !== month) days += 1;
  return Math.ceil(days / 7);
}
