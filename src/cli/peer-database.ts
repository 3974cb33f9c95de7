// PostgreSQL as the peer that benchmarks compare with: a server of its own, in a folder that goes when it is closed, with
// settings for large reads. It holds what an application would keep there: terms, and their ranks by period.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../postgres/database.ts';
import { ResourceStack } from '../resource-stack.ts';

export interface PeerDatabase extends AsyncDisposable {
  readonly client: pg.Client;
}

/** Rows in one statement. */
const ROWS_PER_INSERT = 100_000;

const LARGE_READS = `
  SET statement_timeout = 0; SET work_mem = '512MB'; SET maintenance_work_mem = '1GB'; SET effective_cache_size = '8GB';
  SET max_parallel_workers_per_gather = 2; SET synchronous_commit = off; SET random_page_cost = 1.1`;

export async function openPeerDatabase(parentDirectory: string): Promise<PeerDatabase> {
  await using opening = new ResourceStack();
  const directory = await mkdtemp(join(parentDirectory, 'bench-peer-'));
  opening.defer(() => rm(directory, { recursive: true, force: true }));
  const log = { info: () => {}, warn: () => {} };
  const server = opening.use(await openDatabase({ databaseUrl: null, dataDirectory: directory, log }));
  const client = new pg.Client(server.connection('keyrank_owner'));
  await client.connect();
  opening.defer(() => client.end());
  await client.query(LARGE_READS);
  const opened = opening.move();
  return { client, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** Writes rows by columns: `types` are those of the table, in its order. */
export async function fillTable(
  client: pg.Client,
  {
    table,
    types,
    rowCount,
    readRow,
  }: {
    readonly table: string;
    readonly types: readonly string[];
    readonly rowCount: number;
    readonly readRow: (row: number) => readonly unknown[];
  },
): Promise<void> {
  const places = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  for (let from = 0; from < rowCount; from += ROWS_PER_INSERT) {
    const columns = types.map((): unknown[] => []);
    for (let row = from; row < Math.min(rowCount, from + ROWS_PER_INSERT); row += 1) {
      for (const [i, value] of readRow(row).entries()) columns[i]?.push(value);
    }
    await client.query(`INSERT INTO ${table} SELECT * FROM unnest(${places})`, columns);
  }
}
