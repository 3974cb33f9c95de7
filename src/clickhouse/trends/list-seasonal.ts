// Terms that peak in the same month of several years (domain/season.ts). A term's ranks lie on one node, which finds its season; nothing
// but seasonal terms leaves it. Medians are doubled, so that they are whole.
import {
  listSeasonYears,
  MIN_FULL_YEARS,
  MONTHS_IN_YEAR,
  type SeasonPlan,
  type SeasonYear,
} from '../../domain/season.ts';
import type { ReadOptions, SeasonRow, TrendPage } from '../../domain/store.ts';
import { directed, readPage } from '../list-page.ts';
import { periodNumber } from '../period-number.ts';
import type { SetReader } from '../set-reader.ts';
import { join, type Sql, sql } from '../sql.ts';
import { findTrendTerms, withinRanks } from './trend-terms.ts';

const CALENDAR = Array.from({ length: MONTHS_IN_YEAR }, (_, month) => month);

interface Found extends Omit<SeasonRow, 'strength'> {
  readonly hundredths: number;
}

export async function listSeasonal(
  reader: SetReader,
  plan: SeasonPlan,
  options?: ReadOptions,
): Promise<TrendPage<SeasonRow>> {
  const newest = plan.window.at(-1);
  const years = listSeasonYears(plan.window);
  if (!newest || years.length < MIN_FULL_YEARS) return { totalCount: 0, rows: [] };
  const wanted = sql`${await findTrendTerms(reader, plan, options)} AND latest_period = ${periodNumber(newest)}
    AND ${withinRanks(sql`latest_rank`, plan.filters)}`;
  const documents = sql`${reader.tables.documents.here} WHERE ${wanted}`;
  const seasons = findSeasons(documents, { plan, years });
  const { totalCount, rows } = await readPage<Found>(
    reader,
    {
      columns: sql`original AS searchTerm, latest_rank AS currentRank, peak_month AS peakMonth,
        full_years AS fullYears, hundredths`,
      from: sql`${reader.tables.documents.all} ANY INNER JOIN (${seasons}) AS season USING term_id
        WHERE generation = ${reader.generation}`,
      order: orderOf(plan),
      offset: plan.offset,
      limit: plan.limit,
    },
    options,
  );
  return { totalCount, rows: rows.map(({ hundredths, ...row }) => ({ ...row, strength: hundredths / 100 })) };
}

function orderOf({ order: { field, direction }, weeksUntilPeak }: SeasonPlan): Sql {
  if (field === 'query') return directed(sql`term`, direction);
  const keys: Readonly<Record<Exclude<typeof field, 'query'>, Sql>> = {
    strength: sql`hundredths`,
    weeks_until_peak: sql`${weeksUntilPeak}[peak_month]`,
    current_rank: sql`latest_rank`,
  };
  return sql`${directed(keys[field], direction)}, latest_rank ASC, term ASC`;
}

/** Step by step, each a query over the one before; what a step uses of the one before is passed on by it. */
function findSeasons(
  documents: Sql,
  { plan, years }: { readonly plan: SeasonPlan; readonly years: readonly SeasonYear[] },
): Sql {
  const dated = sql`SELECT term_id, ranks, ${monthsOf(plan, years)} AS months FROM ${documents}
    AND length(periods) >= ${MIN_FULL_YEARS * MONTHS_IN_YEAR}`;
  const byMonth = sql`SELECT term_id, ranks, months, ${ranksByMonth(years.length)} AS lists FROM (${dated})`;
  const medians = sql`SELECT term_id, ranks, months, ${MEDIANS} AS medians FROM (${byMonth})`;
  // Months are in the order of years, so the first without a rank says how many years are full.
  const counted = sql`SELECT term_id, ranks, months, medians,
      intDiv(arrayFirstIndex(m -> m = 0, arrayPushBack(medians, 0)) - 1, ${MONTHS_IN_YEAR}) AS full_years
    FROM (${medians})`;
  const byCalendar = sql`SELECT term_id, ranks, months, medians, full_years, ${RANKS_BY_CALENDAR} AS lists
    FROM (${counted}) WHERE full_years >= ${MIN_FULL_YEARS}`;
  const ofYears = sql`SELECT term_id, medians, full_years, ${MEDIANS} AS of_years FROM (${byCalendar})`;
  const peaks = sql`SELECT term_id, medians, full_years, of_years[${MONTHS_IN_YEAR + 1}] AS years_median,
      arrayReduce('min', arraySlice(of_years, 1, ${MONTHS_IN_YEAR})) AS peak_median, indexOf(of_years, peak_median) AS peak_month
    FROM (${ofYears})`;
  return sql`SELECT term_id, full_years, peak_month,
      intDiv(years_median * 200 + peak_median, 2 * peak_median) AS hundredths
    FROM (${peaks})
    WHERE years_median > peak_median AND ${plan.isWanted.map(Number)}[peak_month] = 1 AND ${isThereEachYear(years.length)}`;
}

/** Of each rank the month it counts to: those of the newest year are 0 to 11, January first; -1 for ranks of no year. */
function monthsOf({ window }: SeasonPlan, years: readonly SeasonYear[]): Sql {
  const places = years.flat().flatMap((month, i) => month.map((place) => ({ place, month: i })));
  const numbers = places.map(({ place }) => {
    const period = window[place];
    if (!period) throw new Error('a year has a period outside of the window');
    return periodNumber(period);
  });
  const months = places.map(({ month }) => month);
  return sql`arrayMap(p -> transform(p, ${numbers}, ${months}, -1), periods)`;
}

function ranksByMonth(yearCount: number): Sql {
  const lists = Array.from(
    { length: yearCount * MONTHS_IN_YEAR },
    (_, month) => sql`arraySort(arrayFilter((r, m) -> m = ${month}, ranks, months))`,
  );
  return sql`[${join(lists, ', ')}]`;
}

/** All ranks of the full years, by month of the calendar and at last together. */
const RANKS_BY_CALENDAR = sql`[${join(
  [...CALENDAR.map((month) => sql`m % ${MONTHS_IN_YEAR} = ${month}`), sql`m >= 0`].map(
    (condition) =>
      sql`arraySort(arrayFilter((r, m) -> ${condition} AND m < ${MONTHS_IN_YEAR} * full_years, ranks, months))`,
  ),
  ', ',
)}]`;

/** Doubled; 0 of an empty list. */
const MEDIANS = sql`arrayMap(a -> a[intDiv(length(a), 2) + 1] + a[intDiv(length(a) + 1, 2)], lists)`;

/** In each full year the peak month or a neighbour has the lowest median. */
function isThereEachYear(yearCount: number): Sql {
  const years = Array.from({ length: yearCount }, (_, year) => {
    const first = year * MONTHS_IN_YEAR;
    const near = [
      sql`medians[${first} + peak_month]`,
      sql`medians[${first + 1} + peak_month % ${MONTHS_IN_YEAR}]`,
      sql`medians[${first + 1} + (peak_month + ${MONTHS_IN_YEAR - 2}) % ${MONTHS_IN_YEAR}]`,
    ];
    const lowest = sql`arrayReduce('min', arraySlice(medians, ${first + 1}, ${MONTHS_IN_YEAR}))`;
    return sql`(full_years <= ${year} OR has([${join(near, ', ')}], ${lowest}))`;
  });
  return join(years, ' AND ');
}
