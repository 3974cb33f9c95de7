// Accounts at Amazon. Secrets come sealed and are given out sealed; nothing here can read them.
import { AMAZON_OPERATIONS, AMAZON_RATES, type Connection, type NewConnection } from '../domain/connection.ts';
import { DOWNLOAD_STATES, type DownloadState } from '../domain/download.ts';
import type { SealedSecrets } from '../domain/download-queue.ts';
import { OperatorError } from '../domain/error.ts';
import type { Frequency, IsoDate, Period } from '../domain/period.ts';
import { recordAction } from './audit-log.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';

export type ConnectionRow = Connection;

export const CONNECTION_COLUMNS = `c.id, c.name, c.region, c.marketplaces, c.client_id AS "clientId",
  c.look_back_weeks AS "lookBackWeeks", c.look_back_months AS "lookBackMonths", c.since::text AS since,
  c.created_at AS "createdAt", c.disabled_at AS "disabledAt", c.fault, c.held_until AS "heldUntil"`;

export function connectionOf(row: ConnectionRow): Connection {
  const { id, name, region, marketplaces, clientId, lookBackWeeks, lookBackMonths, since } = row;
  const { createdAt, disabledAt, fault, heldUntil } = row;
  const account = { id, name, region, marketplaces, clientId };
  return { ...account, lookBackWeeks, lookBackMonths, since, createdAt, disabledAt, fault, heldUntil };
}

export async function listConnections(connection: Queryable): Promise<readonly Connection[]> {
  const { rows } = await connection.query<ConnectionRow>(
    `SELECT ${CONNECTION_COLUMNS} FROM connections c ORDER BY name`,
  );
  return rows.map(connectionOf);
}

export async function getConnection(
  connection: Queryable,
  name: string,
): Promise<{ readonly connection: Connection; readonly sealed: SealedSecrets }> {
  const { rows } = await connection.query<ConnectionRow & { secrets: Buffer; keyId: string }>(
    `SELECT ${CONNECTION_COLUMNS}, c.secrets, c.key_id AS "keyId" FROM connections c WHERE c.name = $1`,
    [name],
  );
  const [row] = rows;
  if (row) return { connection: connectionOf(row), sealed: { keyId: row.keyId, bytes: row.secrets } };
  throw new OperatorError(`There is no connection "${name}".`, {
    hint: 'List the connections with: keyrank connection list',
  });
}

/** Refuses a name or a marketplace that another connection has: what is fetched twice would be published twice. */
export async function checkNewConnection(connection: Queryable, given: NewConnection): Promise<void> {
  for (const other of await listConnections(connection)) {
    if (other.name === given.name) {
      throw new OperatorError(`There is a connection "${given.name}" already.`, {
        hint: 'Choose another name, or enter new secrets for it with: keyrank connection rotate',
      });
    }
    const twice = other.marketplaces.find((code) => given.marketplaces.includes(code));
    if (twice !== undefined) {
      throw new OperatorError(`${twice} is fetched by the connection "${other.name}" already.`, {
        hint: 'The report of a marketplace is the same for every account: leave it out.',
      });
    }
  }
}

