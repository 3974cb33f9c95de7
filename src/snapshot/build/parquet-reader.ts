// DuckDB reads Parquet files for a build: it decodes them, in memory, and keeps nothing.
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBUIntegerVector,
  DuckDBUSmallIntVector,
  UINTEGER,
} from '@duckdb/node-api';
import { OperatorError } from '../../domain/error.ts';
import { MAX_RANK } from '../../domain/ranking.ts';
import { DOCUMENT_COLUMNS, type DocumentColumn, NONE_16, NONE_32 } from '../format/format.ts';
import { newColumn } from './build-state.ts';

/** The columns of a segment that go into documents as they are, ids still those of the dictionaries. */
type SegmentColumn = Exclude<DocumentColumn, 'document-slot' | 'latest-rank' | 'original'>;

export interface Segment {
  readonly rowCount: number;
  readonly termIds: Uint32Array;
  /** Ascending. */
  readonly ranks: Uint32Array;
  readonly columns: ReadonlyMap<SegmentColumn, Uint32Array | Uint16Array>;
  /** By term id: the term as imported, where it differs from the normalised one. */
  readonly originals: ReadonlyMap<number, string>;
}

/** One row: its texts are a range of bytes with FIELD_END between them. The bytes stay valid. */
export interface DictionaryRow {
  readonly id: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Control characters that no text holds: importers remove them, and the query does so again. */
const FIELD_END = '\u001f';
const ROW_END = '\u001e';
export const FIELD_END_BYTE = 0x1f;
const ROW_END_BYTE = 0x1e;
const ZERO_BYTE = 0x30;
const ROWS_PER_BATCH = 4096;
/** Reading a row that is not wanted costs about a third of saying which are. */
const MAX_RANGE_RATIO = 3;
/** DuckDB's own size of a chunk. */
const CHUNK_ROWS = 2048;

export class ParquetReader implements AsyncDisposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #beforeRead: (path: string) => Promise<void>;

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    beforeRead: (path: string) => Promise<void>,
  ) {
    this.#instance = instance;
    this.#connection = connection;
    this.#beforeRead = beforeRead;
  }

  static async open({
    memoryLimitMb,
    beforeRead,
  }: {
    readonly memoryLimitMb: number;
    /** Rejects when a file must not be read. */
    readonly beforeRead: (path: string) => Promise<void>;
  }): Promise<ParquetReader> {
    // One thread: rows are taken as fast as one decodes them, and with small files a second would only spin.
    const instance = await DuckDBInstance.create(':memory:', { memory_limit: `${memoryLimitMb}MB`, threads: '1' });
    return new ParquetReader(instance, await instance.connect(), beforeRead);
  }

  async readSegment(path: string): Promise<Segment> {
    await this.#beforeRead(path);
    const names = segmentColumns();
    const selected = names.map(sqlNumber);
    const source = `read_parquet(${sqlText(path)})`;
    const rowCount = await this.#count(source);
    const termIds = new Uint32Array(rowCount);
    const ranks = new Uint32Array(rowCount);
    const columns = new Map(names.map((name) => [name, newColumn(DOCUMENT_COLUMNS[name], rowCount)]));
    const targets = [termIds, ranks, ...columns.values()];
    let row = 0;
    for await (const chunk of this.#chunks(
      `SELECT term_id::UINTEGER, rank::UINTEGER, ${selected.join(', ')} FROM ${source}`,
    )) {
      for (const [i, target] of targets.entries()) copyNumbers({ chunk, columnIndex: i, target, row });
      row += chunk.rowCount;
    }
    assertRanks(ranks, path);
    return { rowCount, termIds, ranks, columns, originals: await this.#readOriginals(source) };
  }

  /** Visits at least the wanted rows of dictionary deltas, file by file; all rows when no ids are given. */
  async readDictionary({
    paths,
    columns,
    wantedIds,
    visit,
    isDone = () => false,
  }: {
    readonly paths: readonly string[];
    readonly columns: readonly string[];
    readonly wantedIds: Uint32Array | undefined;
    readonly visit: (row: DictionaryRow) => void;
    /** Asked before each file; the rest is left unread once it says so. */
    readonly isDone?: () => boolean;
  }): Promise<void> {
    if (wantedIds?.length === 0) return;
    const condition = wantedIds ? await this.#conditionFor(wantedIds) : '';
    // Thousands of rows travel as one block: handing over every value by itself costs more than reading the file.
    for (const path of paths) {
      if (isDone()) return;
      await this.#beforeRead(path);
      const sql = `SELECT encode(string_agg(concat_ws('${FIELD_END}', id, ${columns.map(sqlField).join(', ')}), '${ROW_END}'))
        FROM read_parquet(${sqlText(path)}, file_row_number = true) ${condition}
        GROUP BY file_row_number // ${ROWS_PER_BATCH}`;
      for await (const chunk of this.#chunks(sql)) {
        const batches = chunk.getColumnVector(0);
        for (let i = 0; i < chunk.rowCount; i += 1) {
          const blob = batches.getItem(i);
          if (!(blob instanceof DuckDBBlobValue)) throw new TypeError('a batch of dictionary rows is not bytes');
          visitRows(Buffer.from(blob.bytes), visit);
        }
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #readOriginals(source: string): Promise<ReadonlyMap<number, string>> {
    const originals = new Map<number, string>();
    for await (const chunk of this.#chunks(`SELECT term_id, original FROM ${source} WHERE original IS NOT NULL`)) {
      const ids = chunk.getColumnVector(0);
      const texts = chunk.getColumnVector(1);
      for (let i = 0; i < chunk.rowCount; i += 1) originals.set(Number(ids.getItem(i)), String(texts.getItem(i)));
    }
    return originals;
  }

  /** New ids are mostly one after the other, and a range is all it takes. */
  async #conditionFor(wantedIds: Uint32Array): Promise<string> {
    let minId = NONE_32;
    let maxId = 0;
    for (const id of wantedIds) {
      if (id < minId) minId = id;
      if (id > maxId) maxId = id;
    }
    if (maxId - minId < wantedIds.length * MAX_RANGE_RATIO) return `WHERE id BETWEEN ${minId} AND ${maxId}`;
    await this.#fillWanted(wantedIds);
    return 'WHERE id IN (SELECT id FROM wanted)';
  }

  /** A table of ids, so that DuckDB passes over the rows that nobody needs. */
  async #fillWanted(ids: Uint32Array): Promise<void> {
    await this.#connection.run('CREATE OR REPLACE TEMP TABLE wanted (id UINTEGER)');
    const appender = await this.#connection.createAppender('wanted');
    for (let from = 0; from < ids.length; from += CHUNK_ROWS) {
      const rows = Array.from(ids.subarray(from, from + CHUNK_ROWS));
      const chunk = DuckDBDataChunk.create([UINTEGER], rows.length);
      chunk.setColumnValues(0, rows);
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  }

  async #count(source: string): Promise<number> {
    const reader = await this.#connection.runAndReadAll(`SELECT count(*) FROM ${source}`);
    return Number(reader.getRows()[0]?.[0]);
  }

  async *#chunks(sql: string): AsyncGenerator<DuckDBDataChunk> {
    const result = await this.#connection.stream(sql);
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      yield chunk;
    }
  }
}

