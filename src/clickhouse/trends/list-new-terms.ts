// Keywords whose only visible rank is in the newest period (domain/trend.ts).
import type { NewRow, ReadOptions, TrendPage } from '../../domain/store.ts';
import type { NewPlan } from '../../domain/trend.ts';
import { directed, readPage } from '../list-page.ts';
import { periodNumber } from '../period-number.ts';
import type { SetReader } from '../set-reader.ts';
import { allOf, sql } from '../sql.ts';
import { findTrendTerms, withinRanks } from './trend-terms.ts';

export async function listNewTerms(
  reader: SetReader,
  plan: NewPlan,
  options?: ReadOptions,
): Promise<TrendPage<NewRow>> {
  const [oldest, newest] = [plan.window[0], plan.window.at(-1)];
  if (!oldest || !newest) return { totalCount: 0, rows: [] };
  const conditions = [
    await findTrendTerms(reader, plan, options),
    sql`latest_period = ${periodNumber(newest)}`,
    // The last but one is 0 where there is no other.
    sql`periods[-2] < ${periodNumber(oldest)}`,
    withinRanks(sql`latest_rank`, plan.filters),
  ];
  const { field, direction } = plan.order;
  return await readPage<NewRow>(
    reader,
    {
      columns: sql`original AS searchTerm, latest_rank AS currentRank`,
      from: sql`${reader.tables.documents.all} WHERE ${allOf(conditions)}`,
      order:
        field === 'query' ? directed(sql`term`, direction) : sql`${directed(sql`latest_rank`, direction)}, term ASC`,
      offset: plan.offset,
      limit: plan.limit,
    },
    options,
  );
}
