// An export as Parquet, with the columns of the CSV form in real types. A Parquet file is written from its end: the footer
// that says where everything is comes last and the columns before it whole, so the rows are gathered by DuckDB, written to
// a temporary file, and that is streamed. It loses its name as soon as it is open, so whatever becomes of the reader, nothing
// stays behind; only a process that dies while it writes leaves a file, which the next start removes.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
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
import { type KeywordExport, MAX_PRODUCTS } from '../domain/keyword-export.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { openBytes } from './byte-stream.ts';
import { type CellRule, rowValues } from './cells.ts';
import { exportColumns } from './columns.ts';

/** A row of text and numbers takes about half a kilobyte, so an export stays below it; what does not is spilled. */
const MEMORY_LIMIT = '256MB';
/** Handed to DuckDB at a time: enough to be quick, few enough to leave the event loop free. It takes at most 2048. */
const CHUNK_ROWS = 512;
/** No export is being written for so long. */
const ABANDONED_MS = 3_600_000;
const READ_BYTES = 64 * 1024;
const TEXTS = LIST(VARCHAR);

export interface TemporaryPlace {
  /** Made when it does not exist yet. */
  readonly temporaryDirectory: string;
}

export function openParquet(input: KeywordExport, place: TemporaryPlace): Readable {
  const columns = parquetColumns(input);
  return openBytes(parquetChunks(input, { ...place, columns }));
}

/** Removes what died while it was written. Another server may be writing in the same place, hence the age. */
export async function sweepExports(directory: string, { now }: { readonly now: number }): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

interface ParquetColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

function parquetColumns({ periods, format }: KeywordExport): readonly ParquetColumn[] {
  const names = exportColumns(periods).map(({ field }) => field);
  const change = format === 'percentage' ? DOUBLE : INTEGER;
  const types = [
    VARCHAR,
    ...periods.map(() => change),
    ...[INTEGER, INTEGER, INTEGER, DOUBLE, INTEGER],
    ...Array.from({ length: MAX_PRODUCTS }, () => [VARCHAR, VARCHAR, DOUBLE, DOUBLE]).flat(),
    ...[TEXTS, TEXTS],
  ];
  assert.equal(types.length, names.length, 'Every column of an export needs a type.');
  return names.map((name, i) => ({ name, type: types[i] ?? VARCHAR }));
}

async function* parquetChunks(
  input: KeywordExport,
  { temporaryDirectory, columns }: TemporaryPlace & { readonly columns: readonly ParquetColumn[] },
): AsyncGenerator<Buffer> {
  await mkdir(temporaryDirectory, { recursive: true });
  const directory = await mkdtemp(join(temporaryDirectory, 'parquet-'));
  const path = join(directory, 'export.parquet');
  try {
    await writeParquet(input, { path, directory, columns });
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

async function writeParquet(
  input: KeywordExport,
  {
    path,
    directory,
    columns,
  }: { readonly path: string; readonly directory: string; readonly columns: readonly ParquetColumn[] },
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
    const declared = columns.map(({ name, type }) => `${quoted(name, '"')} ${type}`);
    await connection.run(`CREATE TABLE export (${declared.join(', ')})`);
    const rowCount = await appendRows(connection, { input, columns });
    assert.equal(rowCount, input.description.rowCount, 'The batches hold another number of rows than was announced.');
    await connection.run(`COPY export TO ${quoted(path, "'")} (FORMAT parquet, COMPRESSION zstd)`);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

async function appendRows(
  connection: DuckDBConnection,
  { input, columns }: { readonly input: KeywordExport; readonly columns: readonly ParquetColumn[] },
): Promise<number> {
  const appender = await connection.createAppender('export');
  const types = columns.map(({ type }) => type);
  let waiting: DuckDBValue[][] = [];
  let rowCount = 0;
  const append = (): void => {
    const chunk = DuckDBDataChunk.create(types, waiting.length);
    chunk.setColumns(types.map((_, column) => waiting.map((row) => row[column] ?? null)));
    appender.appendDataChunk(chunk);
    rowCount += waiting.length;
    waiting = [];
  };
  for await (const batch of input.batches) {
    for (const row of batch) {
      waiting.push(parquetRow(row, input));
      if (waiting.length === CHUNK_ROWS) append();
    }
  }
  if (waiting.length > 0) append();
  appender.closeSync();
  return rowCount;
}

/** Texts are written as they are; Parquet is not run by anyone. Shares and percentages are in percent, as in the API. */
function parquetRow(row: SearchRow, rule: CellRule): DuckDBValue[] {
  return rowValues(row, rule).map((value) =>
    value === null || typeof value !== 'object' ? value : listValue([...value]),
  );
}

function quoted(text: string, mark: string): string {
  return mark + text.replaceAll(mark, mark + mark) + mark;
}
