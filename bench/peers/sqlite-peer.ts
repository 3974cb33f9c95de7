// SQLite with FTS5: a contentless index without positions, merged into one segment, beside a table of keywords. The package
// needs a compiler, so it is not one of ours: the user installs it where they like and names the folder.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OperatorError } from '../../src/domain/error.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { KEYWORD_COLUMNS, rankColumns } from '../export/keyword-file.ts';
import { orderSql, type Peer, type PeerAnswer, type PeerMatch, type PeerQuery, quoteSql } from './peer.ts';

/** The part of better-sqlite3 that is used here. */
interface Database {
  exec(sql: string): void;
  pragma(setting: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}
interface Statement {
  run(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): readonly Readonly<Record<string, unknown>>[];
}

export async function openSqlitePeer({
  view,
  keywordFile,
  directory,
  packageDirectory,
}: {
  readonly view: SnapshotView;
  readonly keywordFile: string;
  readonly directory: string;
  readonly packageDirectory: string;
}): Promise<Peer> {
  const open = findPackage(packageDirectory);
  const database = open(join(directory, 'keywords.sqlite'));
  for (const setting of [
    'journal_mode = OFF',
    'synchronous = OFF',
    'cache_size = -2000000',
    'mmap_size = 17179869184',
  ]) {
    database.pragma(setting);
  }
  await load(database, { view, keywordFile });
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
  const selected = [...columns, ...rankColumns(view)].map((name) => `keywords.${name}`).join(', ');
  async function answer({ match, order, offset, limit }: PeerQuery): Promise<PeerAnswer | undefined> {
    if (order.kind === 'similarity' || match.kind === 'typo') return undefined;
    const page = `ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`;
    if (match.kind === 'term') {
      const rows = database.prepare(`SELECT ${selected} FROM keywords WHERE term = ? ${page}`).all(match.term);
      return { totalCount: rows.length, documents: rows.map(({ id }) => Number(id)) };
    }
    const wanted = quoteSql(matchText(match));
    const [counted] = database.prepare(`SELECT count(*) AS total FROM search WHERE search MATCH ${wanted}`).all();
    const rows = database
      .prepare(
        `SELECT ${selected} FROM search JOIN keywords ON keywords.id = search.rowid WHERE search MATCH ${wanted} ${page}`,
      )
      .all();
    return { totalCount: Number(counted?.total ?? 0), documents: rows.map(({ id }) => Number(id)) };
  }
  return { name: 'SQLite FTS5', kind: 'database', answer, [Symbol.asyncDispose]: async () => database.close() };
}

function findPackage(packageDirectory: string): (path: string) => Database {
  try {
    const Sqlite = createRequire(join(packageDirectory, 'package.json'))('better-sqlite3') as new (
      path: string,
    ) => Database;
    return (path) => new Sqlite(path);
  } catch (cause) {
    throw new OperatorError(`There is no better-sqlite3 in ${packageDirectory}.`, {
      hint: 'Run "npm install better-sqlite3@12" in that folder, or leave --sqlite out.',
      cause,
    });
  }
}

async function load(
  database: Database,
  { view, keywordFile }: { readonly view: SnapshotView; readonly keywordFile: string },
): Promise<void> {
  const names = [...KEYWORD_COLUMNS.map(([name]) => name), ...rankColumns(view)];
  const tokensAt = names.indexOf('tokens');
  const kept = names.filter((name) => name !== 'tokens');
  const types = kept.map((name) =>
    name === 'id' ? 'id INTEGER PRIMARY KEY' : `${name} ${name === 'term' || name === 'words' ? 'TEXT' : 'INTEGER'}`,
  );
  database.exec(`CREATE TABLE keywords (${types.join(', ')});
    CREATE VIRTUAL TABLE search USING fts5(tokens, content = '', detail = none, columnsize = 0);
    BEGIN`);
  const insert = database.prepare(`INSERT INTO keywords VALUES (${kept.map(() => '?').join(', ')})`);
  const index = database.prepare('INSERT INTO search (rowid, tokens) VALUES (?, ?)');
  const lines = createInterface({ input: createReadStream(keywordFile), crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    const fields = line.split('\t').map((field, i) => {
      if (field === '\\N') return null;
      const name = names[i];
      return name === 'term' || name === 'words' || name === 'tokens' ? field.replaceAll('\\\\', '\\') : Number(field);
    });
    const [tokens] = fields.splice(tokensAt, 1);
    insert.run(...fields);
    index.run(fields[0], tokens);
  });
  await once(lines, 'close');
  database.exec(
    `COMMIT; INSERT INTO search (search) VALUES ('optimize'); CREATE INDEX by_term ON keywords (term); ANALYZE`,
  );
}

function matchText(match: Extract<PeerMatch, { kind: 'tokens' }>): string {
  const groups = match.groups.map((group) => `(${group.map((token) => `"${token}"`).join(' OR ')})`).join(' AND ');
  return match.without.reduce((text, token) => `(${text}) NOT "${token}"`, groups);
}
