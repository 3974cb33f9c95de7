// A table as Parquet, with the columns of the CSV form in real types. A Parquet file is written from its end: the footer
// that says where everything is comes last and the columns before it whole, so the rows are gathered by DuckDB, written to
// a temporary file, and that is streamed. It loses its name as soon as it is open, so whatever becomes of the reader, nothing
// stays behind; only a process that dies while it writes leaves a file, which the next start removes.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  listValue,
  VARCHAR,
} from '@duckdb/node-api';
import { openBytes } from './byte-stream.ts';
import type { Column } from './columns.ts';
import type { CellValue, Table } from './table.ts';

/** A row of text and numbers takes about half a kilobyte, so an export stays below it; what does not is spilled. */
const MEMORY_LIMIT = '256MB';
/** Handed to DuckDB at a time: enough to be quick, few enough to leave the event loop free. It takes at most 2048. */
const CHUNK_ROWS = 512;
/** No export is being written for so long. */
const ABANDONED_MS = 3_600_000;
const READ_BYTES = 64 * 1024;
const TYPES: Readonly<Record<Column['type'], DuckDBType>> = {
  text: VARCHAR,
  texts: LIST(VARCHAR),
  integer: INTEGER,
  decimal: DOUBLE,
  flag: BOOLEAN,
};

export interface TemporaryPlace {
  /** Made when it does not exist yet. */
  readonly temporaryDirectory: string;
}

export function openParquet<Row>(table: Table<Row>, place: TemporaryPlace): Readable {
  return openBytes(parquetChunks(table, place));
}

/** Removes what died while it was written. Another server may be writing in the same place, hence the age. */
export async function sweepExports(directory: string, { now }: { readonly now: number }): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

async function* parquetChunks<Row>(table: Table<Row>, { temporaryDirectory }: TemporaryPlace): AsyncGenerator<Buffer> {
  await mkdir(temporaryDirectory, { recursive: true });
  const directory = await mkdtemp(join(temporaryDirectory, 'parquet-'));
  const path = join(directory, 'export.parquet');
  try {
    await writeParquet(table, { path, directory });
    await using file = await open(path, 'r');
    await rm(directory, { recursive: true });
    for (;;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(READ_BYTES) });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeParquet<Row>(
  table: Table<Row>,
  { path, directory }: { readonly path: string; readonly directory: string },
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', {
    // Searches come first: an export may take one core, not all.
    threads: '1',
    memory_limit: MEMORY_LIMIT,
    temp_directory: directory,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    const declared = table.columns.map(({ field, type }) => `${quoted(field, '"')} ${TYPES[type]}`);
    await connection.run(`CREATE TABLE export (${declared.join(', ')})`);
    const rowCount = await appendRows(connection, table);
    assert.equal(rowCount, table.rowCount, 'The batches hold another number of rows than was announced.');
    await connection.run(`COPY export TO ${quoted(path, "'")} (FORMAT parquet, COMPRESSION zstd)`);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

async function appendRows<Row>(connection: DuckDBConnection, table: Table<Row>): Promise<number> {
  const appender = await connection.createAppender('export');
  const types = table.columns.map(({ type }) => TYPES[type]);
  let waiting: DuckDBValue[][] = [];
  let rowCount = 0;
  const append = (): void => {
    const chunk = DuckDBDataChunk.create(types, waiting.length);
    chunk.setColumns(types.map((_, column) => waiting.map((row) => row[column] ?? null)));
    appender.appendDataChunk(chunk);
    rowCount += waiting.length;
    waiting = [];
  };
  for await (const batch of table.batches) {
    for (const row of batch) {
      waiting.push(table.valuesOf(row).map(parquetValue));
      if (waiting.length === CHUNK_ROWS) append();
    }
  }
  if (waiting.length > 0) append();
  appender.closeSync();
  return rowCount;
}

/** Texts are written as they are; Parquet is not run by anyone. Shares and percentages are in percent, as in the API. */
function parquetValue(value: CellValue): DuckDBValue {
  return value === null || typeof value !== 'object' ? value : listValue([...value]);
}

function quoted(text: string, mark: string): string {
  return mark + text.replaceAll(mark, mark + mark) + mark;
}
