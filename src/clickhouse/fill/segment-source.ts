// Segments and dictionary files with their texts, row by row, in a bounded amount of memory.
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { DictionaryFiles } from '../../snapshot/manifest/manifest.ts';
import type { SegmentPlace } from './point-rows.ts';

const PLACES = [1, 2, 3] as const;
const MEMORY_LIMIT = '2GB';
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

export class SegmentSource implements AsyncDisposable {
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

  /** `beforeRead` rejects when a file must not be read. */
  static async open(
    temporaryDirectory: string,
    beforeRead: (path: string) => Promise<void> = async () => {},
  ): Promise<SegmentSource> {
    const instance = await DuckDBInstance.create(':memory:', {
      ...{ memory_limit: MEMORY_LIMIT, threads: '2', temp_directory: temporaryDirectory },
      preserve_insertion_order: 'false',
    });
    return new SegmentSource(instance, await instance.connect(), beforeRead);
  }

  async *terms(path: string): AsyncGenerator<{ readonly termId: number; readonly term: string }> {
    await this.#beforeRead(path);
    for await (const [id, term] of this.#rows(`SELECT id, term FROM ${read([path])}`)) {
      yield { termId: Number(id), term: String(term) };
    }
  }

  async *rows(path: string, dictionaries: DictionaryFiles): AsyncGenerator<SegmentRow> {
    for (const file of [path, ...Object.values(dictionaries).flat()]) await this.#beforeRead(file);
    for await (const values of this.#rows(segmentQuery(path, dictionaries))) {
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

function segmentQuery(path: string, { terms, products, brands, categories }: DictionaryFiles): string {
  const columns = PLACES.map(
    (n) => `p${n}.asin, p${n}.title, s.click_share_${n}, s.conversion_share_${n}, b${n}.name, c${n}.name`,
  );
  const joins = PLACES.map(
    (n) => `LEFT JOIN products p${n} ON p${n}.id = s.product_${n}
      LEFT JOIN brands b${n} ON b${n}.id = s.brand_${n} LEFT JOIN categories c${n} ON c${n}.id = s.category_${n}`,
  );
  const used = (name: string) =>
    `(SELECT unnest([${PLACES.map((n) => `${name}_${n}`).join(', ')}]) AS id FROM ${read([path])})`;
  return `WITH products AS (${newest(products, ['asin', 'title'], used('product'))}),
      brands AS (${newest(brands, ['name'], used('brand'))}),
      categories AS (${newest(categories, ['name'], used('category'))})
    SELECT s.term_id, s.rank, s.original, t.term, ${columns.join(', ')}
    FROM ${read([path])} s JOIN (SELECT id, term FROM ${read(terms)}) t ON t.id = s.term_id ${joins.join(' ')}`;
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
