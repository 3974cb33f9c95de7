import type { Period } from '../domain/period.ts';
import { periodNumber } from './period-number.ts';
import { type Sql, sql } from './sql.ts';

/** The rank of a document in a period; 0 where it has none. */
export function rankIn(period: Period): Sql {
  return sql`ranks[indexOf(periods, ${periodNumber(period)})]`;
}

/** As answers have it. */
export function knownRank(rank: number): number | null {
  return rank === 0 ? null : rank;
}
