// DuckDB in memory with a posting table sorted by token: full-text search the way a column store does it best.
import { availableParallelism } from 'node:os';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { KEYWORD_COLUMNS, rankColumns } from '../export/keyword-file.ts';
import { orderSql, type Peer, type PeerAnswer, type PeerMatch, type PeerQuery, quoteSql } from './peer.ts';

export async function openDuckdbPeer({
  view,
  keywordFile,
}: {
  readonly view: SnapshotView;
  readonly keywordFile: string;
}): Promise<Peer> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(availableParallelism()) });
  const connection = await instance.connect();
  await load(connection, { view, keywordFile });
  const numbers = new Map<string, number>();
  /** Looked up once: an application would keep its vocabulary at hand. */
  async function tokenNumber(name: string): Promise<number> {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const found = await connection.runAndReadAll(`SELECT token FROM tokens WHERE name = ${quoteSql(name)}`);
    const number = Number(found.getRows()[0]?.[0] ?? 0);
    numbers.set(name, number);
    return number;
  }
  async function listSql(group: readonly string[]): Promise<string> {
    const tokens = await Promise.all(group.map(tokenNumber));
    return `SELECT id FROM postings WHERE token IN (${tokens.join(', ')})`;
  }
  async function whereSql(match: Exclude<PeerMatch, { kind: 'typo' }>): Promise<string> {
    if (match.kind === 'term') return `term = ${quoteSql(match.term)}`;
    const wanted = await Promise.all(match.groups.map(async (group) => `id IN (${await listSql(group)})`));
    const without = await Promise.all(match.without.map(async (token) => `id NOT IN (${await listSql([token])})`));
    return [...wanted, ...without].join(' AND ');
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
  async function answer({ match, order, offset, limit }: PeerQuery): Promise<PeerAnswer | undefined> {
    if (match.kind === 'typo' || order.kind === 'similarity') return undefined;
    const where = await whereSql(match);
    // The postings alone tell how many keywords have one token.
    const only = match.kind === 'tokens' && match.without.length === 0 && match.groups.length === 1 && match.groups[0];
    const all = only && only.length === 1 ? `(${await listSql(only)})` : `keywords WHERE ${where}`;
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${all}`);
    const page = await connection.runAndReadAll(
      `SELECT ${selected} FROM keywords WHERE ${where} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`,
    );
    return {
      totalCount: Number(counted.getRows()[0]?.[0] ?? 0),
      documents: page.getRows().map(([id]) => Number(id)),
    };
  }
  const close = async (): Promise<void> => {
    connection.closeSync();
    instance.closeSync();
  };
  return { name: 'DuckDB', kind: 'database', answer, [Symbol.asyncDispose]: close };
}

async function load(
  connection: DuckDBConnection,
  { view, keywordFile }: { readonly view: SnapshotView; readonly keywordFile: string },
): Promise<void> {
  const types = [
    ...KEYWORD_COLUMNS.map(([name, type]) => `'${name}': '${type === 'TEXT' ? 'VARCHAR' : type}'`),
    ...rankColumns(view).map((name) => `'${name}': 'INTEGER'`),
  ];
  const source = `read_csv(${quoteSql(keywordFile)}, delim = '\\t', header = false, quote = '', escape = '', nullstr = '\\N',
    columns = {${types.join(', ')}})`;
  await connection.run(`CREATE TABLE keywords AS SELECT * EXCLUDE (tokens) FROM ${source} ORDER BY id`);
  await connection.run(`CREATE TABLE postings AS SELECT unnest(string_split(tokens, ' ')) AS name, id FROM ${source}`);
  await connection.run(
    'CREATE TABLE tokens AS SELECT row_number() OVER ()::INTEGER AS token, name FROM (SELECT DISTINCT name FROM postings)',
  );
  await connection.run(
    'CREATE OR REPLACE TABLE postings AS SELECT token, id FROM postings JOIN tokens USING (name) ORDER BY token, id',
  );
}
