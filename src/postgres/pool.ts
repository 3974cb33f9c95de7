import pg from 'pg';
import type { Tenant } from '../domain/account.ts';
import type { DatabaseRole, DatabaseServer } from './connection.ts';

export type Pool = pg.Pool;
/** What a query needs: a pool, or one connection inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

/** Longest a request waits for the database in one statement; jobs and migrations set their own. */
const STATEMENT_TIMEOUT_MS = 5_000;

// Counts and identifiers of this schema stay far below 2^53, so bigint columns are read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface PoolSettings {
  readonly role: DatabaseRole;
  readonly maxConnections: number;
  /** Idle connections that break are replaced by the pool; this only tells someone. */
  readonly onIdleError: (error: Error) => void;
}

export function openPool(server: DatabaseServer, settings: PoolSettings): Pool {
  const pool = new pg.Pool({
    ...server.connection(settings.role),
    max: settings.maxConnections,
    application_name: `keyrank ${settings.role}`,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
  });
  pool.on('error', settings.onIdleError);
  // A connection that breaks while it is lent out, or after it was given back as broken, says so by an event that would end
  // the process if nobody listened. The query under way fails too, and that is where it is reported.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export async function inTransaction<T>(pool: Pool, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  return await transact(pool, 'BEGIN', work);
}

/** A transaction in which row-level security shows the rows of one tenant and no others. */
export async function inTenant<T>(
  pool: Pool,
  tenant: Tenant,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const settings = [
    ['keyrank.organization_id', tenant.organizationId],
    ['keyrank.user_id', tenant.userId],
  ].map(([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value ?? '')}, true)`);
  return await transact(pool, `BEGIN; SELECT ${settings.join(', ')}`, work);
}

async function transact<T>(pool: Pool, begin: string, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
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
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|connection timeout|Query read timeout/i;

/** Whether an error means that the database cannot be reached or is too busy, as opposed to a mistake of ours. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return UNAVAILABLE_CLASSES.test(code) || UNAVAILABLE_CODES.has(code) || UNAVAILABLE_MESSAGES.test(error.message);
}