function visitRows(bytes: Buffer, visit: (row: DictionaryRow) => void): void {
  for (let at = 0; at < bytes.length; ) {
    let id = 0;
    for (; bytes[at] !== FIELD_END_BYTE; at += 1) id = id * 10 + (bytes[at] ?? 0) - ZERO_BYTE;
    const start = at + 1;
    const found = bytes.indexOf(ROW_END_BYTE, start);
    const end = found < 0 ? bytes.length : found;
    visit({ id, bytes, start, end });
    at = end + 1;
  }
}

function segmentColumns(): readonly SegmentColumn[] {
  return (Object.keys(DOCUMENT_COLUMNS) as DocumentColumn[]).filter(
    (name): name is SegmentColumn => name !== 'document-slot' && name !== 'latest-rank' && name !== 'original',
  );
}

function copyNumbers({
  chunk,
  columnIndex,
  target,
  row,
}: {
  readonly chunk: DuckDBDataChunk;
  readonly columnIndex: number;
  readonly target: Uint32Array | Uint16Array;
  readonly row: number;
}): void {
  const vector = chunk.getColumnVector(columnIndex);
  if (!(vector instanceof DuckDBUIntegerVector || vector instanceof DuckDBUSmallIntVector)) {
    throw new TypeError(`column ${columnIndex} of a segment is ${vector.type}`);
  }
  // The query leaves no nulls, so the numbers are copied as they lie, 17 million of them in a large segment. The array has
  // no public name in the pinned version of the package.
  const { items } = vector as unknown as { readonly items: Uint32Array | Uint16Array };
  target.set(items, row);
}

function assertRanks(ranks: Uint32Array, path: string): void {
  let last = 1;
  for (const rank of ranks) {
    if (rank < last) throw new OperatorError(`The segment ${path} is not sorted by rank, or has a rank below 1.`);
    last = rank;
  }
  if (last > MAX_RANK) throw new OperatorError(`The segment ${path} has a rank above ${MAX_RANK}.`);
}

/** Its numbers in SQL, with the one that stands for none in place of nulls. */
function sqlNumber(column: SegmentColumn): string {
  const name = column.replaceAll('-', '_');
  return DOCUMENT_COLUMNS[column] === 'u32'
    ? `COALESCE(${name}, ${NONE_32})::UINTEGER`
    : `COALESCE(${name}, ${NONE_16})::USMALLINT`;
}

/** Replacing is dear and hardly ever needed, so it is asked for first. */
function sqlField(column: string): string {
  const hasEnd = `contains(${column}, '${FIELD_END}') OR contains(${column}, '${ROW_END}')`;
  const replaced = `replace(replace(${column}, '${FIELD_END}', ' '), '${ROW_END}', ' ')`;
  return `CASE WHEN ${hasEnd} THEN ${replaced} ELSE COALESCE(${column}, '') END`;
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
