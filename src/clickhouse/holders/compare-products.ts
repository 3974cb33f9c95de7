// The keywords of several products of one period, side by side (domain/holder.ts).
import { allDone } from '../../domain/containment.ts';
import type { CompareMode, ComparePlan, Comparison } from '../../domain/holder.ts';
import type { Period } from '../../domain/period.ts';
import type { ReadOptions, TrendPage } from '../../domain/store.ts';
import { directed, readPage } from '../list-page.ts';
import type { SetReader } from '../set-reader.ts';
import { join, list, type Sql, sql } from '../sql.ts';
import { findTerms, inPeriods, presentStanding, productKey, readTitles } from './holder-rows.ts';

interface Found {
  readonly searchTerm: string;
  readonly best_rank: number;
  /** By product; 0 where it does not hold the term. */
  readonly places: readonly number[];
  readonly clicked: readonly number[];
  readonly converted: readonly number[];
}

export async function compareProducts(
  reader: SetReader,
  plan: ComparePlan,
  options?: ReadOptions,
): Promise<Comparison> {
  const { window, asins, period } = plan;
  if (!period) return { totalCount: 0, rows: [], products: asins.map(() => ({ title: '', keywords: 0 })) };
  const [page, titles, counts] = await allDone([
    readKeywords(reader, { plan, period }, options),
    readTitles(reader, { window, asins }, options),
    countKeywords(reader, { asins, period }, options),
  ]);
  const rows = page.rows.map(({ searchTerm, best_rank: rank, places, clicked, converted }) => {
    const standings = places.map((place, i) => {
      return presentStanding({ place, click: clicked[i] ?? -1, conversion: converted[i] ?? -1 });
    });
    return { searchTerm, rank, standings };
  });
  const products = asins.map((asin) => ({
    title: titles.get(asin) ?? '',
    keywords: counts.get(productKey(asin)) ?? 0,
  }));
  return { totalCount: page.totalCount, rows, products };
}

async function readKeywords(
  reader: SetReader,
  { plan, period }: { readonly plan: ComparePlan; readonly period: Period },
  options: ReadOptions | undefined,
): Promise<TrendPage<Found>> {
  const { documents, holdings } = reader.tables;
  const keys = plan.asins.map(productKey);
  const held = sql`FROM ${holdings.here} WHERE ${inPeriods(reader, [period])} AND holder IN ${list(keys)}`;
  const ofEach = (column: Sql): Sql =>
    sql`[${join(
      keys.map((key) => sql`argMinIf(${column}, place, holder = ${key})`),
      ', ',
    )}]`;
  const standings = sql`SELECT term_id, any(rank) AS best_rank, ${ofEach(sql`place`)} AS places,
      ${ofEach(sql`click`)} AS clicked, ${ofEach(sql`conversion`)} AS converted
    ${held} GROUP BY term_id`;
  const wanted: Readonly<Record<CompareMode, Sql>> = {
    shared: sql`NOT has(places, 0)`,
    any: sql`1`,
    gap: sql`places[1] = 0`,
  };
  return await readPage<Found>(
    reader,
    {
      columns: sql`original AS searchTerm, best_rank, places, clicked, converted`,
      from: sql`${documents.all} ANY INNER JOIN (${standings}) AS standing USING term_id
        WHERE ${await findTerms(reader, plan, options)} AND ${wanted[plan.mode]} AND term_id IN (SELECT term_id ${held})`,
      order: sql`${directed(sql`best_rank`, plan.direction)}, term ASC`,
      offset: plan.offset,
      limit: plan.limit,
    },
    options,
  );
}

/** By the products' keys, whatever the mode and the words. */
async function countKeywords(
  reader: SetReader,
  { asins, period }: { readonly asins: readonly string[]; readonly period: Period },
  options: ReadOptions | undefined,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.rows<{ readonly key: string; readonly keywords: number }>(
    sql`SELECT holder AS key, count() AS keywords FROM ${reader.tables.holdings.all}
      WHERE ${inPeriods(reader, [period])} AND holder IN ${list(asins.map(productKey))} GROUP BY holder`,
    options,
  );
  return new Map(rows.map(({ key, keywords }) => [key, keywords]));
}
