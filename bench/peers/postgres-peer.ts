// PostgreSQL as a careful user would set it up for this: one wide table, a GIN index over a tsvector of all tokens, a trigram
// index over the vocabulary for typos, memory settings for the size of the data.
import { link, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { errorMessage } from '../../src/domain/error-code.ts';
import { openEmbeddedPostgres } from '../../src/postgres/embedded/embedded-postgres.ts';
import { findPlatformPackage } from '../../src/postgres/embedded/platform-package.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { KEYWORD_COLUMNS, rankColumns } from '../export/keyword-file.ts';
import { orderSql, type Peer, type PeerAnswer, type PeerMatch, type PeerQuery, quoteSql } from './peer.ts';

/** The embedded server's directory in its data directory; relative paths begin there. */
const CLUSTER = 'postgres';
const KEYWORD_FILE = 'keywords.tsv';
const QUIET = { info: () => {}, warn: () => {} };

/** Undefined where PostgreSQL can run: it is an optional package. */
export function whyNoPostgres(): string | undefined {
  try {
    findPlatformPackage();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

export async function openPostgresPeer({
  view,
  keywordFile,
  directory,
}: {
  readonly view: SnapshotView;
  readonly keywordFile: string;
  readonly directory: string;
}): Promise<Peer> {
  const { client, close } = await openTunedPostgres(directory);
  try {
    // The server may run as a user who sees no folder above its own.
    const ownFile = join(directory, CLUSTER, KEYWORD_FILE);
    await link(keywordFile, ownFile);
    await load(client, view);
    await rm(ownFile);
  } catch (error) {
    await close();
    throw error;
  }
  const columns = [
    'id',
    'term',
    'latest_period',
    'latest_rank',
    'best_rank',
    'worst_rank',
    'avg_rank',
    'total_periods',
  ];
  const selected = [...columns, ...rankColumns(view)].join(', ');
  async function answer({ match, order, offset, limit }: PeerQuery): Promise<PeerAnswer> {
    const where = await whereSql(client, match);
    const by =
      order.kind === 'similarity'
        ? `similarity(term, ${quoteSql(order.text)}) DESC, latest_rank, term`
        : orderSql(order);
    const { rows } = await client.query<(number | string)[]>({
      text: `SELECT count(*) OVER () AS total, ${selected} FROM keywords WHERE ${where}
        ORDER BY ${by} LIMIT ${limit} OFFSET ${offset}`,
      rowMode: 'array',
    });
    return { totalCount: Number(rows[0]?.[0] ?? 0), documents: rows.map((row) => Number(row[1])) };
  }
  return { name: 'PostgreSQL', kind: 'database', answer, [Symbol.asyncDispose]: close };
}

/** A server of its own with memory settings for large reads. */
export async function openTunedPostgres(
  directory: string,
): Promise<{ readonly client: pg.Client; readonly close: () => Promise<void> }> {
  await configure(directory);
  const server = await openEmbeddedPostgres({ dataDirectory: directory, log: QUIET });
  const client = new pg.Client(server.connection('keyrank_owner'));
  await client.connect();
  const close = async (): Promise<void> => {
    await client.end();
    await server.close();
  };
  return { client, close };
}

/** Settings that need a restart are written first. */
async function configure(directory: string): Promise<void> {
  const server = await openEmbeddedPostgres({ dataDirectory: directory, log: QUIET });
  const client = new pg.Client(server.connection('keyrank_owner'));
  await client.connect();
  const quarterMb = Math.round(totalmem() / 4 / 2 ** 20);
  const settings = {
    shared_buffers: `${Math.min(4096, quarterMb)}MB`,
    effective_cache_size: `${quarterMb * 3}MB`,
    work_mem: '256MB',
    maintenance_work_mem: '1GB',
    max_wal_size: '8GB',
    random_page_cost: '1.1',
    max_parallel_workers_per_gather: '2',
  };
  for (const [name, value] of Object.entries(settings)) await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await client.end();
  await server.close();
}

async function load(client: pg.Client, view: SnapshotView): Promise<void> {
  const columns = [
    ...KEYWORD_COLUMNS.map(([name, type]) => `${name} ${type}`),
    ...rankColumns(view).map((name) => `${name} INTEGER`),
  ];
  const statements = [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    `CREATE UNLOGGED TABLE loaded (${columns.join(', ')})`,
    `COPY loaded FROM '${KEYWORD_FILE}'`,
    `CREATE UNLOGGED TABLE keywords AS SELECT *, array_to_tsvector(string_to_array(tokens, ' ')) AS vector FROM loaded`,
    'DROP TABLE loaded',
    'ALTER TABLE keywords DROP COLUMN tokens',
    'CREATE INDEX ON keywords USING gin (vector) WITH (fastupdate = off)',
    'CREATE INDEX ON keywords (term)',
    `CREATE UNLOGGED TABLE vocabulary AS SELECT DISTINCT lexeme AS word
       FROM ts_stat('SELECT vector FROM keywords') AS stat(lexeme, documents, entries) WHERE lexeme ~ '^[a-z]+$'`,
    'CREATE INDEX ON vocabulary USING gin (word gin_trgm_ops)',
    'VACUUM ANALYZE keywords',
    'VACUUM ANALYZE vocabulary',
  ];
  for (const statement of statements) await client.query(statement);
}

async function whereSql(client: pg.Client, match: PeerMatch): Promise<string> {
  if (match.kind === 'term') return `term = ${quoteSql(match.term)}`;
  if (match.kind === 'typo') {
    const { rows } = await client.query<{ word: string }>(
      'SELECT word FROM vocabulary WHERE word % $1 ORDER BY similarity(word, $1) DESC LIMIT 5',
      [match.word],
    );
    return `vector @@ ${quoteSql(rows.map(({ word }) => word).join(' | '))}::tsquery`;
  }
  const parts = [
    ...match.groups.map((group) => `(${group.join(' | ')})`),
    ...match.without.map((token) => `!${token}`),
  ];
  return `vector @@ ${quoteSql(parts.join(' & '))}::tsquery`;
}
