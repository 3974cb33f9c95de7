// Synthetic segments and dictionaries of any size, made by DuckDB alone, for measuring the snapshot without an import.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const VOCABULARY = 6000;
const NEW_SHARE = 0.15;
const PRODUCTS_PER_TERM = 0.6;

/** `termsPerPeriod` ranked terms in each of `periodCount` months, 15 % of them never seen before. */
export async function writeSyntheticData({ directory, termsPerPeriod, periodCount }) {
  await mkdir(directory, { recursive: true });
  const knownTerms = (n) => Math.round(termsPerPeriod * (1 + NEW_SHARE * n));
  const knownProducts = (n) => Math.round(knownTerms(n) * PRODUCTS_PER_TERM);
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '6GB' });
  const connection = await instance.connect();
  const dictionaries = { terms: [], products: [], brands: [], categories: [] };
  const periods = [];
  const path = (name) => join(directory, `${name}.parquet`);
  async function write(name, sql) {
    if (!existsSync(path(name))) await connection.run(`COPY (${sql}) TO '${path(name)}' (FORMAT parquet)`);
    return path(name);
  }
  const pick = (seed) => `floor(${VOCABULARY} * pow((hash(id, ${seed}) % 1000003) / 1000003.0, 3))`;
  // Two words spell the id, so that no two terms are equal.
  const name = (number) => `translate(substr(md5(CAST(${number} AS VARCHAR)), 1, 5), '0123456789', 'ghijklmnop')`;
  const letters = (text) => `translate(${text}, '0123456789', 'ghijklmnop')`;
  const word = (seed) =>
    letters(`'w' || substr(md5(CAST(${pick(seed)} AS VARCHAR)), 1, 2 + CAST(${pick(seed)} AS INTEGER) % 7)`);
  for (let n = 0; n < periodCount; n += 1) {
    const [first, end] = [n === 0 ? 0 : knownTerms(n - 1), knownTerms(n)];
    const key = `${String(n).padStart(3, '0')}`;
    dictionaries.terms.push(
      await write(
        `terms-${key}`,
        `SELECT id::UINTEGER AS id, concat_ws(' ', ${word(1)},
           CASE WHEN id % 10 > 0 THEN ${word(2)} END,
           CASE WHEN id % 10 > 2 THEN ${word(3)} END,
           CASE WHEN id % 10 > 6 THEN ${word(4)} END,
           ${name('id % 3000')}, ${name('(id // 3000) % 3000')}) AS term
         FROM range(${first}, ${end}) t(id)`,
      ),
    );
    const [firstProduct, endProduct] = [n === 0 ? 0 : knownProducts(n - 1), knownProducts(n)];
    dictionaries.products.push(
      await write(
        `products-${key}`,
        `SELECT id::UINTEGER AS id, 'B' || lpad(CAST(id AS VARCHAR), 9, '0') AS asin,
           'Product ' || repeat(md5(CAST(id AS VARCHAR)) || ' ', 2) || 'in several colours' AS title
         FROM range(${firstProduct}, ${endProduct}) t(id)`,
      ),
    );
    if (n === 0) {
      dictionaries.brands.push(
        await write('brands', "SELECT id::UINTEGER AS id, 'Brand ' || id AS name FROM range(0, 20000) t(id)"),
      );
      const names = "['Beauty','Luxury_Beauty','Toys','Sports','Kitchen','Home','Wireless','PC','Grocery','Apparel']";
      dictionaries.categories.push(
        await write('categories', `SELECT id::UINTEGER AS id, ${names}[id + 1] AS name FROM range(0, 10) t(id)`),
      );
    }
    const product = (k) => `(hash(id, ${k}) % ${endProduct})::UINTEGER`;
    const share = (k) => `(hash(id, ${n}, ${k}) % 4000)::USMALLINT`;
    const segmentPath = await write(
      `segment-${key}`,
      `SELECT id::UINTEGER AS term_id, (row_number() OVER (ORDER BY score))::UINTEGER AS rank, NULL::VARCHAR AS original,
         ${[1, 2, 3]
           .map(
             (k) => `${product(k)} AS product_${k}, ${share(k)} AS click_share_${k},
           CASE WHEN id % 5 > 0 THEN ${share(k + 3)} END AS conversion_share_${k},
           (hash(id, ${k + 10}) % 20000)::UINTEGER AS brand_${k}, (hash(id, ${k + 20}) % 10)::UINTEGER AS category_${k}`,
           )
           .join(', ')}
       FROM (SELECT id, (hash(id) % 1000003) * (1.0 + (hash(id, ${n}) % 1000) / 1000.0) AS score
             FROM range(0, ${end}) t(id) ORDER BY score LIMIT ${termsPerPeriod}) ORDER BY rank`,
    );
    periods.push({
      period: { frequency: 'monthly', year: 2023 + Math.floor(n / 12), number: 1 + (n % 12) },
      segmentPath,
    });
  }
  connection.closeSync();
  instance.closeSync();
  return { periods, dictionaries };
}
