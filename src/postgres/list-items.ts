import { createHash } from 'node:crypto';
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import {
  firstOfEach,
  type ListItem,
  type ListItemChange,
  type ListItemQuery,
  type ListItems,
  MAX_LIST_ITEMS,
  MAX_TAGS,
  type NewListItem,
  retag,
  type Tagging,
} from '../domain/keyword-list.ts';
import type { Idempotency, SharedPage } from '../domain/shared-item.ts';
import { normalizeTerm } from '../domain/term.ts';
import type { TrackingOutcome } from '../domain/tracked-item.ts';
import type { PriorityRule } from '../domain/tracked-keyword.ts';
import { claimIdempotencyKey, type EarlierRequest, keepOutcome } from './idempotency-keys.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';
import { hashTerm } from './tracked-keywords.ts';

const COLUMNS = `id, list_id AS "listId", kind, value, tags, notes, created_at AS "createdAt", updated_at AS "updatedAt"`;

export function openListItems(pool: Pool): ListItems {
  return {
    list: (tenant, query) => inTenant(pool, tenant, (transaction) => listItems(transaction, tenant, query)),
    find: (tenant, id) => inTenant(pool, tenant, (transaction) => findItem(transaction, tenant, id)),
    add: (tenant, request) => changeInTenant(pool, tenant, (transaction) => addItems(transaction, tenant, request)),
    change: (tenant, id, change) =>
      changeInTenant(pool, tenant, (transaction) => changeItem(transaction, tenant, { ...change, id })),
    remove: (tenant, request) =>
      changeInTenant(pool, tenant, async (transaction) => {
        if (!(await lockList(transaction, tenant, request.listId))) return undefined;
        const { rowCount } = await transaction.query(
          'DELETE FROM list_items WHERE organization_id = $1 AND list_id = $2 AND id = ANY ($3::uuid[])',
          [tenant.organizationId, request.listId, request.ids],
        );
        return rowCount ?? 0;
      }),
    tag: (tenant, tagging) => changeInTenant(pool, tenant, (transaction) => tagItems(transaction, tenant, tagging)),
    listsOf: (tenant, terms) => inTenant(pool, tenant, (transaction) => listsOf(transaction, tenant, terms)),
  };
}

async function listItems(
  transaction: Queryable,
  { organizationId }: Tenant,
  { listId, kind, tag, limit, offset }: ListItemQuery,
): Promise<SharedPage<ListItem> | undefined> {
  const known = await transaction.query('SELECT FROM lists WHERE organization_id = $1 AND id = $2', [
    organizationId,
    listId,
  ]);
  if (known.rowCount !== 1) return undefined;
  const from = `FROM list_items WHERE organization_id = $1 AND list_id = $2 AND ($3::text IS NULL OR kind = $3)
    AND ($4::text IS NULL OR EXISTS (SELECT FROM unnest(tags) AS t(tag) WHERE lower(t.tag) = lower($4)))`;
  const values = [organizationId, listId, kind, tag];
  const total = await transaction.query<{ count: number }>(`SELECT count(*) AS count ${from}`, values);
  const page = await transaction.query<ListItem>(`SELECT ${COLUMNS} ${from} ORDER BY position LIMIT $5 OFFSET $6`, [
    ...values,
    limit,
    offset,
  ]);
  return { items: page.rows, totalCount: total.rows[0]?.count ?? 0 };
}

async function findItem(transaction: Queryable, { organizationId }: Tenant, id: string): Promise<ListItem | undefined> {
  const { rows } = await transaction.query<ListItem>(
    `SELECT ${COLUMNS} FROM list_items WHERE organization_id = $1 AND id = $2`,
    [organizationId, id],
  );
  return rows[0];
}

async function changeItem(
  transaction: Queryable,
  tenant: Tenant,
  { id, tags, notes }: ListItemChange & { readonly id: string },
): Promise<ListItem | undefined> {
  await transaction.query(
    `UPDATE list_items SET tags = coalesce($3, tags), notes = coalesce($4, notes), updated_at = now()
     WHERE organization_id = $1 AND id = $2`,
    [tenant.organizationId, id, tags, notes],
  );
  return await findItem(transaction, tenant, id);
}

/** Whoever counts a list's items must not be overtaken by another who adds some, or by its deletion. */
async function lockList(transaction: Queryable, { organizationId }: Tenant, listId: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    'UPDATE lists SET updated_at = now() WHERE organization_id = $1 AND id = $2',
    [organizationId, listId],
  );
  return rowCount === 1;
}

