import type { Tenant } from '../domain/account.ts';
import type { Slice } from '../domain/page.ts';
import type { HistoryPage } from '../domain/search-history.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';

/** More than what is kept of a search, which is at most 1,200 characters. */
const MAX_READ_BYTES = 5_000;
/** Of each value of parameters that were kept whole, before long ones were abbreviated. */
const KEPT_CHARACTERS = 100;

/** Of an entry that was kept whole: the first value of each parameter, and how many values there were. */
const ABBREVIATED = `(
  SELECT jsonb_object_agg(p.key, CASE jsonb_typeof(p.value)
      WHEN 'array' THEN jsonb_build_array(left(p.value ->> 0, ${KEPT_CHARACTERS}) || '…')
      WHEN 'string' THEN to_jsonb(left(p.value #>> '{}', ${KEPT_CHARACTERS}))
      ELSE p.value END)
    || jsonb_build_object('abbreviated', coalesce(jsonb_object_agg(p.key, jsonb_array_length(p.value))
      FILTER (WHERE jsonb_typeof(p.value) = 'array'), '{}'))
  FROM jsonb_each(parameters) p)`;

const ENTRY_JSON = `format('{"id":"%s","searched_at":"%s","endpoint":%s,"parameters":%s,"result_count":%s}',
  id, to_char(searched_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), to_json(endpoint),
  CASE WHEN octet_length(parameters::text) <= ${MAX_READ_BYTES} THEN parameters ELSE ${ABBREVIATED} END,
  coalesce(result_count::text, 'null'))`;

/** The tenant's own searches, newest first. */
export async function listHistory(pool: Pool, tenant: Tenant, { limit, offset }: Slice): Promise<HistoryPage> {
  const owner = [tenant.organizationId, tenant.userId];
  return await inTenant(pool, tenant, async (transaction) => {
    const { rows } = await transaction.query<HistoryPage>(
      `WITH own AS (SELECT * FROM search_history WHERE organization_id = $1 AND user_id = $2),
         page AS (SELECT * FROM own ORDER BY searched_at DESC, id LIMIT $3 OFFSET $4)
       SELECT (SELECT count(*) FROM own) AS "totalCount",
         (SELECT coalesce(string_agg(${ENTRY_JSON}, ',' ORDER BY searched_at DESC, id), '') FROM page) AS "entriesJson"`,
      [...owner, limit, offset],
    );
    return rows[0] ?? { totalCount: 0, entriesJson: '' };
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
