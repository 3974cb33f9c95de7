import pg from 'pg';
import type { Tenant } from '../domain/account.ts';
import type { Role } from '../domain/role.ts';
import type { DatabaseRole, DatabaseServer } from './connection.ts';
import { DatabaseBusyError, type Errand, FairPool } from './fair-pool.ts';

export type Pool = pg.Pool;
/** What a query needs: a pool, or one connection inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** Longest that one statement takes; imports and migrations set their own. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * Longest that a request waits for one piece of work on the database, waiting for a connection included. No request has
 * more than two of them, so it is answered within three seconds whatever the database does.
 */
export const REQUEST_LIMIT_MS = 1_400;
/** Shorter, so that what takes too long is undone by the server, rather than done without anyone hearing of it. */
const REQUEST_STATEMENT_TIMEOUT_MS = 1_200;
/** Connections for requests that stay open, so that a burst after a quiet time need not wait for them. */
export const KEPT_OPEN = 4;

// Counts and identifiers of this schema stay far below 2^53, so bigint columns are read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface PoolSettings {
  readonly role: DatabaseRole;
  readonly maxConnections: number;
  /** A connection on which nothing came back for so long is dead. Must be longer than any statement may take. */
  readonly silenceLimitMs?: number;
  /** Idle connections that break are replaced by the pool; this only tells someone. */
  readonly onIdleError: (error: Error) => void;
}

/** For jobs and the command line. */
export function openPool(server: DatabaseServer, settings: PoolSettings): Pool {
  const config = { ...poolConfig(server, settings), statement_timeout: STATEMENT_TIMEOUT_MS };
  const { silenceLimitMs } = settings;
  return prepare(new pg.Pool({ ...config, ...(silenceLimitMs && { query_timeout: silenceLimitMs }) }), settings);
}

/** For requests. */
export function openRequestPool(server: DatabaseServer, settings: PoolSettings): FairPool {
  const config = {
    ...poolConfig(server, settings),
    max: settings.maxConnections,
    min: Math.min(KEPT_OPEN, settings.maxConnections),
    statement_timeout: REQUEST_STATEMENT_TIMEOUT_MS,
  };
  const pool = new FairPool(config, REQUEST_LIMIT_MS);
  prepare(pool, settings);
  return pool;
}

function poolConfig(server: DatabaseServer, { role, maxConnections }: PoolSettings): pg.PoolConfig {
  return {
    ...server.connection(role),
    max: maxConnections,
    application_name: `keyrank ${role}`,
    idleTimeoutMillis: 30_000,
  };
}

function prepare(pool: Pool, settings: PoolSettings): Pool {
  pool.on('error', settings.onIdleError);
  // A connection that breaks while it is lent out, or after it was given back as broken, says so by an event that would end
  // the process if nobody listened. The query under way fails too, and that is where it is reported.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

type Work<T> = (transaction: Queryable) => Promise<T>;

export async function inTransaction<T>(pool: Pool, work: Work<T>): Promise<T> {
  return await transact(pool, { begin: 'BEGIN' }, work);
}

/** The same on a connection that the caller holds. */
export async function inTransactionOn(connection: Queryable, work: () => Promise<void>): Promise<void> {
  await connection.query('BEGIN');
  try {
    await work();
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** A transaction that leaves nothing behind. */
export async function inUndoneTransaction<T>(pool: Pool, work: Work<T>): Promise<T> {
  return await transact(pool, { begin: 'BEGIN', end: 'ROLLBACK' }, work);
}

/** Whose rows row-level security shows; with a role, what only some of the members may see too. */
type Viewer = Tenant & { readonly role?: Role };

/** A transaction in which row-level security shows the rows of one tenant and no others. */
export async function inTenant<T>(pool: Pool, tenant: Viewer, work: Work<T>): Promise<T> {
  const errand = { organization: tenant.organizationId, kind: 'reading' } as const;
  return await transact(pool, { errand, begin: beginAs(tenant) }, work);
}

/** The same for changes, which lock rows: those of one organization go one after the other, and wait for it in the process. */
export async function changeInTenant<T>(pool: Pool, tenant: Viewer, work: Work<T>): Promise<T> {
  const errand = { organization: tenant.organizationId, kind: 'changing' } as const;
  return await transact(pool, { errand, begin: beginAs(tenant) }, work);
}

/** One statement of a function that names the tenant itself. */
export async function queryFor<Row extends pg.QueryResultRow>(
  pool: Pool,
  errand: Errand,
  statement: pg.QueryConfig,
): Promise<readonly Row[]> {
  const client = await borrow(pool, errand);
  let failure: Error | undefined;
  try {
    return (await client.query<Row>(statement)).rows;
  } catch (error) {
    // As the pool's own query does: what is wrong with the connection is not looked into.
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(failure);
  }
}

/** What row-level security goes by, beside the tenant: what somebody presents who is nobody's tenant yet. */
type SecuritySetting = 'organization_id' | 'user_id' | 'role' | 'secret_hash' | 'email' | 'issuer' | 'subject';
export type SecuritySettings = Readonly<Partial<Record<SecuritySetting, string>>>;

/** A transaction of somebody who signs in: sees what belongs to what is presented, and what is learned from it is set as it goes. */
export async function inPresence<T>(pool: Pool, settings: SecuritySettings, work: Work<T>): Promise<T> {
  // Strangers take turns as one.
  const errand = { organization: 'strangers', kind: 'changing' } as const;
  return await transact(pool, { errand, begin: `BEGIN; ${setSettings(settings)}` }, work);
}

/** Adds to what row-level security knows of the running transaction. */
export async function learn(transaction: Queryable, settings: SecuritySettings): Promise<void> {
  await transaction.query(setSettings(settings));
}

function beginAs({ organizationId, userId, role }: Viewer): string {
  return `BEGIN; ${setSettings({ organization_id: organizationId, user_id: userId, ...(role && { role }) })}`;
}

function setSettings(settings: SecuritySettings): string {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('keyrank.${name}', ${pg.escapeLiteral(value)}, true)`,
  );
  return `SELECT ${calls.join(', ')}`;
}

/** Jobs and commands have pools of their own, in which nobody takes turns. */
async function borrow(pool: Pool, errand: Errand | undefined): Promise<pg.PoolClient> {
  return errand && pool instanceof FairPool ? await pool.borrow(errand) : await pool.connect();
}

interface TransactionForm {
  readonly errand?: Errand;
  readonly begin: string;
  readonly end?: 'COMMIT' | 'ROLLBACK';
}

async function transact<T>(pool: Pool, { errand, begin, end = 'COMMIT' }: TransactionForm, work: Work<T>): Promise<T> {
  const client = await borrow(pool, errand);
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query(end);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** PostgreSQL's classes for lost connections, lacking resources and a server that starts or stops. */
const UNAVAILABLE_CLASSES = /^(08|53|57)/;
const UNAVAILABLE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|(has encountered a connection error|was closed) and is not queryable|connection timeout|Query read timeout/i;

/** Whether an error means that the database cannot be reached or is too busy, as opposed to a mistake of ours. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (error instanceof DatabaseBusyError) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // No socket there, as opposed to no such file.
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return UNAVAILABLE_CLASSES.test(code) || UNAVAILABLE_CODES.has(code) || UNAVAILABLE_MESSAGES.test(error.message);
}