/** The id is chosen by the caller, because the secrets are sealed for it. */
export async function addConnection(
  pool: Pool,
  given: NewConnection & { readonly id: string },
  sealed: SealedSecrets,
): Promise<Connection> {
  return await inTransaction(pool, async (transaction) => {
    // One at a time: two that are added at once must not get the same marketplace.
    await transaction.query('LOCK TABLE connections IN SHARE ROW EXCLUSIVE MODE');
    await checkNewConnection(transaction, given);
    await transaction.query(
      `INSERT INTO connections (id, name, region, marketplaces, client_id, secrets, key_id, look_back_weeks,
         look_back_months, since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        given.id,
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
    await audit(transaction, 'connection.add', given.name);
    return (await getConnection(transaction, given.name)).connection;
  });
}

/** New secrets for the same account; what was given up is tried again. */
export async function replaceSecrets(
  pool: Pool,
  { name, clientId }: Pick<Connection, 'name' | 'clientId'>,
  sealed: SealedSecrets,
): Promise<Connection> {
  return await change(pool, { name, action: 'connection.rotate' }, async (transaction, connection) => {
    const { id } = connection;
    await transaction.query(
      `UPDATE connections SET client_id = $2, secrets = $3, key_id = $4, held_until = NULL, fault = NULL WHERE id = $1`,
      [id, clientId, sealed.bytes, sealed.keyId],
    );
    await retry(transaction, connection);
  });
}

/** Servers ask for nothing from then on; a step that is under way ends. */
export async function disableConnection(pool: Pool, name: string): Promise<Connection> {
  return await change(pool, { name, action: 'connection.disable' }, async (transaction, { id }) => {
    await transaction.query('UPDATE connections SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1', [id]);
  });
}

export async function enableConnection(pool: Pool, name: string): Promise<Connection> {
  return await change(pool, { name, action: 'connection.enable' }, async (transaction, connection) => {
    await transaction.query(
      'UPDATE connections SET disabled_at = NULL, held_until = NULL, fault = NULL WHERE id = $1',
      [connection.id],
    );
    await retry(transaction, connection);
  });
}

/** With its secrets and its downloads; what was published stays. */
export async function removeConnection(pool: Pool, name: string): Promise<Connection> {
  return await inTransaction(pool, async (transaction) => {
    const { connection } = await getConnection(transaction, name);
    await transaction.query('DELETE FROM connections WHERE id = $1', [connection.id]);
    await audit(transaction, 'connection.remove', name);
    return connection;
  });
}

/** What was given up, or waits, is tried at once: all of a connection, or of one marketplace. Returns how many. */
export async function retryDownloads(
  pool: Pool,
  { name, marketplace }: { readonly name: string; readonly marketplace?: string | undefined },
): Promise<number> {
  return await inTransaction(pool, async (transaction) => {
    const { connection } = await getConnection(transaction, name);
    await transaction.query('UPDATE connections SET held_until = NULL, fault = NULL WHERE id = $1', [connection.id]);
    await audit(transaction, 'connection.retry', name);
    return await retry(transaction, connection, marketplace);
  });
}

async function retry(
  transaction: Queryable,
  { id, heldUntil }: Pick<Connection, 'id' | 'heldUntil'>,
  marketplace?: string,
): Promise<number> {
  const { rowCount } = await transaction.query(
    `UPDATE downloads SET state = CASE state WHEN 'failed' THEN 'wanted' ELSE state END, due_at = now(), failures = 0,
       spoiled = 0, fatals = 0, lost = 0, reason = NULL, message = 'tried again, because somebody said so'
     WHERE connection_id = $1 AND state <> 'imported' AND lease IS NULL
       AND ($3 OR due_at > now() OR state = 'failed') AND ($2::text IS NULL OR marketplace = $2)`,
    [id, marketplace ?? null, heldUntil !== null],
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

/** A download as its status shows it. */
export interface DownloadStatus {
  readonly connection: string;
  readonly marketplace: string;
  readonly period: Period;
  readonly state: DownloadState;
  readonly message: string;
  /** When something happens next by itself. */
  readonly dueAt: Date | null;
  readonly isUnderWay: boolean;
  readonly importedAt: Date | null;
  readonly revision: number | null;
}

/** Newest periods first. */
export async function listDownloads(pool: Pool, name?: string): Promise<readonly DownloadStatus[]> {
  const { rows } = await pool.query<
    Omit<DownloadStatus, 'period'> & { frequency: Frequency; year: number; number: number; endDate: IsoDate }
  >(
    `SELECT c.name AS connection, d.marketplace, d.frequency, d.year, d.number, d.state, d.message, d.due_at AS "dueAt",
       coalesce(d.leased_until > now(), false) AS "isUnderWay", d.imported_at AS "importedAt", d.revision
     FROM downloads d JOIN connections c ON c.id = d.connection_id WHERE $1::text IS NULL OR c.name = $1
     ORDER BY c.name, d.marketplace, d.frequency DESC, d.end_date DESC`,
    [name ?? null],
  );
  return rows.map(({ frequency, year, number, ...row }) => ({ ...row, period: { frequency, year, number } }));
}

/** How many there are in each state, and how many connections Amazon does not answer. */
export async function countDownloads(
  pool: Pool,
): Promise<{ readonly byState: Readonly<Record<DownloadState, number>>; readonly heldConnections: number }> {
  const counted = await pool.query<{ state: DownloadState; count: number }>(
    'SELECT state, count(*) AS count FROM downloads GROUP BY state',
  );
  const held = await pool.query<{ count: number }>(
    'SELECT count(*) AS count FROM connections WHERE fault IS NOT NULL AND disabled_at IS NULL',
  );
  const found = new Map(counted.rows.map(({ state, count }) => [state, count]));
  const byState = Object.fromEntries(DOWNLOAD_STATES.map((state) => [state, found.get(state) ?? 0]));
  return { byState: byState as Record<DownloadState, number>, heldConnections: held.rows[0]?.count ?? 0 };
}

async function change(
  pool: Pool,
  { name, action }: { readonly name: string; readonly action: string },
  work: (transaction: Queryable, connection: Connection) => Promise<void>,
): Promise<Connection> {
  return await inTransaction(pool, async (transaction) => {
    await work(transaction, (await getConnection(transaction, name)).connection);
    await audit(transaction, action, name);
    return (await getConnection(transaction, name)).connection;
  });
}

async function audit(transaction: Queryable, action: string, connection: string): Promise<void> {
  await recordAction(transaction, { action, details: { connection } });
}
