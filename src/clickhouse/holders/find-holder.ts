// A product or a brand over the periods of a window (domain/holder.ts).
import { allDone } from '../../domain/containment.ts';
import {
  type Holder,
  type HolderPeriod,
  type HolderPlan,
  type HolderSummary,
  MAX_NAMED_BESIDE,
  type NamedCount,
} from '../../domain/holder.ts';
import type { Period } from '../../domain/period.ts';
import type { ReadOptions } from '../../domain/store.ts';
import { countRows } from '../list-page.ts';
import { periodNumber } from '../period-number.ts';
import type { SetReader } from '../set-reader.ts';
import { join, type Sql, sql } from '../sql.ts';
import { holderKey, inPeriods, readTitles } from './holder-rows.ts';

/** A period in numbers. */
interface Summed {
  readonly number: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly knownShares: number;
  readonly shareSum: number;
  readonly bestRank: number;
}

interface Best {
  readonly number: number;
  readonly searchTerm: string;
  readonly best_rank: number;
  readonly best_place: number;
}

export async function findHolder(
  reader: SetReader,
  { window, holder }: HolderPlan,
  options?: ReadOptions,
): Promise<HolderSummary | undefined> {
  if (window.length === 0) return undefined;
  const key = holderKey(holder);
  const rows = sql`WHERE ${inPeriods(reader, window)} AND holder = ${key}`;
  const summed = await reader.rows<Summed>(
    sql`SELECT period AS number, countIf(place = 1) AS first, countIf(place = 2) AS second, countIf(place = 3) AS third,
        countIf(click >= 0) AS knownShares, sumIf(click, click >= 0) AS shareSum, min(rank) AS bestRank
      FROM ${reader.tables.holdings.all} ${rows} GROUP BY period`,
    options,
  );
  const byPeriod = new Map(summed.map((each) => [each.number, each]));
  const last = window.findLast((period) => byPeriod.has(periodNumber(period)));
  if (!last) return undefined;
  const [bests, names, brands, categories, moves] = await allDone([
    readBests(reader, { rows, summed }, options),
    readNames(reader, { window, holder, last }, options),
    countBeside(reader, { holder, period: last, names: brandsBeside(holder) }, options),
    countBeside(reader, { holder, period: last, names: sql`arrayDistinct(categories)` }, options),
    countMoves(reader, { window, key }, options),
  ]);
  const bestOf = new Map(bests.map((best) => [best.number, best]));
  return {
    ...names,
    brands,
    categories,
    periods: window.map((period) => {
      const number = periodNumber(period);
      return presentPeriod(byPeriod.get(number), bestOf.get(number));
    }),
    ...moves,
  };
}

function presentPeriod(summed: Summed | undefined, best: Best | undefined): HolderPeriod | null {
  if (!summed) return null;
  if (!best) throw new Error('a keyword of a product or a brand is not among the documents');
  const { first, second, third, knownShares, shareSum } = summed;
  return {
    places: [first, second, third],
    clickShareSum: knownShares === 0 ? null : shareSum / 100,
    knownClickShares: knownShares,
    best: { searchTerm: best.searchTerm, rank: best.best_rank, place: best.best_place },
  };
}

/** Of each period the keyword with the best rank, of equal ones the first in the order of terms. */
async function readBests(
  reader: SetReader,
  { rows, summed }: { readonly rows: Sql; readonly summed: readonly Summed[] },
  options?: ReadOptions,
): Promise<readonly Best[]> {
  const { documents, holdings } = reader.tables;
  // One set of pairs: a condition for each period would grow with the history, and old servers take minutes to read hundreds.
  const isBest = sql`(period, rank) IN (${join(
    summed.map(({ number, bestRank }) => sql`(${number}, ${bestRank})`),
    ', ',
  )})`;
  const held = sql`FROM ${holdings.here} ${rows} AND ${isBest}`;
  return await reader.rows<Best>(
    sql`SELECT number, original AS searchTerm, best_rank, best_place FROM ${documents.all}
      ALL INNER JOIN (SELECT term_id, period AS number, rank AS best_rank, place AS best_place ${held}) AS best USING term_id
      WHERE generation = ${reader.generation} AND term_id IN (SELECT term_id ${held})
      ORDER BY number ASC, term ASC LIMIT 1 BY number`,
    options,
  );
}

async function readNames(
  reader: SetReader,
  { window, holder, last }: HolderPlan & { readonly last: Period },
  options?: ReadOptions,
): Promise<Pick<HolderSummary, 'name' | 'title'>> {
  if (holder.kind === 'product') {
    const titles = await readTitles(reader, { window, asins: [holder.asin] }, options);
    return { name: holder.asin, title: titles.get(holder.asin) ?? '' };
  }
  const [spelled] = await reader.rows<{ readonly spelling: string }>(
    sql`SELECT min(name) AS spelling FROM ${reader.tables.holdings.all}
      WHERE ${inPeriods(reader, [last])} AND holder = ${holderKey(holder)}`,
    options,
  );
  return { name: spelled?.spelling ?? '', title: '' };
}

/** The brands that a point names, each once; a brand is not named beside itself. */
function brandsBeside(holder: Holder): Sql {
  if (holder.kind === 'product') return sql`arrayDistinct(brands)`;
  return sql`arrayDistinct(arrayFilter((name, key) -> key != ${holder.name}, brands, brand_keys))`;
}

async function countBeside(
  reader: SetReader,
  { holder, period, names }: { readonly holder: Holder; readonly period: Period; readonly names: Sql },
  options?: ReadOptions,
): Promise<readonly NamedCount[]> {
  const { points, holdings } = reader.tables;
  const inPeriod = inPeriods(reader, [period]);
  return await reader.rows<NamedCount>(
    sql`SELECT arrayJoin(${names}) AS name, count() AS keywords FROM ${points.all}
      WHERE ${inPeriod} AND term_id IN (
        SELECT term_id FROM ${holdings.here} WHERE ${inPeriod} AND holder = ${holderKey(holder)})
      GROUP BY name ORDER BY keywords DESC, name ASC LIMIT ${MAX_NAMED_BESIDE}`,
    options,
  );
}

/** Keywords of the newest period alone, and of the one before alone. */
async function countMoves(
  reader: SetReader,
  { window, key }: { readonly window: readonly Period[]; readonly key: string },
  options?: ReadOptions,
): Promise<Pick<HolderSummary, 'entered' | 'left'>> {
  const [newest, previous] = [window.at(-1), window.at(-2)];
  if (!newest || !previous) return { entered: null, left: null };
  const { all, here } = reader.tables.holdings;
  const heldIn = (period: Period): Sql => sql`${inPeriods(reader, [period])} AND holder = ${key}`;
  const countOnly = (inside: Period, outside: Period): Promise<number> =>
    countRows(
      reader,
      sql`${all} WHERE ${heldIn(inside)} AND term_id NOT IN (SELECT term_id FROM ${here} WHERE ${heldIn(outside)})`,
      options,
    );
  const [entered, left] = await allDone([countOnly(newest, previous), countOnly(previous, newest)]);
  return { entered, left };
}
