// Rank data for tests as plain values, and its writer: real Parquet segments and dictionary deltas, as the importer leaves
// them, so that tests go through building, loading and searching.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Frequency, type Period, periodKey } from '../../src/domain/period.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import type { SnapshotRequest } from '../../src/snapshot/manifest/manifest.ts';

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

type Sources = Pick<SnapshotRequest, 'periods' | 'dictionaries'>;

const PLACES = [0, 1, 2] as const;

/** What is written of a marketplace. Its sets have their dictionaries in common. */
export interface WrittenData extends Sources {
  readonly ids: Readonly<Record<'terms' | 'products' | 'brands' | 'categories', Ids>>;
}

/** One segment and one delta of each dictionary per period; `earlier` is another set of the same marketplace. */
export async function writeRankData(directory: string, data: TestData, earlier?: WrittenData): Promise<WrittenData> {
  await mkdir(directory, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const ids = earlier?.ids ?? { terms: newIds(), products: newIds(), brands: newIds(), categories: newIds() };
  const dictionaries = {
    terms: [] as string[],
    products: [] as string[],
    brands: [] as string[],
    categories: [] as string[],
  };
  const periods: { period: Period; segmentPath: string }[] = [];
  async function write(name: string, columns: string, rows: readonly string[]): Promise<string> {
    const path = join(directory, `${name}.parquet`);
    const values = rows.length === 0 ? '' : `INSERT INTO t VALUES ${rows.join(', ')};`;
    await connection.run(
      `CREATE OR REPLACE TABLE t (${columns}); ${values} COPY (SELECT * FROM t ORDER BY 2) TO '${path}' (FORMAT parquet)`,
    );
    return path;
  }
  for (const [n, { period, rows }] of data.periods.entries()) {
    const { terms, products, brands, categories } = ids;
    const firstIds = { terms: terms.size, products: products.size, brands: brands.size, categories: categories.size };
    const segment = rows.map((row) => segmentRow(row, ids));
    const name = `${String(n).padStart(3, '0')}-${periodKey(period)}`;
    periods.push({ period, segmentPath: await write(`segment-${name}`, SEGMENT_COLUMNS, segment) });
    const newTexts = (known: Map<string, number>, first: number) =>
      [...known].filter(([, id]) => id >= first).map(([text, id]) => `(${id}, ${sql(text)})`);
    dictionaries.terms.push(
      await write(`terms-${name}`, 'id UINTEGER, term VARCHAR', newTexts(ids.terms, firstIds.terms)),
    );
    dictionaries.brands.push(
      await write(`brands-${name}`, 'id UINTEGER, name VARCHAR', newTexts(ids.brands, firstIds.brands)),
    );
    dictionaries.categories.push(
      await write(`categories-${name}`, 'id UINTEGER, name VARCHAR', newTexts(ids.categories, firstIds.categories)),
    );
    const newProducts = [...ids.products].filter(([, id]) => id >= firstIds.products);
    dictionaries.products.push(
      await write(
        `products-${name}`,
        'id UINTEGER, asin VARCHAR, title VARCHAR',
        newProducts.map(([text, id]) => `(${id}, ${text.split(ASIN_END).map(sql).join(', ')})`),
      ),
    );
  }
  connection.closeSync();
  instance.closeSync();
  return { periods, dictionaries, ids };
}

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

function newIds(): Ids {
  return new Map();
}

function idOf(ids: Ids, text: string): number {
  const id = ids.get(text) ?? ids.size;
  ids.set(text, id);
  return id;
}

function segmentRow(row: TestRow, ids: Readonly<Record<'terms' | 'products' | 'brands' | 'categories', Ids>>): string {
  const term = normalizeTerm(row.term);
  const values = [idOf(ids.terms, term), row.rank, term === row.term ? 'NULL' : sql(row.term)];
  for (const i of PLACES) {
    const product = row.products?.[i];
    values.push(
      product ? idOf(ids.products, `${product.asin}${ASIN_END}${product.title}`) : 'NULL',
      hundredths(product?.clickShare),
      hundredths(product?.conversionShare),
    );
  }
  for (const i of PLACES) {
    const brand = row.brands?.[i];
    const category = row.categories?.[i];
    values.push(brand ? idOf(ids.brands, brand) : 'NULL', category ? idOf(ids.categories, category) : 'NULL');
  }
  return `(${values.join(', ')})`;
}

function hundredths(share: number | null | undefined): string | number {
  return share === null || share === undefined ? 'NULL' : Math.round(share * 100);
}

function sql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
