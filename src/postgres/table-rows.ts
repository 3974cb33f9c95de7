// The rows of every table as text, one JSON object each, and back. Written for backups: whatever a later migration adds is
// part of them without a word here.
import type { Queryable } from './pool.ts';

export interface Table {
  readonly name: string;
  /** Row-level security holds for the owner too; such a table is read and written as the operator. */
  readonly isGuarded: boolean;
  /** Numbered by the database: the numbers of restored rows must not be given again. */
  readonly identityColumn: string | null;
}

const ROWS_PER_FETCH = 1000;

/** The migrations are the program's own record, and not data. */
const NOT_DATA = 'schema_migrations';

/** All tables, each after those that it refers to. */
export async function listTables(connection: Queryable): Promise<readonly Table[]> {
  const { rows } = await connection.query<Table & { readonly parents: readonly string[] }>(
    `SELECT c.relname AS name, c.relforcerowsecurity AS "isGuarded",
      (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity <> '') AS "identityColumn",
      ARRAY(SELECT p.relname::text FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS parents
    FROM pg_class c WHERE c.relnamespace = 'keyrank'::regnamespace AND c.relkind = 'r' AND c.relname <> $1
    ORDER BY c.relname`,
    [NOT_DATA],
  );
  const ordered: Table[] = [];
  const place = (name: string) => {
    const table = rows.find((row) => row.name === name);
    if (!table || ordered.some((placed) => placed.name === name)) return;
    for (const parent of table.parents) place(parent);
    ordered.push({ name, isGuarded: table.isGuarded, identityColumn: table.identityColumn });
  };
  for (const { name } of rows) place(name);
  return ordered;
}

/** The number of the newest migration. */
export async function readSchemaVersion(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ version: number }>('SELECT max(version) AS version FROM schema_migrations');
  return rows[0]?.version ?? 0;
}

export async function countRows(connection: Queryable, table: Table): Promise<number> {
  await takeRole(connection, table);
  const { rows } = await connection.query<{ count: number }>(`SELECT count(*) AS count FROM ${table.name}`);
  await connection.query('RESET ROLE');
  return rows[0]?.count ?? 0;
}

/** Rows as of the running transaction, some at a time. */
export async function* readRows(connection: Queryable, table: Table): AsyncGenerator<readonly string[]> {
  await takeRole(connection, table);
  await connection.query(
    `DECLARE table_rows NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${table.name} t`,
  );
  for (;;) {
    const { rows } = await connection.query<{ line: string }>(`FETCH ${ROWS_PER_FETCH} FROM table_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await connection.query('CLOSE table_rows; RESET ROLE');
}

/** Puts rows into a table that has none, within the running transaction. */
export async function writeRows(
  connection: Queryable,
  table: Table,
  batches: AsyncIterable<readonly string[]>,
): Promise<number> {
  await takeRole(connection, table);
  let rowCount = 0;
  for await (const lines of batches) {
    const { rowCount: inserted } = await connection.query(
      `INSERT INTO ${table.name} OVERRIDING SYSTEM VALUE
        SELECT * FROM json_populate_recordset(NULL::${table.name}, $1::json)`,
      [`[${lines.join(',')}]`],
    );
    rowCount += inserted ?? 0;
  }
  const { rows } = table.identityColumn
    ? await connection.query<{ last: number | null }>(`SELECT max(${table.identityColumn}) AS last FROM ${table.name}`)
    : { rows: [] };
  await connection.query('RESET ROLE');
  const last = rows[0]?.last;
  if (last) {
    await connection.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [
      `keyrank.${table.name}`,
      table.identityColumn,
      last,
    ]);
  }
  return rowCount;
}

/** Tables that a migration fills are emptied first: a backup has those rows too. */
export async function deleteRows(connection: Queryable, table: Table): Promise<void> {
  await takeRole(connection, table);
  await connection.query(`DELETE FROM ${table.name}`);
  await connection.query('RESET ROLE');
}

async function takeRole(connection: Queryable, { isGuarded }: Table): Promise<void> {
  if (isGuarded) await connection.query('SET LOCAL ROLE keyrank_operator');
}
