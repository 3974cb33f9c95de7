// The lists of what users track: keywords and products, each in a table of its own, with the same limits, repeats and locks.
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import type { TrackedItem, TrackedItems, TrackingOutcome, TrackingRequest } from '../domain/tracked-item.ts';
import { claimIdempotencyKey, type EarlierRequest, keepOutcome } from './idempotency-keys.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';

/** Which of a tenant's items are read. */
export interface ItemSelection<New> {
  readonly id?: string;
  readonly sameAs?: readonly New[];
  readonly isActive?: true;
}

/** One kind of items. */
export interface ItemTable<Item extends TrackedItem, New, Change> {
  readonly name: 'tracked_keywords' | 'tracked_products';
  /** In messages: "keyword". */
  readonly noun: string;
  readonly path: `/v1/${string}`;
  readonly maxActive: number;
  readonly maxTotal: number;
  /** Equal for what can be tracked once only. */
  readonly identify: (item: New | Item) => string;
  /** In the order in which they were added. */
  readonly select: (transaction: Queryable, tenant: Tenant, only?: ItemSelection<New>) => Promise<readonly Item[]>;
  /** None of them is tracked yet. */
  readonly insert: (transaction: Queryable, tenant: Tenant, items: readonly New[]) => Promise<readonly Item[]>;
  readonly update: (transaction: Queryable, tenant: Tenant, change: Change & { readonly id: string }) => Promise<void>;
  /** One that was deleted since, as it was when it was added. */
  readonly asAdded: (item: New, added: Omit<TrackedItem, 'notes'>) => Item;
}

export function openTrackedItems<
  Item extends TrackedItem,
  New,
  Change extends { readonly isActive: boolean | undefined },
>(pool: Pool, table: ItemTable<Item, New, Change>): TrackedItems<Item, New, Change> {
  return {
    list: (tenant) => inTenant(pool, tenant, (transaction) => table.select(transaction, tenant)),
    find: async (tenant, id) => {
      const [item] = await inTenant(pool, tenant, (transaction) => table.select(transaction, tenant, { id }));
      return item;
    },
    add: (tenant, request) =>
      changeInTenant(pool, tenant, (transaction) => addItems(transaction, tenant, { table, request })),
    change: (tenant, id, change) =>
      changeInTenant(pool, tenant, async (transaction) => {
        await lockTenant(transaction, tenant, table);
        await table.update(transaction, tenant, { ...change, id });
        if (change.isActive) await checkLimits(transaction, tenant, { table, adding: 0 });
        const [item] = await table.select(transaction, tenant, { id });
        return item;
      }),
    delete: async (tenant, id) => {
      const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
        transaction.query(`DELETE FROM ${table.name} WHERE organization_id = $1 AND user_id = $2 AND id = $3`, [
          tenant.organizationId,
          tenant.userId,
          id,
        ]),
      );
      return rowCount === 1;
    },
  };
}

interface Adding<Item extends TrackedItem, New, Change> {
  readonly table: ItemTable<Item, New, Change>;
  readonly request: TrackingRequest<New>;
}

