// Changes of connections, each with its line in the audit log.
import type { OrganizationId, Tenant } from '../domain/account.ts';
import {
  AMAZON_OPERATIONS,
  AMAZON_RATES,
  type Connection,
  type NewConnection,
  type RetrySelection,
} from '../domain/connection.ts';
import type { SealedSecrets } from '../domain/download-queue.ts';
import { OperatorError } from '../domain/error.ts';
import { recordAct, recordAction } from './audit-log.ts';
import { CONNECTION_COLUMNS, type ConnectionRow, checkNewConnection, connectionOf } from './connections.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';

/** Who does it; undefined: an operator in a shell. */
export type ConnectionActor = Tenant | undefined;

/** Somebody removed it meanwhile. */
export class ConnectionGoneError extends OperatorError {}

/** The id is chosen by the caller, because the secrets are sealed for it. */
export async function addConnection(
  pool: Pool,
  {
    given,
    sealed,
    actor,
    check = (transaction) => checkNewConnection(transaction, given),
  }: {
    readonly given: NewConnection & { readonly id: string; readonly organizationId: OrganizationId | null };
    readonly sealed: SealedSecrets;
    readonly actor?: ConnectionActor;
    /** Throws what speaks against it, once nobody else can add one. */
    readonly check?: (transaction: Queryable) => Promise<void>;
  },
): Promise<Connection> {
  return await inTransaction(pool, async (transaction) => {
    // One at a time: two that are added at once must not get the same marketplace.
    await transaction.query('LOCK TABLE connections IN SHARE ROW EXCLUSIVE MODE');
    await check(transaction);
    await transaction.query(
      `INSERT INTO connections (id, organization_id, name, region, marketplaces, client_id, secrets, key_id, look_back_weeks,
         look_back_months, since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        given.id,
        given.organizationId,
        given.name,
        given.region,
        given.marketplaces,
        given.clientId,
        sealed.bytes,
        sealed.keyId,
        given.lookBackWeeks,
        given.lookBackMonths,
        given.since,
      ],
    );
    for (const operation of AMAZON_OPERATIONS) {
      const { intervalMs, burst } = AMAZON_RATES[operation];
      await transaction.query(
        'INSERT INTO connection_rates (connection_id, operation, interval_ms, burst) VALUES ($1, $2, $3, $4)',
        [given.id, operation, intervalMs, burst],
      );
    }
    const added = await lockConnection(transaction, given.id);
    await audit(transaction, added, { action: 'connection.add', actor });
    return added;
  });
}

interface Change {
  readonly id: string;
  readonly actor?: ConnectionActor;
}

/** New secrets for the same account; what was given up is tried again. */
export async function replaceSecrets(
  pool: Pool,
  { clientId, sealed, ...rest }: Change & { readonly clientId: string; readonly sealed: SealedSecrets },
): Promise<Connection> {
  return await change(pool, { ...rest, action: 'connection.rotate' }, async (transaction, connection) => {
    const { id } = connection;
    await transaction.query(
      `UPDATE connections SET client_id = $2, secrets = $3, key_id = $4, held_until = NULL, fault = NULL WHERE id = $1`,
      [id, clientId, sealed.bytes, sealed.keyId],
    );
    await retry(transaction, connection);
  });
}

/** Servers ask for nothing from then on; a step that is under way ends. */
export async function disableConnection(pool: Pool, of: Change): Promise<Connection> {
  return await change(pool, { ...of, action: 'connection.disable' }, async (transaction, { id }) => {
    await transaction.query('UPDATE connections SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1', [id]);
  });
}

export async function enableConnection(pool: Pool, of: Change): Promise<Connection> {
  return await change(pool, { ...of, action: 'connection.enable' }, async (transaction, connection) => {
    await transaction.query(
      'UPDATE connections SET disabled_at = NULL, held_until = NULL, fault = NULL WHERE id = $1',
      [connection.id],
    );
    await retry(transaction, connection);
  });
}

/** With its secrets and its downloads; what was published stays. */
export async function removeConnection(pool: Pool, { id, actor }: Change): Promise<Connection> {
  return await inTransaction(pool, async (transaction) => {
    const connection = await lockConnection(transaction, id);
    await transaction.query('DELETE FROM connections WHERE id = $1', [id]);
    await audit(transaction, connection, { action: 'connection.remove', actor });
    return connection;
  });
}

/** What was given up, or waits, is tried at once. Returns how many. */
export async function retryDownloads(
  pool: Pool,
  { id, actor, ...selection }: Change & RetrySelection,
): Promise<number> {
  return await inTransaction(pool, async (transaction) => {
    const connection = await lockConnection(transaction, id);
    await transaction.query('UPDATE connections SET held_until = NULL, fault = NULL WHERE id = $1', [id]);
    await audit(transaction, connection, { action: 'connection.retry', actor });
    return await retry(transaction, connection, selection);
  });
}

async function retry(
  transaction: Queryable,
  { id, heldUntil }: Pick<Connection, 'id' | 'heldUntil'>,
  { marketplace, period }: RetrySelection = {},
): Promise<number> {
  const { rowCount } = await transaction.query(
    `UPDATE downloads SET state = CASE state WHEN 'failed' THEN 'wanted' ELSE state END, due_at = now(), failures = 0,
       spoiled = 0, fatals = 0, lost = 0, reason = NULL, message = 'tried again, because somebody said so'
     WHERE connection_id = $1 AND state <> 'imported' AND lease IS NULL
       AND ($3 OR due_at > now() OR state = 'failed') AND ($2::text IS NULL OR marketplace = $2)
       AND ($4::text IS NULL OR (frequency, year, number) = ($4, $5, $6))`,
    [id, marketplace ?? null, heldUntil !== null, period?.frequency ?? null, period?.year ?? 0, period?.number ?? 0],
  );
  return rowCount ?? 0;
}

/** Seals every connection's secrets anew, all or none; returns how many. */
export async function resealSecrets(
  pool: Pool,
  reseal: (connectionId: string, sealed: SealedSecrets) => SealedSecrets,
): Promise<number> {
  return await inTransaction(pool, async (transaction) => {
    const { rows } = await transaction.query<{ id: string; secrets: Buffer; keyId: string }>(
      'SELECT id, secrets, key_id AS "keyId" FROM connections FOR UPDATE',
    );
    for (const { id, secrets, keyId } of rows) {
      const sealed = reseal(id, { keyId, bytes: secrets });
      await transaction.query('UPDATE connections SET secrets = $2, key_id = $3 WHERE id = $1', [
        id,
        sealed.bytes,
        sealed.keyId,
      ]);
    }
    await recordAction(transaction, { action: 'connection.rotate-key', details: { connections: rows.length } });
    return rows.length;
  });
}

/** Of the keys that seal something. */
export async function listKeyIds(connection: Queryable): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query<{ keyId: string }>('SELECT DISTINCT key_id AS "keyId" FROM connections');
  return new Set(rows.map(({ keyId }) => keyId));
}

async function change(
  pool: Pool,
  { id, actor, action }: Change & { readonly action: string },
  work: (transaction: Queryable, connection: Connection) => Promise<void>,
): Promise<Connection> {
  return await inTransaction(pool, async (transaction) => {
    const connection = await lockConnection(transaction, id);
    await work(transaction, connection);
    await audit(transaction, connection, { action, actor });
    return await lockConnection(transaction, id);
  });
}

async function lockConnection(transaction: Queryable, id: string): Promise<Connection> {
  const { rows } = await transaction.query<ConnectionRow>(
    `SELECT ${CONNECTION_COLUMNS} FROM connections c WHERE c.id = $1 FOR UPDATE`,
    [id],
  );
  const [row] = rows;
  if (row) return connectionOf(row);
  throw new ConnectionGoneError('The connection is not there any more.', { hint: 'Somebody removed it.' });
}

/** In the log of the organization that it belongs to; what a user does to one of the operators' stands in the user's own. */
async function audit(
  transaction: Queryable,
  { name, organizationId }: Connection,
  { action, actor }: { readonly action: string; readonly actor: ConnectionActor },
): Promise<void> {
  const details = { connection: name };
  if (actor) {
    const tenant = { organizationId: organizationId ?? actor.organizationId, userId: actor.userId };
    await recordAct(transaction, { tenant, action, details });
  } else await recordAction(transaction, { action, details, ...(organizationId !== null && { organizationId }) });
}
