import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { outsidePostgres } from '../../src/postgres/connection.ts';
import { openEmbeddedPostgres } from '../../src/postgres/embedded/embedded-postgres.ts';
import { migrate } from '../../src/postgres/migrations.ts';
import { clusterUrl, MIGRATED_DATABASE } from './cluster-url.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Socket directory and port of the PostgreSQL that all test files share; each makes databases of its own in it. */
    postgres: { readonly host: string; readonly port: number };
  }
}

export default async function startCluster(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'keyrank-test-'));
  const postgres = await openEmbeddedPostgres({ dataDirectory, log: { info: () => {}, warn: console.warn } });
  const { host, port } = postgres.connection('keyrank_owner');
  await makeMigratedDatabase({ host, port });
  project.provide('postgres', { host, port });
  return async () => {
    await postgres.close();
    await rm(dataDirectory, { recursive: true, force: true });
  };
}

/** A copy takes a fraction of the time that all migrations take. */
async function makeMigratedDatabase(cluster: { readonly host: string; readonly port: number }): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl(cluster, 'keyrank').href });
  await client.connect();
  await client.query(`CREATE DATABASE ${MIGRATED_DATABASE}`);
  await client.end();
  await migrate(outsidePostgres(clusterUrl(cluster, MIGRATED_DATABASE)));
}
