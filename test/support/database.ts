import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type DatabaseServer, outsidePostgres } from '../../src/postgres/connection.ts';
import { LISTENER_NAME } from '../../src/postgres/listener.ts';
import { openPool, type Pool } from '../../src/postgres/pool.ts';
import { clusterUrl, MIGRATED_DATABASE } from './cluster-url.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: URL;
  readonly server: DatabaseServer;
  /** Sees everything, row-level security or not. */
  readonly owner: Pool;
  readonly operator: Pool;
  readonly service: Pool;
}

/** An empty database in the shared cluster, with options of CREATE DATABASE if need be. */
export async function makeEmptyDatabase(options = ''): Promise<{ url: URL } & AsyncDisposable> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runInPostgres(`CREATE DATABASE ${name} ${options}`);
  // Nobody cuts the power of the shared cluster, so nothing has to wait for the disk.
  await runInPostgres(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  return {
    url: databaseUrl(name),
    [Symbol.asyncDispose]: () => runInPostgres(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** A migrated database of its own for a test file. */
export async function makeDatabase(): Promise<TestDatabase> {
  const empty = await makeEmptyDatabase(`TEMPLATE ${MIGRATED_DATABASE}`);
  const server = outsidePostgres(empty.url);
  const pool = (role: Parameters<DatabaseServer['connection']>[0]) =>
    openPool(server, { role, maxConnections: 4, onIdleError: () => {} });
  const [owner, operator, service] = [pool('keyrank_owner'), pool('keyrank_operator'), pool('keyrank_service')];
  // Data directories know databases by it, and the copy is another one.
  await owner.query('UPDATE rank_statistics SET id = DEFAULT');
  return {
    url: empty.url,
    server,
    owner,
    operator,
    service,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([owner, operator, service].map((each) => each.end()));
      await empty[Symbol.asyncDispose]();
    },
  };
}

/** Cuts the connections by which servers hear of changes. The cluster is shared: those of other tests stay. */
export async function endListeners({ owner }: TestDatabase): Promise<void> {
  await owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = $1`,
    [LISTENER_NAME],
  );
}

function databaseUrl(name: string): URL {
  return clusterUrl(inject('postgres'), name);
}

async function runInPostgres(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl('keyrank').href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
