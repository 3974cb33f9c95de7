import type { Tenant } from '../domain/account.ts';
import type { Slice } from '../domain/page.ts';
import type { HistoryEntry, HistoryPage } from '../domain/search-history.ts';
import { changeInTenant, inTenant, type Pool } from './pool.ts';

/** The tenant's own searches, newest first. */
export async function listHistory(
  pool: Pool,
  { tenant, slice }: { tenant: Tenant; slice: Slice },
): Promise<HistoryPage> {
  const owner = [tenant.organizationId, tenant.userId];
  return await inTenant(pool, tenant, async (transaction) => {
    const entries = await transaction.query<HistoryEntry>(
      `SELECT id, searched_at AS "searchedAt", endpoint, parameters, result_count AS "resultCount"
       FROM search_history WHERE organization_id = $1 AND user_id = $2
       ORDER BY searched_at DESC, id LIMIT $3 OFFSET $4`,
      [...owner, slice.limit, slice.offset],
    );
    const total = await transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM search_history WHERE organization_id = $1 AND user_id = $2',
      owner,
    );
    return { entries: entries.rows, totalCount: total.rows[0]?.count ?? 0 };
  });
}

/** Few enough that each statement is done long before a request runs out of time. */
const DELETED_AT_ONCE = 10_000;

/** Removes every search of the tenant; returns how many there were. */
export async function deleteHistory(pool: Pool, tenant: Tenant): Promise<number> {
  let deletedCount = 0;
  for (;;) {
    const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
      transaction.query(
        `DELETE FROM search_history WHERE id IN (SELECT id FROM search_history
           WHERE organization_id = $1 AND user_id = $2 ORDER BY searched_at DESC, id LIMIT $3)`,
        [tenant.organizationId, tenant.userId, DELETED_AT_ONCE],
      ),
    );
    deletedCount += rowCount ?? 0;
    if ((rowCount ?? 0) < DELETED_AT_ONCE) return deletedCount;
  }
}