interface Adding {
  readonly listId: string;
  readonly items: readonly NewListItem[];
  readonly idempotency: Idempotency;
}

async function addItems(
  transaction: Queryable,
  tenant: Tenant,
  { listId, items, idempotency }: Adding,
): Promise<readonly TrackingOutcome<ListItem>[] | undefined> {
  if (!(await lockList(transaction, tenant, listId))) return undefined;
  const earlier = idempotency && (await claimIdempotencyKey(transaction, tenant, idempotency));
  if (earlier) return await listEarlier(transaction, tenant, { listId, items, earlier });
  // Of two spellings of one the first wins.
  const wanted = firstOfEach(items, identify);
  const known = new Map((await findSame(transaction, tenant, { listId, items: wanted })).map(byIdentity));
  const missing = wanted.filter((item) => !known.has(identify(item)));
  await checkRoom(transaction, tenant, { listId, adding: missing.length });
  const inserted = await insertItems(transaction, tenant, { listId, items: missing });
  for (const [identity, item] of inserted.map(byIdentity)) known.set(identity, item);
  const newIds = new Set(inserted.map(({ id }) => id));
  const outcomes = items.map((each) => {
    const item = known.get(identify(each));
    if (!item) throw new Error('an item just added is not there');
    return { item, isNew: newIds.delete(item.id) };
  });
  if (idempotency) {
    await keepOutcome(transaction, tenant, {
      key: idempotency.key,
      itemIds: outcomes.map(({ item }) => item.id),
      areNew: outcomes.map(({ isNew }) => isNew),
    });
  }
  return outcomes;
}

/** The outcome of an earlier request, of the same body. Its items are shown as they are now, or as they were added. */
async function listEarlier(
  transaction: Queryable,
  tenant: Tenant,
  { listId, items, earlier }: Omit<Adding, 'idempotency'> & { readonly earlier: EarlierRequest },
): Promise<readonly TrackingOutcome<ListItem>[]> {
  const byId = new Map((await findSame(transaction, tenant, { listId, items })).map((item) => [item.id, item]));
  return items.map((item, i) => {
    const id = earlier.itemIds[i] ?? '';
    const added = { ...item, id, listId, createdAt: earlier.at, updatedAt: earlier.at };
    return { item: byId.get(id) ?? added, isNew: earlier.areNew[i] ?? false };
  });
}

type Several = Pick<Adding, 'listId' | 'items'>;

async function findSame(
  transaction: Queryable,
  { organizationId }: Tenant,
  { listId, items }: Several,
): Promise<readonly ListItem[]> {
  const { rows } = await transaction.query<ListItem>(
    `SELECT ${COLUMNS} FROM list_items WHERE organization_id = $1 AND list_id = $2 AND value_hash = ANY ($3)`,
    [organizationId, listId, items.map(hashItem)],
  );
  return rows;
}

async function insertItems(
  transaction: Queryable,
  { organizationId }: Tenant,
  { listId, items }: Several,
): Promise<readonly ListItem[]> {
  if (items.length === 0) return [];
  const { rows } = await transaction.query<ListItem>(
    // Lists of tags as JSON: arrays of arrays must all be of one length.
    `INSERT INTO list_items (organization_id, list_id, kind, value, value_hash, tags, notes)
     SELECT $1, $2, i.kind, i.value, i.hash, ARRAY(SELECT jsonb_array_elements_text(i.tags)), i.notes
     FROM unnest($3::text[], $4::text[], $5::bytea[], $6::jsonb[], $7::text[]) WITH ORDINALITY
       AS i(kind, value, hash, tags, notes, place) ORDER BY i.place RETURNING ${COLUMNS}`,
    [
      ...[organizationId, listId, items.map(({ kind }) => kind), items.map(({ value }) => value), items.map(hashItem)],
      ...[items.map(({ tags }) => JSON.stringify(tags)), items.map(({ notes }) => notes)],
    ],
  );
  return rows;
}

