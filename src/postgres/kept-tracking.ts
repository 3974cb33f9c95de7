// What a member tracked, kept for the organization as a list when the member goes.
import type { Tenant, UserId } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { MAX_LIST_ITEMS, MAX_LISTS } from '../domain/keyword-list.ts';
import { MAX_NAME_CHARACTERS, nameKey } from '../domain/shared-item.ts';
import { learn, type Queryable } from './pool.ts';

export async function keepTracked(
  transaction: Queryable,
  { organizationId, userId }: Tenant,
  leaving: { readonly id: UserId; readonly email: string },
): Promise<void> {
  // What is tracked is seen by its owner alone.
  await learn(transaction, { user_id: leaving.id });
  const { rows } = await transaction.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM tracked_keywords WHERE organization_id = $1 AND user_id = $2)
       + (SELECT count(*) FROM tracked_products WHERE organization_id = $1 AND user_id = $2) AS count`,
    [organizationId, leaving.id],
  );
  if ((rows[0]?.count ?? 0) > 0) {
    const listId = await addList(
      transaction,
      organizationId,
      `Tracked by ${leaving.email}`.slice(0, MAX_NAME_CHARACTERS - 10),
    );
    await transaction.query(
      `INSERT INTO list_items (organization_id, list_id, kind, value, value_hash, tags, notes)
       SELECT $1::uuid, $3::uuid, kind, value, value_hash, '{}', notes FROM (
         SELECT 'keyword' AS kind, original_term AS value, term_hash AS value_hash, notes, created_at FROM tracked_keywords
           WHERE organization_id = $1 AND user_id = $2
         UNION ALL
         SELECT 'product', asin, sha256(asin::bytea), notes, created_at FROM tracked_products
           WHERE organization_id = $1 AND user_id = $2) tracked
       ORDER BY created_at LIMIT $4`,
      [organizationId, leaving.id, listId, MAX_LIST_ITEMS],
    );
  }
  await learn(transaction, { user_id: userId });
}

async function addList(transaction: Queryable, organizationId: string, name: string): Promise<string | undefined> {
  const { rows: counted } = await transaction.query<{ count: number }>(
    'SELECT count(*) AS count FROM lists WHERE organization_id = $1',
    [organizationId],
  );
  if ((counted[0]?.count ?? 0) >= MAX_LISTS) {
    throw new RequestError(
      'CONFLICT',
      `What was tracked would be kept as a list, and the organization has ${MAX_LISTS} of them already.`,
      'Delete a list first, or choose to delete what was tracked.',
    );
  }
  // Whoever comes and goes twice leaves two lists.
  const { rows } = await transaction.query<{ id: string }>(
    `INSERT INTO lists (organization_id, name, name_key, notes)
     SELECT $1::uuid, $2 || suffix, $3 || suffix, '' FROM (
       SELECT CASE WHEN n = 1 THEN '' ELSE ' (' || n || ')' END AS suffix, n FROM generate_series(1, 200) n) s
     WHERE NOT EXISTS (SELECT FROM lists l WHERE l.organization_id = $1 AND l.name_key = $3 || suffix)
     ORDER BY n LIMIT 1 RETURNING id`,
    [organizationId, name, nameKey(name)],
  );
  return rows[0]?.id;
}
