// What the filters of a trend list leave of the documents.
import { NO_FILTERS } from '../../domain/search-filter.ts';
import type { ReadOptions } from '../../domain/store.ts';
import type { TrendFilters, TrendPlan } from '../../domain/trend.ts';
import { matchingTerms } from '../search/matching-terms.ts';
import type { SetReader } from '../set-reader.ts';
import { allOf, type Sql, sql } from '../sql.ts';

/** A condition on documents: those visible in the window that have the words and the categories. */
export async function findTrendTerms(
  reader: SetReader,
  { window, filters: { queries, categories } }: Pick<TrendPlan<string>, 'window' | 'filters'>,
  options?: ReadOptions,
): Promise<Sql> {
  const match = queries.length === 0 ? undefined : ({ kind: 'similar', queries, excluded: [] } as const);
  return await matchingTerms(reader, { window, match, filters: { ...NO_FILTERS, categories } }, options);
}

/** A condition on the rank that the list is about. */
export function withinRanks(rank: Sql, { minRank, maxRank }: Pick<TrendFilters, 'minRank' | 'maxRank'>): Sql {
  return allOf([
    ...(minRank === undefined ? [] : [sql`${rank} >= ${minRank}`]),
    ...(maxRank === undefined ? [] : [sql`${rank} <= ${maxRank}`]),
  ]);
}
