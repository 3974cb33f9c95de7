import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmbeddedPostgres } from '../../src/postgres/embedded/embedded-postgres.ts';

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
  project.provide('postgres', { host, port });
  return async () => {
    await postgres.close();
    await rm(dataDirectory, { recursive: true, force: true });
  };
}
