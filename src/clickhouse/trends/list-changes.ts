// Keywords that moved between two periods (domain/trend.ts).
import type { ChangeRow, ReadOptions, TrendPage } from '../../domain/store.ts';
import type { ChangeDirection, ChangeOrder, ChangePlan } from '../../domain/trend.ts';
import { directed, readPage } from '../list-page.ts';
import { rankIn } from '../period-rank.ts';
import type { SetReader } from '../set-reader.ts';
import { allOf, type Sql, sql } from '../sql.ts';
import { findTrendTerms, withinRanks } from './trend-terms.ts';

export async function listChanges(
  reader: SetReader,
  plan: ChangePlan,
  options?: ReadOptions,
): Promise<TrendPage<ChangeRow>> {
  if (!plan.previous || !plan.current) return { totalCount: 0, rows: [] };
  const [previous, current] = [rankIn(plan.previous), rankIn(plan.current)];
  const conditions = [
    await findTrendTerms(reader, plan, options),
    sql`${previous} > 0 AND ${current} > 0`,
    ...listMoves({ previous, current }, plan),
    withinRanks(current, plan.filters),
  ];
  return await readPage<ChangeRow>(
    reader,
    {
      columns: sql`original AS searchTerm, ${previous} AS previousRank, ${current} AS currentRank`,
      from: sql`${reader.tables.documents.all} WHERE ${allOf(conditions)}`,
      order: orderOf({ previous, current }, plan.order),
      offset: plan.offset,
      limit: plan.limit,
    },
    options,
  );
}

interface Ranks {
  readonly previous: Sql;
  readonly current: Sql;
}

function listMoves(
  { previous, current }: Ranks,
  { threshold, direction }: Pick<ChangePlan, 'threshold' | 'direction'>,
): readonly Sql[] {
  // Moves are whole numbers, thresholds need not be.
  const least = Math.min(Math.floor(threshold) + 1, Number.MAX_SAFE_INTEGER);
  const moves: Readonly<Record<ChangeDirection, Sql>> = {
    positive: sql`${previous} - ${current} >= ${least}`,
    negative: sql`${current} - ${previous} >= ${least}`,
  };
  return [direction ? moves[direction] : sql`(${moves.positive} OR ${moves.negative})`];
}

function orderOf({ previous, current }: Ranks, { field, direction }: ChangePlan['order']): Sql {
  if (field === 'query') return directed(sql`term`, direction);
  const size = sql`abs(${previous} - ${current})`;
  // Halves away from zero, in hundredths (changeHundredths).
  const hundredths = sql`intDiv(${size} * 20000 + ${previous}, 2 * ${previous})`;
  const keys: Readonly<Record<Exclude<ChangeOrder, 'query'>, Sql>> = {
    change: sql`${previous} - ${current}`,
    abs_change: size,
    change_percentage: sql`if(${current} < ${previous}, toInt64(${hundredths}), -toInt64(${hundredths}))`,
    current_rank: current,
    previous_rank: previous,
  };
  return sql`${directed(keys[field], direction)}, ${current} ASC, term ASC`;
}
