// What an organization's members keep together, one table per kind, with the same limits, repeats and locks.
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import type { SharedItem, SharedItems } from '../domain/shared-item.ts';
import { recordAct } from './audit-log.ts';
import { claimIdempotencyKey, keepOutcome } from './idempotency-keys.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';

/** Values by column; undefined leaves a column as it is. */
export type ColumnValues = Readonly<Record<string, unknown>>;

export interface SharedTable<Item extends SharedItem, New, Change, Selection> {
  readonly name: 'lists' | 'saved_searches' | 'chart_notes' | 'shares';
  /** In messages: "list". */
  readonly noun: string;
  readonly maxItems: number;
  /** What is selected, under the names of the item. */
  readonly columns: string;
  readonly order: string;
  /** A condition with its values, numbered from 2; undefined keeps all. */
  readonly condition?: (selection: Selection) => { readonly sql: string; readonly values: readonly unknown[] };
  readonly write: (values: New | Change) => ColumnValues;
  /** What the audit log says of one that is made or deleted; without it nothing. */
  readonly act?: (item: Item) => Readonly<Record<string, unknown>>;
  /** One that was deleted since, as it was when it was added. */
  readonly asAdded: (item: New, added: SharedItem) => Item;
}

const UNIQUE_VIOLATION = '23505';

export function openSharedItems<Item extends SharedItem, New, Change, Selection>(
  pool: Pool,
  table: SharedTable<Item, New, Change, Selection>,
): SharedItems<Item, New, Change, Selection> {
  const find = async (transaction: Queryable, tenant: Tenant, id: string): Promise<Item | undefined> => {
    const { rows } = await transaction.query(
      `SELECT ${table.columns} FROM ${table.name} WHERE organization_id = $1 AND id = $2`,
      [tenant.organizationId, id],
    );
    return rows[0] as Item | undefined;
  };
  return {
    list: (tenant, { selection, limit, offset }) =>
      inTenant(pool, tenant, async (transaction) => {
        const { sql = 'true', values = [] } = table.condition?.(selection) ?? {};
        const from = `FROM ${table.name} WHERE organization_id = $1 AND ${sql}`;
        const owned = [tenant.organizationId, ...values];
        const total = await transaction.query<{ count: number }>(`SELECT count(*) AS count ${from}`, owned);
        const page = await transaction.query(
          `SELECT ${table.columns} ${from} ORDER BY ${table.order} LIMIT $${owned.length + 1} OFFSET $${owned.length + 2}`,
          [...owned, limit, offset],
        );
        return { items: page.rows as Item[], totalCount: total.rows[0]?.count ?? 0 };
      }),
    find: (tenant, id) => inTenant(pool, tenant, (transaction) => find(transaction, tenant, id)),
    add: (tenant, { item, idempotency }) =>
      refusingTakenNames(table, () =>
        changeInTenant(pool, tenant, async (transaction) => {
          const earlier = idempotency && (await claimIdempotencyKey(transaction, tenant, idempotency));
          const [earlierId] = earlier?.itemIds ?? [];
          if (earlier && earlierId !== undefined) {
            const added = { id: earlierId, createdAt: earlier.at, updatedAt: earlier.at };
            return (await find(transaction, tenant, earlierId)) ?? table.asAdded(item, added);
          }
          await checkRoom(transaction, tenant, table);
          const id = await insert(transaction, tenant, { table, values: table.write(item) });
          if (idempotency) {
            await keepOutcome(transaction, tenant, { key: idempotency.key, itemIds: [id], areNew: [true] });
          }
          const added = await find(transaction, tenant, id);
          if (!added) throw new Error(`a ${table.noun} just added is not there`);
          await audit(transaction, tenant, { table, what: 'create', item: added });
          return added;
        }),
      ),
    change: (tenant, id, change) =>
      refusingTakenNames(table, () =>
        changeInTenant(pool, tenant, async (transaction) => {
          const given = Object.entries(table.write(change)).filter(([, value]) => value !== undefined);
          const columns = given.map(([column], i) => `${column} = $${i + 3}, `);
          await transaction.query(
            `UPDATE ${table.name} SET ${columns.join('')}updated_at = now() WHERE organization_id = $1 AND id = $2`,
            [tenant.organizationId, id, ...given.map(([, value]) => value)],
          );
          return await find(transaction, tenant, id);
        }),
      ),
    delete: async (tenant, id) => {
      return await changeInTenant(pool, tenant, async (transaction) => {
        const item = table.act && (await find(transaction, tenant, id));
        const { rowCount } = await transaction.query(
          `DELETE FROM ${table.name} WHERE organization_id = $1 AND id = $2`,
          [tenant.organizationId, id],
        );
        if (rowCount === 1 && item) await audit(transaction, tenant, { table, what: 'delete', item });
        return rowCount === 1;
      });
    },
  };
}

async function audit<Item extends SharedItem>(
  transaction: Queryable,
  tenant: Tenant,
  {
    table: { act, noun },
    what,
    item,
  }: {
    readonly table: Pick<SharedTable<Item, never, never, never>, 'act' | 'noun'>;
    readonly what: 'create' | 'delete';
    readonly item: Item;
  },
): Promise<void> {
  if (act) await recordAct(transaction, { tenant, action: `${noun}.${what}`, details: act(item) });
}

type Limited = Pick<SharedTable<SharedItem, unknown, unknown, unknown>, 'name' | 'noun' | 'maxItems'>;

/** Whoever counts must not be overtaken by another who adds. */
async function checkRoom(transaction: Queryable, { organizationId }: Tenant, { name, noun, maxItems }: Limited) {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${name} ${organizationId}`]);
  const { rows } = await transaction.query<{ count: number }>(
    `SELECT count(*) AS count FROM ${name} WHERE organization_id = $1`,
    [organizationId],
  );
  if ((rows[0]?.count ?? 0) < maxItems) return;
  throw new RequestError(
    'CONFLICT',
    `The organization has ${maxItems} of these, and no more are allowed: a ${noun} cannot be added.`,
    'Delete one first; nothing was changed.',
  );
}

async function insert(
  transaction: Queryable,
  { organizationId }: Tenant,
  { table, values }: { readonly table: Limited; readonly values: ColumnValues },
): Promise<string> {
  const columns = Object.keys(values);
  const { rows } = await transaction.query<{ id: string }>(
    `INSERT INTO ${table.name} (organization_id, ${columns.join(', ')})
     VALUES ($1, ${columns.map((_, i) => `$${i + 2}`).join(', ')}) RETURNING id`,
    [organizationId, ...Object.values(values)],
  );
  const [row] = rows;
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return row.id;
}

async function refusingTakenNames<T>({ noun }: Limited, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
    throw new RequestError(
      'CONFLICT',
      `There is a ${noun} of this name already.`,
      'Choose another name; upper and lower case do not count.',
    );
  }
}
