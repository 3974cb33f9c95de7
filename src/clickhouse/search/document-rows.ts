// Documents as the rows of searches.
import { openInsights } from '../../domain/insights.ts';
import type { Period } from '../../domain/period.ts';
import { averageRankHundredths } from '../../domain/ranking.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SearchRow, SearchRowProduct } from '../../domain/search-row.ts';
import type { ReadOptions } from '../../domain/store.ts';
import { periodNumber, periodOf } from '../period-number.ts';
import type { Row } from '../schema.ts';
import type { SetReader } from '../set-reader.ts';
import { join, list, name, sql } from '../sql.ts';

const COLUMNS = [
  ...(['term_id', 'term', 'original', 'periods', 'ranks', 'latest_period', 'latest_rank'] as const),
  ...(['asins', 'titles', 'clicks', 'conversions', 'brands', 'categories', 'title_gap'] as const),
] as const;
type DocumentRow = Pick<Row<'documents'>, (typeof COLUMNS)[number]>;

/** Of these terms, in their order. */
export async function readSearchRows(
  reader: SetReader,
  { plan, termIds }: { readonly plan: SearchPlan; readonly termIds: readonly number[] },
  options?: ReadOptions,
): Promise<readonly SearchRow[]> {
  if (termIds.length === 0) return [];
  const found = await reader.rows<DocumentRow>(
    sql`SELECT ${join(
      COLUMNS.map((column) => name(column)),
      ', ',
    )}
      FROM ${reader.tables.documents.all} PREWHERE generation = ${reader.generation} AND term_id IN ${list(termIds)}`,
    options,
  );
  const rows = new Map(found.map((row) => [row.term_id, row]));
  const present = openSearchRows(plan);
  return termIds.map((id) => {
    const row = rows.get(id);
    if (!row) throw new Error(`the term ${id} of ${reader.generation} is gone`);
    return present(row);
  });
}

function openSearchRows(plan: SearchPlan): (row: DocumentRow) => SearchRow {
  const insightsOf = plan.includesInsights ? openInsights(plan) : undefined;
  return (row) => {
    const ranks = ranksOf(row, plan.window);
    const known = ranks.filter((rank) => rank !== null);
    const products = row.asins.map((asin, i): SearchRowProduct => {
      const [clickShare, conversionShare] = [percent(row.clicks[i]), percent(row.conversions[i])];
      return { asin, title: row.titles[i] ?? '', clickShare, conversionShare };
    });
    const rankSum = known.reduce((sum, rank) => sum + rank, 0);
    const titleGap = row.title_gap < 0 ? null : row.title_gap === 1;
    return {
      searchTerm: row.original,
      normalizedSearchTerm: row.term,
      ranks,
      totalPeriods: known.length,
      bestRank: least(known),
      worstRank: most(known),
      avgRank: averageRankHundredths({ rankSum, periodCount: known.length }) / 100,
      latestRank: row.latest_rank,
      latestPeriod: periodOf(row.latest_period, plan.window[0]?.frequency ?? 'monthly'),
      brands: row.brands,
      products,
      categories: row.categories,
      ...(insightsOf && { insights: insightsOf({ ranks, products, titleGap }) }),
    };
  };
}

/** One per period of the window. */
export function ranksOf(
  { periods, ranks }: Pick<DocumentRow, 'periods' | 'ranks'>,
  window: readonly Period[],
): readonly (number | null)[] {
  const byPeriod = new Map(periods.map((period, i) => [period, ranks[i] ?? null]));
  return window.map((period) => byPeriod.get(periodNumber(period)) ?? null);
}

function percent(hundredths = -1): number | null {
  return hundredths < 0 ? null : hundredths / 100;
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b));
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b));
}
