import type { Tenant } from '../domain/account.ts';
import type { Slice } from '../domain/page.ts';
import { abbreviateParameters, type HistoryEntry, type HistoryPage } from '../domain/search-history.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';

/** The tenant's own searches, newest first. */
export async function listHistory(pool: Pool, tenant: Tenant, slice: Slice): Promise<HistoryPage> {
  const owner = [tenant.organizationId, tenant.userId];
  return await inTenant(pool, tenant, async (transaction) => {
    const entries = await transaction.query<HistoryEntry & { parameters: HistoryEntry['parameters'] | null }>(
      `SELECT id, searched_at AS "searchedAt", endpoint, result_count AS "resultCount",
         CASE WHEN octet_length(parameters::text) <= ${MAX_READ_BYTES} THEN parameters END AS parameters
       FROM search_history WHERE organization_id = $1 AND user_id = $2
       ORDER BY searched_at DESC, id LIMIT $3 OFFSET $4`,
      [...owner, slice.limit, slice.offset],
    );
    const total = await transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM search_history WHERE organization_id = $1 AND user_id = $2',
      owner,
    );
    const longIds = entries.rows.filter(({ parameters }) => parameters === null).map(({ id }) => id);
    const long = await readLong(transaction, longIds);
    return {
      entries: entries.rows.map((entry) => ({ ...entry, parameters: entry.parameters ?? long.get(entry.id) ?? {} })),
      totalCount: total.rows[0]?.count ?? 0,
    };
  });
}

/** More than what is kept of a search, which is at most 1,200 characters. */
const MAX_READ_BYTES = 5_000;

/** Parameters that were kept before long ones were abbreviated, abbreviated now. The database sends the first values only. */
async function readLong(
  transaction: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HistoryEntry['parameters']>> {
  if (ids.length === 0) return new Map();
  const { rows } = await transaction.query<
    Pick<HistoryEntry, 'id' | 'parameters'> & { counts: Record<string, number> }
  >(
    `SELECT h.id, jsonb_object_agg(p.key, CASE WHEN jsonb_typeof(p.value) = 'array'
         THEN jsonb_path_query_array(p.value, '$[0 to 1]') ELSE p.value END) AS parameters,
       jsonb_object_agg(p.key, CASE WHEN jsonb_typeof(p.value) = 'array' THEN jsonb_array_length(p.value) END) AS counts
     FROM search_history h CROSS JOIN LATERAL jsonb_each(h.parameters) p WHERE h.id = ANY ($1::uuid[]) GROUP BY h.id`,
    [ids],
  );
  return new Map(rows.map(({ id, parameters, counts }) => [id, abbreviateParameters(parameters, counts)]));
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

const SWEPT_AT_ONCE = 1_000;

/** Removes some searches that are too old, of all tenants; true when there may be more. */
export async function sweepHistory(operator: Queryable, historyDays: number): Promise<boolean> {
  const { rowCount } = await operator.query(
    `DELETE FROM search_history WHERE id IN (
       SELECT old.id FROM memberships m CROSS JOIN LATERAL (
         SELECT h.id FROM search_history h WHERE h.organization_id = m.organization_id AND h.user_id = m.user_id
           AND h.searched_at < now() - make_interval(days => $1) LIMIT $2) old
       LIMIT $2)`,
    [historyDays, SWEPT_AT_ONCE],
  );
  return rowCount === SWEPT_AT_ONCE;
}