async function checkRoom(
  transaction: Queryable,
  { organizationId }: Tenant,
  { listId, adding }: { readonly listId: string; readonly adding: number },
): Promise<void> {
  const { rows } = await transaction.query<{ count: number }>(
    'SELECT count(*) AS count FROM list_items WHERE organization_id = $1 AND list_id = $2',
    [organizationId, listId],
  );
  const total = adding + (rows[0]?.count ?? 0);
  if (total <= MAX_LIST_ITEMS) return;
  throw new RequestError(
    'CONFLICT',
    `This would make ${total} items, and at most ${MAX_LIST_ITEMS} are allowed in a list.`,
    'Remove some first, or use another list; nothing was changed.',
  );
}

async function tagItems(
  transaction: Queryable,
  tenant: Tenant,
  { listId, ids, ...tagging }: Tagging,
): Promise<number | undefined> {
  if (!(await lockList(transaction, tenant, listId))) return undefined;
  const { rows } = await transaction.query<Pick<ListItem, 'id' | 'tags'>>(
    'SELECT id, tags FROM list_items WHERE organization_id = $1 AND list_id = $2 AND id = ANY ($3::uuid[]) FOR UPDATE',
    [tenant.organizationId, listId, ids],
  );
  const retagged = rows.map(({ id, tags }) => ({ id, before: tags, tags: retag(tags, tagging) }));
  const changed = retagged.filter(({ before, tags }) => tags.join('\n') !== before.join('\n'));
  const overfull = changed.filter(({ tags }) => tags.length > MAX_TAGS).length;
  if (overfull > 0) {
    throw new RequestError(
      'CONFLICT',
      `This would give ${overfull} of the items more than ${MAX_TAGS} tags.`,
      'Remove some of theirs first, or add fewer; nothing was changed.',
    );
  }
  await transaction.query(
    `UPDATE list_items SET tags = ARRAY(SELECT jsonb_array_elements_text(c.tags)), updated_at = now()
     FROM unnest($2::uuid[], $3::jsonb[]) AS c(id, tags) WHERE organization_id = $1 AND list_items.id = c.id`,
    [tenant.organizationId, changed.map(({ id }) => id), changed.map(({ tags }) => JSON.stringify(tags))],
  );
  return changed.length;
}

async function listsOf(
  transaction: Queryable,
  { organizationId }: Tenant,
  terms: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (terms.length === 0) return new Map();
  const { rows } = await transaction.query<{ hash: string; listIds: string[] }>(
    `SELECT encode(i.value_hash, 'hex') AS hash, array_agg(i.list_id ORDER BY l.position) AS "listIds"
     FROM list_items i JOIN lists l ON l.id = i.list_id
     WHERE i.organization_id = $1 AND i.kind = 'keyword' AND i.value_hash = ANY ($2) GROUP BY i.value_hash`,
    [organizationId, terms.map(hashTerm)],
  );
  const byHash = new Map(rows.map(({ hash, listIds }) => [hash, listIds]));
  return new Map(terms.map((term) => [term, byHash.get(hashTerm(term).toString('hex')) ?? []]));
}

/** By normalised term, the rules of the organization's lists that have it, in the order in which the lists were made. */
export async function findListRules(
  transaction: Queryable,
  { organizationId }: Tenant,
  terms: readonly string[],
): Promise<ReadonlyMap<string, readonly PriorityRule[]>> {
  if (terms.length === 0) return new Map();
  const { rows } = await transaction.query<{ hash: string; rules: PriorityRule[] }>(
    `SELECT encode(i.value_hash, 'hex') AS hash, jsonb_agg(l.priority_rule ORDER BY l.position) AS rules
     FROM lists l JOIN list_items i ON i.list_id = l.id
     WHERE l.organization_id = $1 AND l.priority_rule IS NOT NULL AND i.kind = 'keyword' AND i.value_hash = ANY ($2)
     GROUP BY i.value_hash`,
    [organizationId, terms.map(hashTerm)],
  );
  const byHash = new Map(rows.map(({ hash, rules }) => [hash, rules]));
  return new Map(terms.map((term) => [term, byHash.get(hashTerm(term).toString('hex')) ?? []]));
}

function byIdentity(item: ListItem): [string, ListItem] {
  return [identify(item), item];
}

/** Equal for what stands in a list once only. */
function identify({ kind, value }: Pick<NewListItem, 'kind' | 'value'>): string {
  return `${kind} ${kind === 'keyword' ? normalizeTerm(value) : value}`;
}

function hashItem({ kind, value }: Pick<NewListItem, 'kind' | 'value'>): Buffer {
  return kind === 'keyword' ? hashTerm(normalizeTerm(value)) : createHash('sha256').update(value).digest();
}
