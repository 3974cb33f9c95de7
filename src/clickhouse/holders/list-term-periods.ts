import type { TermHistoryPlan, TermPeriod } from '../../domain/holder.ts';
import type { ReadOptions } from '../../domain/store.ts';
import { periodNumber } from '../period-number.ts';
import type { SetReader } from '../set-reader.ts';
import { sql } from '../sql.ts';
import { TOKENS } from '../tokens.ts';
import { inPeriods, percent, readTitles } from './holder-rows.ts';

interface Point {
  readonly number: number;
  readonly rank: number;
  readonly asins: readonly string[];
  readonly clicks: readonly number[];
  readonly conversions: readonly number[];
  readonly brands: readonly string[];
}

/** What the reports say of a term, with titles as they are known today. */
export async function listTermPeriods(
  reader: SetReader,
  { window, term }: TermHistoryPlan,
  options?: ReadOptions,
): Promise<readonly TermPeriod[]> {
  if (window.length === 0) return [];
  const { points, postings } = reader.tables;
  const rows = await reader.rows<Point>(
    sql`SELECT period AS number, rank, asins, clicks, conversions, brands FROM ${points.all}
      PREWHERE ${inPeriods(reader, window)} AND term_id IN (
        SELECT term_id FROM ${postings.here} WHERE generation = ${reader.generation} AND token = ${TOKENS.term + term})`,
    options,
  );
  const asins = [...new Set(rows.flatMap((row) => row.asins))];
  const titles = asins.length === 0 ? new Map<string, string>() : await readTitles(reader, { window, asins }, options);
  const byPeriod = new Map(rows.map((row) => [row.number, row]));
  return window.map((period) => {
    const row = byPeriod.get(periodNumber(period));
    if (!row) return { rank: null, products: [], brands: [] };
    const products = row.asins.map((asin, i) => ({
      asin,
      title: titles.get(asin) ?? '',
      clickShare: percent(row.clicks[i] ?? -1),
      conversionShare: percent(row.conversions[i] ?? -1),
    }));
    return { rank: row.rank, products, brands: row.brands };
  });
}
