// Searches: which terms, in the order of the plan; then what is shown of those that were asked for.
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SearchRow } from '../../domain/search-row.ts';
import type { ReadOptions, SearchResult } from '../../domain/store.ts';
import type { SetReader } from '../set-reader.ts';
import { sql } from '../sql.ts';
import { readSearchRows } from './document-rows.ts';
import { findMatching, type Matching } from './matching-terms.ts';
import { searchOrder } from './search-order.ts';

export async function search(reader: SetReader, plan: SearchPlan, options?: ReadOptions): Promise<SearchResult> {
  const matching = await findMatching(reader, plan, options);
  const [totalCount, termIds] = await Promise.all([
    countMatching(reader, matching, options),
    listTermIds(reader, plan, matching, options),
  ]);
  return { totalCount, rows: await readSearchRows(reader, { plan, termIds }, options) };
}

export async function count(reader: SetReader, plan: SearchPlan, options?: ReadOptions): Promise<number> {
  return await countMatching(reader, await findMatching(reader, plan, options), options);
}

/** The terms are listed once, a few bytes each; their rows are read batch by batch. */
export async function* streamRows(
  reader: SetReader,
  { plan, rowsPerBatch }: { readonly plan: SearchPlan; readonly rowsPerBatch: number },
  options?: ReadOptions,
): AsyncGenerator<readonly SearchRow[]> {
  const termIds = await listTermIds(reader, plan, await findMatching(reader, plan, options), options);
  for (let done = 0; done < termIds.length; done += rowsPerBatch) {
    yield await readSearchRows(reader, { plan, termIds: termIds.slice(done, done + rowsPerBatch) }, options);
  }
}

async function countMatching(reader: SetReader, { documents }: Matching, options?: ReadOptions): Promise<number> {
  const [counted] = await reader.rows<{ terms: number }>(sql`SELECT count() AS terms FROM ${documents}`, options);
  return counted?.terms ?? 0;
}

async function listTermIds(
  reader: SetReader,
  plan: SearchPlan,
  { documents, queries }: Matching,
  options?: ReadOptions,
): Promise<readonly number[]> {
  if (plan.limit === 0) return [];
  const order = await searchOrder({ reader, plan, queries }, options);
  const found = await reader.rows<{ term_id: number }>(
    sql`SELECT term_id FROM ${documents}
      ORDER BY ${order} LIMIT ${plan.offset}, ${plan.limit}`,
    options,
  );
  return found.map(({ term_id }) => term_id);
}
