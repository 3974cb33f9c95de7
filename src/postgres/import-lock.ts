import type { Pool, Queryable } from './pool.ts';

/** Any number that no other program would choose, and not that of the migrations. */
export const IMPORT_LOCK = 0x6b657973;
const WATCH_LOCK = 0x6b657974;

export interface ImportLockOptions {
  /** Called once when another import is under way. */
  readonly onWait: () => void;
  readonly signal?: AbortSignal | undefined;
}

const RETRY_MS = 200;

/**
 * Runs work while holding the lock that serialises imports. The lock belongs to the connection that the work is given: a
 * process that dies, or a connection that breaks, gives it back at once.
 */
export async function withImportLock<T>(
  pool: Pool,
  { onWait, signal }: ImportLockOptions,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  return await withOwnConnection(pool, async (connection) => {
    await connection.query('SET statement_timeout = 0');
    for (let attempt = 0; !(await tryLock(connection)); attempt += 1) {
      if (attempt === 0) onWait();
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    return await work(connection);
  });
}

/** Runs work under the same lock, or not at all while an import is under way. */
export async function withFreeImportLock<T>(
  pool: Pool,
  work: (connection: Queryable) => Promise<T>,
): Promise<T | undefined> {
  return await withOwnConnection(pool, async (connection) =>
    (await tryLock(connection)) ? await work(connection) : undefined,
  );
}

/** Of watched folders one process looks at a time; undefined when another does. */
export async function withWatchLock<T>(pool: Pool, work: () => Promise<T>): Promise<T | undefined> {
  return await withOwnConnection(pool, async (connection) =>
    (await tryLock(connection, WATCH_LOCK)) ? await work() : undefined,
  );
}

/** The connection is thrown away afterwards, and with it its own settings. */
async function withOwnConnection<T>(pool: Pool, work: (connection: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    // At once: a connection that is closed gives its lock back a moment later, when the next may have looked already.
    await client.query('SELECT pg_advisory_unlock_all()').catch(() => {});
    client.release(true);
  }
}

async function tryLock(connection: Queryable, lock = IMPORT_LOCK): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [lock]);
  return rows[0]?.locked === true;
}
