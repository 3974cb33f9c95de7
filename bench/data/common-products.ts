// Ten products that are named for a quarter to a third of all keywords each, in place of those that were there: the worst that a product page,
// its lists and a comparison can meet.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ChurningSources } from './churning-segments.ts';

const PRODUCT_COUNT = 10;

/** The same periods with these products at every place. */
export async function nameCommonProducts(
  { periods, dictionaries }: ChurningSources,
  directory: string,
): Promise<ChurningSources> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '2GB' });
  const connection = await instance.connect();
  const copy = async (name: string, select: string): Promise<string> => {
    const path = join(directory, `${name}.parquet`);
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    return path;
  };
  const known = (dictionaries.at(-1)?.products ?? []).map((path) => `'${path}'`).join(', ');
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM read_parquet([${known}])`);
  const first = Number(counted.getRows()[0]?.[0] ?? 0);
  const products = await copy(
    'common-products',
    `SELECT (${first} + n)::UINTEGER AS id, 'B0COMMON0' || n AS asin, 'Common product ' || n AS title FROM range(${PRODUCT_COUNT}) r(n)`,
  );
  // Four share the first place, and three each of the others.
  const places = ['term_id % 4', '4 + (term_id // 4) % 3', '7 + (term_id // 12) % 3'];
  const replaced = places.map((product, i) => `(${first} + ${product})::UINTEGER AS product_${i + 1}`).join(', ');
  const renamed = [];
  for (const [i, { period, segmentPath }] of periods.entries()) {
    const select = `SELECT * REPLACE (${replaced}) FROM '${segmentPath}'`;
    renamed.push({ period, segmentPath: await copy(`common-${i}`, select) });
  }
  connection.closeSync();
  instance.closeSync();
  return {
    periods: renamed,
    dictionaries: dictionaries.map((each) => ({
      ...each,
      products: [...(dictionaries.at(-1)?.products ?? []), products],
    })),
  };
}
