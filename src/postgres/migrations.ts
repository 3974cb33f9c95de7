// Numbered SQL files, applied in order, each in a transaction of its own, by whoever starts first: an advisory lock keeps
// the others waiting. Files never change once released; a checksum notices if one did.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { OperatorError } from '../domain/error.ts';
import { type DatabaseServer, withConnection } from './connection.ts';

const MIGRATIONS_DIRECTORY = new URL('./migrations/', import.meta.url);
const MIN_SERVER_VERSION = 150_000;
/** Any number that no other program would choose. */
const MIGRATION_LOCK = 0x6b657972;
/** How long to wait for another process that is migrating. */
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;
/** How long one statement may wait for a table that others are using, before it gives up and lets them work. */
const TABLE_LOCK_TIMEOUT_MS = 5_000;

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

interface AppliedMigration {
  readonly version: number;
  readonly checksum: string;
}

/** Brings the schema to this program's version. Returns the names of the migrations it applied. */
export async function migrate(server: DatabaseServer): Promise<readonly string[]> {
  const migrations = await readMigrations();
  const config = { ...server.connection('keyrank_owner'), application_name: 'keyrank migrate' };
  const explain = (error: unknown) =>
    new OperatorError(`Cannot connect to ${server.description}: ${connectionFault(error)}.`, {
      hint: 'Check DATABASE_URL, and that the PostgreSQL server is running and lets this user in.',
      cause: error,
    });
  return await withConnection(config, explain, async (client) => {
    await checkServerVersion(client);
    if (pendingMigrations(migrations, await listApplied(client)).length === 0) return [];
    await client.query(`SET lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const pending = pendingMigrations(migrations, await listApplied(client));
    for (const migration of pending) await apply(client, migration);
    return pending.map((migration) => migration.name);
  });
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(MIGRATIONS_DIRECTORY)).filter((name) => /^[0-9]{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, MIGRATIONS_DIRECTORY), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { version: Number(name.slice(0, 4)), name, sql, checksum };
    }),
  );
}

function connectionFault(error: unknown): string {
  // Several addresses were tried: the aggregate itself has no message.
  if (error instanceof AggregateError) return error.errors.map(connectionFault).join('; ');
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  );
  if (Number(rows[0]?.number) < MIN_SERVER_VERSION) {
    throw new OperatorError(`PostgreSQL ${rows[0]?.name} is too old.`, { hint: 'Use PostgreSQL 15 or newer.' });
  }
}

async function listApplied(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const table = await client.query<{ there: boolean }>(
    `SELECT to_regclass('keyrank.schema_migrations') IS NOT NULL AS there`,
  );
  if (!table.rows[0]?.there) return [];
  const { rows } = await client.query<AppliedMigration>(
    'SELECT version, checksum FROM keyrank.schema_migrations ORDER BY version',
  );
  return rows;
}

function pendingMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): readonly Migration[] {
  for (const { version, checksum } of applied) {
    const migration = known.find((candidate) => candidate.version === version);
    if (!migration) {
      throw new OperatorError(`The database is from a newer version of keyrank (schema ${version}).`, {
        hint: 'Install that version or a later one; nothing was changed.',
      });
    }
    if (migration.checksum !== checksum) {
      throw new OperatorError(`Migration ${migration.name} is not the one this database was made with.`, {
        hint: 'Reinstall keyrank from a release; nothing was changed.',
      });
    }
  }
  return known.filter((migration) => !applied.some(({ version }) => version === migration.version));
}

async function apply(client: pg.Client, { version, name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`);
    await client.query('CREATE SCHEMA IF NOT EXISTS keyrank');
    await client.query(`CREATE TABLE IF NOT EXISTS keyrank.schema_migrations (
      version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`);
    await client.query(sql);
    await client.query('INSERT INTO keyrank.schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [
      version,
      name,
      checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw new OperatorError(`Migration ${name} failed: ${connectionFault(error)}.`, {
      hint: 'Nothing of it was applied. The database user must own the database and may need CREATEROLE.',
      cause: error,
    });
  }
}
