// Segments and dictionary files with their texts, row by row, in a bounded amount of memory.
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { DictionaryFiles } from '../../snapshot/manifest/manifest.ts';
import type { Part } from './piece.ts';
import type { SegmentPlace } from './point-rows.ts';

const PLACES = [1, 2, 3] as const;
const COLUMNS_OF_PLACE = 6;
/** Term, rank, text as imported, normalised text. */
const FIRST_COLUMNS = 4;

export interface SegmentRow {
  readonly termId: number;
  readonly term: string;
  readonly original: string;
  readonly rank: number;
  readonly places: readonly SegmentPlace[];
}

export interface SourceOptions {
  readonly temporaryDirectory: string;
  readonly memoryBytes: number;
}

interface SegmentFiles {
  readonly path: string;
  readonly dictionaries: DictionaryFiles;
}

export class SegmentSource implements AsyncDisposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open({ temporaryDirectory, memoryBytes }: SourceOptions): Promise<SegmentSource> {
    const instance = await DuckDBInstance.create(':memory:', {
      ...{ memory_limit: `${memoryBytes}B`, threads: '2', temp_directory: temporaryDirectory },
      preserve_insertion_order: 'false',
    });
    return new SegmentSource(instance, await instance.connect());
  }

  async *terms(
    path: string,
    { index, count }: Part,
  ): AsyncGenerator<{ readonly termId: number; readonly term: string }> {
    const query = `SELECT id, term FROM ${read([path])} WHERE id % ${count} = ${index}`;
    for await (const [id, term] of this.#rows(query)) yield { termId: Number(id), term: String(term) };
  }

  async *rows(files: SegmentFiles, part: Part): AsyncGenerator<SegmentRow> {
    for await (const values of this.#rows(segmentQuery(files, part))) {
      yield {
        termId: Number(values[0]),
        rank: Number(values[1]),
        original: String(values[2] ?? values[3]),
        term: String(values[3]),
        places: PLACES.map((_, i) => placeOf(values, FIRST_COLUMNS + COLUMNS_OF_PLACE * i)),
      };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async *#rows(query: string): AsyncGenerator<readonly DuckDBValue[]> {
    const result = await this.#connection.stream(query);
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      yield* chunk.getRows();
    }
  }
}

function placeOf(values: readonly DuckDBValue[], at: number): SegmentPlace {
  const text = (value: DuckDBValue | undefined) => (value === null || value === undefined ? null : String(value));
  const number = (value: DuckDBValue | undefined) => (value === null || value === undefined ? null : Number(value));
  return {
    asin: text(values[at]),
    title: text(values[at + 1]),
    click: number(values[at + 2]),
    conversion: number(values[at + 3]),
    brand: text(values[at + 4]),
    category: text(values[at + 5]),
  };
}

function segmentQuery({ path, dictionaries }: SegmentFiles, { index, count }: Part): string {
  const { terms, products, brands, categories } = dictionaries;
  const segment = `(SELECT * FROM ${read([path])} WHERE term_id % ${count} = ${index})`;
  const columns = PLACES.map(
    (n) => `p${n}.asin, p${n}.title, s.click_share_${n}, s.conversion_share_${n}, b${n}.name, c${n}.name`,
  );
  const joins = PLACES.map(
    (n) => `LEFT JOIN products p${n} ON p${n}.id = s.product_${n}
      LEFT JOIN brands b${n} ON b${n}.id = s.brand_${n} LEFT JOIN categories c${n} ON c${n}.id = s.category_${n}`,
  );
  const used = (name: string) =>
    `(SELECT unnest([${PLACES.map((n) => `${name}_${n}`).join(', ')}]) AS id FROM ${segment})`;
  return `WITH products AS (${newest(products, ['asin', 'title'], used('product'))}),
      brands AS (${newest(brands, ['name'], used('brand'))}),
      categories AS (${newest(categories, ['name'], used('category'))})
    SELECT s.term_id, s.rank, s.original, t.term, ${columns.join(', ')}
    FROM ${segment} s JOIN (SELECT id, term FROM ${read(terms)}) t ON t.id = s.term_id ${joins.join(' ')}`;
}

/** Deltas of earlier versions name some ids again; the later one counts. */
function newest(paths: readonly string[], columns: readonly string[], used: string): string {
  if (paths.length === 0) {
    return `SELECT NULL::UINTEGER AS id, ${columns.map((column) => `NULL::VARCHAR AS ${column}`).join(', ')} WHERE false`;
  }
  const each = paths.map((path, n) => `SELECT id, ${columns.join(', ')}, ${n} AS n FROM ${read([path])}`);
  const chosen = columns.map((column) => `arg_max(coalesce(${column}, ''), n) AS ${column}`);
  return `SELECT id, ${chosen.join(', ')} FROM (${each.join(' UNION ALL ')}) WHERE id IN ${used} GROUP BY id`;
}

function read(paths: readonly string[]): string {
  // DuckDB takes a path for a pattern, so that its special characters are escaped.
  const literals = paths.map((path) => `'${path.replaceAll("'", "''").replace(/[[*?]/g, '[$&]')}'`);
  return `read_parquet([${literals.join(', ')}])`;
}
