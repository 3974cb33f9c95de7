import { mkdtemp, rm, statfs } from 'node:fs/promises';
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

/** A folder in memory, where the machine has one with room for the databases of the files that run at a time. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED_BYTES = 4e9;

export default async function startCluster(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(await chooseFolder(), 'keyrank-test-'));
  const postgres = await openEmbeddedPostgres({ dataDirectory, log: { info: () => {}, warn: console.warn } });
  const { host, port } = postgres.connection('keyrank_owner');
  await makeMigratedDatabase({ host, port });
  project.provide('postgres', { host, port });
  return async () => {
    await postgres.close();
    await rm(dataDirectory, { recursive: true, force: true });
  };
}

async function chooseFolder(): Promise<string> {
  const memory = await statfs(MEMORY_FOLDER).catch(() => undefined);
  return memory && memory.bavail * memory.bsize >= MEMORY_NEEDED_BYTES ? MEMORY_FOLDER : tmpdir();
}

/** A copy takes a fraction of the time that all migrations take. */
async function makeMigratedDatabase(cluster: { readonly host: string; readonly port: number }): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl(cluster, 'keyrank').href });
  await client.connect();
  await client.query(`CREATE DATABASE ${MIGRATED_DATABASE}`);
  await client.end();
  await migrate(outsidePostgres(clusterUrl(cluster, MIGRATED_DATABASE)));
}
