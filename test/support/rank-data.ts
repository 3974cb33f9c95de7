// Rank data for tests as plain values, and its writer: real Parquet segments and dictionary deltas, as the importer leaves
// them, so that tests go through building, loading and searching.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBDataChunk, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { type Frequency, type Period, periodKey } from '../../src/domain/period.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import {
  DICTIONARY_KINDS,
  type DictionaryFiles,
  type DictionaryKind,
  type SnapshotRequest,
} from '../../src/snapshot/manifest/manifest.ts';

export interface TestProduct {
  readonly asin: string;
  readonly title: string;
  /** Percent; null is unknown. */
  readonly clickShare: number | null;
  readonly conversionShare: number | null;
}

export interface TestRow {
  /** As imported. Two rows of a period must not normalise to the same term. */
  readonly term: string;
  readonly rank: number;
  /** At most three of each; null keeps a place empty. */
  readonly products?: readonly (TestProduct | null)[];
  readonly brands?: readonly (string | null)[];
  readonly categories?: readonly (string | null)[];
}

export interface TestPeriod {
  readonly period: Period;
  readonly rows: readonly TestRow[];
}

export interface TestData {
  readonly frequency: Frequency;
  /** In the order of import. */
  readonly periods: readonly TestPeriod[];
}

const PLACES = [0, 1, 2] as const;

/** What is written of a marketplace. Its sets have their dictionaries in common. */
export interface WrittenData extends Pick<SnapshotRequest, 'dictionaries'> {
  readonly periods: readonly WrittenPeriod[];
  readonly ids: Readonly<Record<DictionaryKind, Ids>>;
}

interface WrittenPeriod {
  readonly period: Period;
  readonly segmentPath: string;
  /** One delta of each kind of which it has something new, as an import leaves them. */
  readonly dictionaries: DictionaryFiles;
}

/** `earlier` is another set of the same marketplace. */
export async function writeRankData(directory: string, data: TestData, earlier?: WrittenData): Promise<WrittenData> {
  await mkdir(directory, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const ids = earlier?.ids ?? { terms: new Map(), products: new Map(), brands: new Map(), categories: new Map() };
  const write = (name: string, table: Table): Promise<string> =>
    writeTable(connection, { path: join(directory, `${name}.parquet`), table });
  const periods: WrittenPeriod[] = [];
  for (const [n, { period, rows }] of data.periods.entries()) {
    const name = `${String(n).padStart(3, '0')}-${periodKey(period)}`;
    const firstIds = new Map(DICTIONARY_KINDS.map((kind) => [kind, ids[kind].size]));
    const segment = rows.map((row) => segmentRow(row, ids));
    const segmentPath = await write(`segment-${name}`, { columns: SEGMENT_COLUMNS, rows: segment });
    const dictionaries: Record<DictionaryKind, string[]> = { terms: [], products: [], brands: [], categories: [] };
    for (const kind of DICTIONARY_KINDS) {
      const known = [...ids[kind]].slice(firstIds.get(kind));
      if (known.length === 0) continue;
      const entries = known.map(([text, id]) => [id, ...text.split(ASIN_END)]);
      dictionaries[kind].push(await write(`${kind}-${name}`, { columns: DICTIONARY_COLUMNS[kind], rows: entries }));
    }
    periods.push({ period, segmentPath, dictionaries });
  }
  connection.closeSync();
  instance.closeSync();
  return { periods, dictionaries: dictionariesOf(periods), ids };
}

/** Of all these periods, oldest first. */
export function dictionariesOf(periods: readonly Pick<WrittenPeriod, 'dictionaries'>[]): DictionaryFiles {
  const files = DICTIONARY_KINDS.map((kind) => [kind, periods.flatMap(({ dictionaries }) => dictionaries[kind])]);
  return Object.fromEntries(files);
}

interface Table {
  readonly columns: string;
  readonly rows: readonly (readonly DuckDBValue[])[];
}

/** What DuckDB takes at a time. */
const CHUNK_ROWS = 2048;

async function writeTable(
  connection: DuckDBConnection,
  { path, table: { columns, rows } }: { readonly path: string; readonly table: Table },
): Promise<string> {
  await connection.run(`CREATE OR REPLACE TABLE t (${columns})`);
  const appender = await connection.createAppender('t');
  const types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
  for (let done = 0; done < rows.length; done += CHUNK_ROWS) {
    const chunk = DuckDBDataChunk.create(types);
    chunk.setRows(rows.slice(done, done + CHUNK_ROWS));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  await connection.run(`COPY (SELECT * FROM t ORDER BY 2) TO '${path}' (FORMAT parquet)`);
  return path;
}

const DICTIONARY_COLUMNS: Readonly<Record<DictionaryKind, string>> = {
  terms: 'id UINTEGER, term VARCHAR',
  products: 'id UINTEGER, asin VARCHAR, title VARCHAR',
  brands: 'id UINTEGER, name VARCHAR',
  categories: 'id UINTEGER, name VARCHAR',
};

const SEGMENT_COLUMNS = [
  'term_id UINTEGER, rank UINTEGER, original VARCHAR',
  ...PLACES.map(
    (i) => `product_${i + 1} UINTEGER, click_share_${i + 1} USMALLINT, conversion_share_${i + 1} USMALLINT`,
  ),
  ...PLACES.map((i) => `brand_${i + 1} UINTEGER, category_${i + 1} UINTEGER`),
].join(', ');

type Ids = Map<string, number>;

/** A product is an entry of its own under each title. */
const ASIN_END = '\n';

function idOf(ids: Ids, text: string): number {
  const id = ids.get(text) ?? ids.size;
  ids.set(text, id);
  return id;
}

function segmentRow(row: TestRow, ids: WrittenData['ids']): readonly DuckDBValue[] {
  const term = normalizeTerm(row.term);
  const products = PLACES.flatMap((i) => {
    const product = row.products?.[i];
    return [
      product ? idOf(ids.products, `${product.asin}${ASIN_END}${product.title}`) : null,
      hundredths(product?.clickShare),
      hundredths(product?.conversionShare),
    ];
  });
  const names = PLACES.flatMap((i) => {
    const brand = row.brands?.[i];
    const category = row.categories?.[i];
    return [brand ? idOf(ids.brands, brand) : null, category ? idOf(ids.categories, category) : null];
  });
  return [idOf(ids.terms, term), row.rank, term === row.term ? null : row.term, ...products, ...names];
}

function hundredths(share: number | null | undefined): number | null {
  return share === null || share === undefined ? null : Math.round(share * 100);
}
