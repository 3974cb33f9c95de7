// What products gained and lost from one period to the next (domain/tracked-product.ts).
import { allDone } from '../../domain/containment.ts';
import type { Period } from '../../domain/period.ts';
import type { ReadOptions } from '../../domain/store.ts';
import {
  type ChangedKeyword,
  NO_CHANGES,
  type ProductChangePlan,
  type ProductChanges,
  standingChange,
} from '../../domain/tracked-product.ts';
import { periodNumber } from '../period-number.ts';
import { knownRank, rankIn } from '../period-rank.ts';
import type { SetReader } from '../set-reader.ts';
import { list, type Sql, sql } from '../sql.ts';
import { inPeriods, productKey, readTitles } from './holder-rows.ts';

interface Counted {
  readonly key: string;
  readonly held: number;
  readonly held_before: number;
  readonly entered: number;
  readonly lost: number;
  readonly moved: number;
}

interface Changed {
  readonly key: string;
  readonly searchTerm: string;
  readonly now_rank: number;
  readonly now_place: number;
  readonly before_place: number;
}

interface Asked {
  readonly plan: ProductChangePlan;
  readonly period: Period;
}

export async function listProductChanges(
  reader: SetReader,
  plan: ProductChangePlan,
  options?: ReadOptions,
): Promise<readonly ProductChanges[]> {
  const { window, period, previous, asins } = plan;
  if (!period || asins.length === 0) return asins.map(() => NO_CHANGES);
  const [titles, counts, changed] = await allDone([
    readTitles(reader, { window, asins }, options),
    countChanges(reader, { plan, period }, options),
    readChanged(reader, { plan, period }, options),
  ]);
  return asins.map((asin) => {
    const key = productKey(asin);
    const counted = counts.get(key);
    const [entered, left, place] = previous ? [counted?.entered, counted?.lost, counted?.moved] : [];
    return {
      title: titles.get(asin) ?? '',
      keywords: counted?.held ?? 0,
      previousKeywords: previous ? (counted?.held_before ?? 0) : null,
      counts: { entered: entered ?? 0, left: left ?? 0, place: place ?? 0 },
      rows: changed.filter((row) => row.key === key).flatMap(presentChange),
    };
  });
}

function presentChange(row: Changed): readonly ChangedKeyword[] {
  const [place, previousPlace] = [knownPlace(row.now_place), knownPlace(row.before_place)];
  const change = standingChange(place, previousPlace);
  if (!change) return [];
  return [{ change, searchTerm: row.searchTerm, rank: knownRank(row.now_rank), place, previousPlace }];
}

function knownPlace(place: number): number | null {
  return place === 0 ? null : place;
}

/** By product and term: the places in both periods, 0 for none. `holdings` are those of all nodes, or of one. */
function selectPlaces(reader: SetReader, { plan: { asins, previous }, period }: Asked, holdings: Sql): Sql {
  const placeIn = (each: Period | undefined): Sql => sql`minIf(place, period = ${each ? periodNumber(each) : 0})`;
  return sql`SELECT holder, term_id, ${placeIn(period)} AS now_place, ${placeIn(previous)} AS before_place FROM ${holdings}
    WHERE ${inPeriods(reader, previous ? [previous, period] : [period])} AND holder IN ${list(asins.map(productKey))}
    GROUP BY holder, term_id`;
}

async function countChanges(
  reader: SetReader,
  asked: Asked,
  options: ReadOptions | undefined,
): Promise<ReadonlyMap<string, Counted>> {
  const rows = await reader.rows<Counted>(
    sql`SELECT holder AS key, countIf(now_place > 0) AS held, countIf(before_place > 0) AS held_before,
        countIf(before_place = 0) AS entered, countIf(now_place = 0) AS lost,
        countIf(now_place > 0 AND before_place > 0 AND now_place != before_place) AS moved
      FROM (${selectPlaces(reader, asked, reader.tables.holdings.all)}) GROUP BY holder`,
    options,
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** The first of each product, by search rank and then by term. */
async function readChanged(
  reader: SetReader,
  asked: Asked,
  options: ReadOptions | undefined,
): Promise<readonly Changed[]> {
  const { plan, period } = asked;
  if (!plan.previous || plan.limit === 0) return [];
  const { documents, holdings } = reader.tables;
  const changed = sql`SELECT term_id, holder AS key, now_place, before_place
    FROM (${selectPlaces(reader, asked, holdings.here)}) WHERE now_place != before_place`;
  const rank = rankIn(period);
  return await reader.rows<Changed>(
    sql`SELECT key, original AS searchTerm, ${rank} AS now_rank, now_place, before_place
      FROM ${documents.all} ALL INNER JOIN (${changed}) AS changed USING term_id
      WHERE generation = ${reader.generation} AND term_id IN (SELECT term_id FROM (${changed}))
      ORDER BY key ASC, (${rank} = 0) ASC, ${rank} ASC, term ASC LIMIT ${plan.limit} BY key`,
    options,
  );
}
