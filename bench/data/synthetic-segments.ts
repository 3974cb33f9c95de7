// Synthetic segments and dictionaries of any size, made by DuckDB alone, for measuring the snapshot without an import.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { SnapshotRequest } from '../../src/snapshot/manifest/manifest.ts';

const VOCABULARY = 6000;
/** Share of a period's terms that no period before it had. */
const NEW_SHARE = 0.15;
const PRODUCTS_PER_TERM = 0.6;
const BRANDS = 20_000;
const CATEGORIES = [
  'Beauty',
  'Luxury_Beauty',
  'Toys',
  'Sports',
  'Kitchen',
  'Home',
  'Wireless',
  'PC',
  'Grocery',
  'Apparel',
];
const PLACES = [1, 2, 3];

export type SyntheticSources = Pick<SnapshotRequest, 'periods' | 'dictionaries'>;

/** So many ranked terms in each of so many months. Files that are there already are taken as they are. */
export async function writeSyntheticSegments({
  directory,
  termsPerPeriod,
  periodCount,
}: {
  readonly directory: string;
  readonly termsPerPeriod: number;
  readonly periodCount: number;
}): Promise<SyntheticSources> {
  await mkdir(directory, { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '6GB' });
  const connection = await instance.connect();
  const write = async (name: string, sql: string): Promise<string> =>
    writeParquet(connection, { directory, name, sql });
  const knownTerms = (n: number): number => (n < 0 ? 0 : Math.round(termsPerPeriod * (1 + NEW_SHARE * n)));
  const knownProducts = (n: number): number => Math.round(knownTerms(n) * PRODUCTS_PER_TERM);
  const terms: string[] = [];
  const products: string[] = [];
  const periods: SnapshotRequest['periods'][number][] = [];
  for (let n = 0; n < periodCount; n += 1) {
    const key = String(n).padStart(3, '0');
    terms.push(await write(`terms-${key}`, termsSql(knownTerms(n - 1), knownTerms(n))));
    products.push(await write(`products-${key}`, productsSql(knownProducts(n - 1), knownProducts(n))));
    const segment = segmentSql({ n, termsPerPeriod, termCount: knownTerms(n), productCount: knownProducts(n) });
    periods.push({
      period: { frequency: 'monthly', year: 2023 + Math.floor(n / 12), number: 1 + (n % 12) },
      segmentPath: await write(`segment-${key}`, segment),
    });
  }
  const names = CATEGORIES.map((name) => `'${name}'`).join(', ');
  const dictionaries = {
    terms,
    products,
    brands: [await write('brands', `SELECT id::UINTEGER AS id, 'Brand ' || id AS name FROM range(${BRANDS}) t(id)`)],
    categories: [
      await write(
        'categories',
        `SELECT id::UINTEGER AS id, [${names}][id + 1] AS name FROM range(${CATEGORIES.length}) t(id)`,
      ),
    ],
  };
  connection.closeSync();
  instance.closeSync();
  return { periods, dictionaries };
}

async function writeParquet(
  connection: DuckDBConnection,
  { directory, name, sql }: { readonly directory: string; readonly name: string; readonly sql: string },
): Promise<string> {
  const path = join(directory, `${name}.parquet`);
  if (!existsSync(path)) await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  return path;
}

function termsSql(first: number, end: number): string {
  // Few words are common and many are rare, as in any language.
  const pick = (seed: number): string => `floor(${VOCABULARY} * pow((hash(id, ${seed}) % 1000003) / 1000003.0, 3))`;
  const letters = (text: string): string => `translate(${text}, '0123456789', 'ghijklmnop')`;
  const word = (seed: number): string =>
    letters(`'w' || substr(md5(CAST(${pick(seed)} AS VARCHAR)), 1, 2 + CAST(${pick(seed)} AS INTEGER) % 7)`);
  // Two words spell the id, so that no two terms are equal.
  const name = (number: string): string => letters(`substr(md5(CAST(${number} AS VARCHAR)), 1, 5)`);
  return `SELECT id::UINTEGER AS id, concat_ws(' ', ${word(1)},
      CASE WHEN id % 10 > 0 THEN ${word(2)} END,
      CASE WHEN id % 10 > 2 THEN ${word(3)} END,
      CASE WHEN id % 10 > 6 THEN ${word(4)} END,
      ${name('id % 3000')}, ${name('(id // 3000) % 3000')}) AS term
    FROM range(${first}, ${end}) t(id)`;
}

function productsSql(first: number, end: number): string {
  return `SELECT id::UINTEGER AS id, 'B' || lpad(CAST(id AS VARCHAR), 9, '0') AS asin,
      'Product ' || repeat(md5(CAST(id AS VARCHAR)) || ' ', 2) || 'in several colours' AS title
    FROM range(${first}, ${end}) t(id)`;
}

function segmentSql(given: {
  readonly n: number;
  readonly termsPerPeriod: number;
  readonly termCount: number;
  readonly productCount: number;
}): string {
  const { n, termsPerPeriod, termCount, productCount } = given;
  const share = (place: number): string => `(hash(id, ${n}, ${place}) % 4000)::USMALLINT`;
  const places = PLACES.map(
    (
      place,
    ) => `(hash(id, ${place}) % ${productCount})::UINTEGER AS product_${place}, ${share(place)} AS click_share_${place},
      CASE WHEN id % 5 > 0 THEN ${share(place + 3)} END AS conversion_share_${place},
      (hash(id, ${place + 10}) % ${BRANDS})::UINTEGER AS brand_${place},
      (hash(id, ${place + 20}) % ${CATEGORIES.length})::UINTEGER AS category_${place}`,
  );
  return `SELECT id::UINTEGER AS term_id, (row_number() OVER (ORDER BY score))::UINTEGER AS rank,
      NULL::VARCHAR AS original, ${places.join(', ')}
    FROM (SELECT id, (hash(id) % 1000003) * (1.0 + (hash(id, ${n}) % 1000) / 1000.0) AS score
      FROM range(0, ${termCount}) t(id) ORDER BY score LIMIT ${termsPerPeriod}) ORDER BY rank`;
}