/** Adds what is not tracked yet, all or nothing. */
async function addItems<Item extends TrackedItem, New, Change>(
  transaction: Queryable,
  tenant: Tenant,
  { table, request }: Adding<Item, New, Change>,
): Promise<readonly TrackingOutcome<Item>[] | { readonly answer: string }> {
  const { idempotency } = request;
  const earlier = idempotency && (await claimIdempotencyKey(transaction, tenant, idempotency));
  if (earlier) return await listEarlier(transaction, tenant, { table, request, earlier });
  await lockTenant(transaction, tenant, table);
  const outcomes = await insertItems(transaction, tenant, { table, request });
  const known = outcomes.find(({ isNew }) => !isNew);
  if (known && request.isNewOnly) throw alreadyTracked(table, known.item);
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
async function listEarlier<Item extends TrackedItem, New, Change>(
  transaction: Queryable,
  tenant: Tenant,
  { table, request, earlier }: Adding<Item, New, Change> & { readonly earlier: EarlierRequest },
): Promise<readonly TrackingOutcome<Item>[] | { readonly answer: string }> {
  if (earlier.answer !== '') return { answer: earlier.answer };
  const tracked = await table.select(transaction, tenant, { sameAs: request.items });
  const byId = new Map(tracked.map((item) => [item.id, item]));
  return request.items.map((item, i) => {
    const id = earlier.itemIds[i] ?? '';
    const added = { id, createdAt: earlier.at, updatedAt: earlier.at, isActive: true };
    return { item: byId.get(id) ?? table.asAdded(item, added), isNew: earlier.areNew[i] ?? false };
  });
}

async function insertItems<Item extends TrackedItem, New, Change>(
  transaction: Queryable,
  tenant: Tenant,
  { table, request }: Adding<Item, New, Change>,
): Promise<readonly TrackingOutcome<Item>[]> {
  // Of two spellings of one the first wins.
  const distinct = new Map([...request.items].reverse().map((item) => [table.identify(item), item]));
  const wanted = request.items.filter((item) => distinct.get(table.identify(item)) === item);
  const tracked = await table.select(transaction, tenant, { sameAs: wanted });
  const known = new Map(tracked.map((item) => [table.identify(item), item]));
  const added = wanted.filter((item) => !known.has(table.identify(item)));
  // Before the work: whoever tries again and again to add too many costs little.
  await checkLimits(transaction, tenant, { table, adding: added.length });
  const inserted = added.length === 0 ? [] : await table.insert(transaction, tenant, added);
  const newIds = new Set(inserted.map(({ id }) => id));
  for (const item of inserted) known.set(table.identify(item), item);
  return request.items.map((each) => {
    const item = known.get(table.identify(each));
    if (!item) throw new Error(`a ${table.noun} just added is not there`);
    // A second spelling in the same request finds it there already.
    return { item, isNew: newIds.delete(item.id) };
  });
}

type Limited = Pick<ItemTable<TrackedItem, unknown, unknown>, 'name' | 'noun' | 'path' | 'maxActive' | 'maxTotal'>;

/** Whoever counts a tenant's items must not be overtaken by another who adds some. */
async function lockTenant(
  transaction: Queryable,
  { organizationId, userId }: Tenant,
  { noun }: Limited,
): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `tracked ${noun}s ${organizationId} ${userId}`,
  ]);
}

/** Whether there is room for so many more active ones. */
async function checkLimits(
  transaction: Queryable,
  tenant: Tenant,
  { table, adding }: { readonly table: Limited; readonly adding: number },
): Promise<void> {
  const { rows } = await transaction.query<{ active: number; total: number }>(
    `SELECT $3::bigint + count(*) FILTER (WHERE is_active) AS active, $3::bigint + count(*) AS total FROM ${table.name}
     WHERE organization_id = $1 AND user_id = $2`,
    [tenant.organizationId, tenant.userId, adding],
  );
  const { active = 0, total = 0 } = rows[0] ?? {};
  if (active > table.maxActive) {
    throw new RequestError(
      'CONFLICT',
      `This would make ${active} active tracked ${table.noun}s, and at most ${table.maxActive} are allowed.`,
      'Pause or delete some first; nothing was changed.',
    );
  }
  if (total > table.maxTotal) {
    throw new RequestError(
      'CONFLICT',
      `This would make ${total} tracked ${table.noun}s, paused ones included, and at most ${table.maxTotal} are allowed.`,
      'Delete some first; nothing was changed.',
    );
  }
}

function alreadyTracked({ noun, path }: Limited, { id }: TrackedItem): RequestError {
  return new RequestError('CONFLICT', `This ${noun} is tracked already.`, `Change it with PATCH ${path}/${id}.`);
}
