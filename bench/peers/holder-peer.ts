// What reports name beside ranks, as an application would keep it in a database: a row for each place, found by product or by term. The
// same SQL for PostgreSQL, with indexes, and DuckDB, with a table sorted for each of the two ways in.
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { ChurningSources } from '../data/churning-segments.ts';
import { openTunedPostgres } from './postgres-peer.ts';

export interface HolderPeer extends AsyncDisposable {
  readonly name: string;
  readonly ask: (sql: string) => Promise<readonly (readonly unknown[])[]>;
}

const PLACES = [1, 2, 3] as const;
const COLUMNS = 'period, term_id, rank, place, product_id, click, conversion';

/** Both hold the same rows. */
export async function openHolderPeers(
  { periods, dictionaries }: ChurningSources,
  directory: string,
): Promise<readonly HolderPeer[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await fillDuckdb(connection, { periods, dictionaries: dictionaries.at(-1) });
  const duckdb: HolderPeer = {
    name: 'DuckDB',
    ask: async (sql) => (await connection.runAndReadAll(sql)).getRows(),
    [Symbol.asyncDispose]: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
  const { client, close } = await openTunedPostgres(directory);
  const postgres: HolderPeer = {
    name: 'PostgreSQL',
    ask: async (sql) => (await client.query({ text: sql, rowMode: 'array' })).rows as (readonly unknown[])[],
    [Symbol.asyncDispose]: close,
  };
  // The server may run as a user who sees no folder above its own.
  const folder = join(directory, 'postgres');
  for (const [table, types] of Object.entries(TABLES)) {
    await connection.run(
      `COPY ${table} TO '${join(folder, table)}.tsv' (DELIMITER '\t', HEADER false, NULL '\\N', QUOTE '')`,
    );
    await client.query(`CREATE UNLOGGED TABLE ${table} (${types})`);
    await client.query(`COPY ${table} FROM '${table}.tsv'`);
  }
  await client.query(`CREATE VIEW by_product AS SELECT * FROM named`);
  await client.query(`CREATE VIEW by_term AS SELECT * FROM named`);
  for (const statement of INDEXES) await client.query(statement);
  return [duckdb, postgres];
}

const TABLES = {
  named: 'period int, term_id int, rank int, place int, product_id int, click int, conversion int',
  terms: 'id int, term text',
  products: 'id int, asin text, title text',
};
const INDEXES = [
  'CREATE INDEX ON named (product_id, period) INCLUDE (term_id, rank, place, click, conversion)',
  'CREATE INDEX ON named (term_id, period)',
  'CREATE UNIQUE INDEX ON terms (id)',
  'CREATE INDEX ON terms (term)',
  'CREATE UNIQUE INDEX ON products (id)',
  'CREATE INDEX ON products (asin)',
  'VACUUM ANALYZE',
];

async function fillDuckdb(
  connection: DuckDBConnection,
  {
    periods,
    dictionaries,
  }: {
    readonly periods: ChurningSources['periods'];
    readonly dictionaries: ChurningSources['dictionaries'][number] | undefined;
  },
): Promise<void> {
  await connection.run(`CREATE TABLE named (${TABLES.named})`);
  for (const [period, { segmentPath }] of periods.entries()) {
    const rows = PLACES.map(
      (
        place,
      ) => `SELECT ${period}, term_id, rank, ${place}, product_${place}, click_share_${place}, conversion_share_${place}
        FROM '${segmentPath}' WHERE product_${place} IS NOT NULL`,
    );
    await connection.run(`INSERT INTO named ${rows.join(' UNION ALL ')}`);
  }
  const paths = (files: readonly string[] = []) => `[${files.map((file) => `'${file}'`).join(', ')}]`;
  await connection.run(
    `CREATE TABLE terms AS SELECT id, term FROM read_parquet(${paths(dictionaries?.terms)}) ORDER BY term`,
  );
  await connection.run(
    `CREATE TABLE products AS SELECT id, asin, title FROM read_parquet(${paths(dictionaries?.products)}) ORDER BY asin`,
  );
  await connection.run(`CREATE TABLE by_product AS SELECT ${COLUMNS} FROM named ORDER BY product_id, period`);
  await connection.run(`CREATE TABLE by_term AS SELECT ${COLUMNS} FROM named ORDER BY term_id, period`);
}
