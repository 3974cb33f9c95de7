import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeywordExport } from '../../src/domain/keyword-export.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { openParquet, sweepExports } from '../../src/export/parquet.ts';
import { bytesOf, exampleInsights, exampleRows, keywordExport, keywordRow, months } from '../support/keyword-export.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { TEXT_PAYLOADS } from '../support/text-payloads.ts';

const periods = months({ count: 3 });
const row = keywordRow('Running Shoes', {
  periods,
  ranks: [200, null, 150],
  products: [{ asin: 'B000000001', title: 'One & only', clickShare: 12.34, conversionShare: null }],
  brands: ['Acme', 'Bolt; Inc.'],
  categories: [],
});

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let temporaryDirectory: string;
let fileCount = 0;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  temporaryDirectory = join(directory.path, 'exports');
});
afterAll(() => directory[Symbol.asyncDispose]());

async function readBack(input: KeywordExport, selection = '*') {
  const bytes = await bytesOf(openParquet(keywordTable(input), { temporaryDirectory }));
  fileCount += 1;
  const path = join(directory.path, `${fileCount}.parquet`);
  await writeFile(path, bytes);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM '${path}'`);
  const read = await connection.runAndReadAll(`SELECT ${selection} FROM '${path}'`);
  const types = Object.fromEntries(described.getRowObjectsJson().map((each) => [each.column_name, each.column_type]));
  const rows = read.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return { types, rows };
}

describe('an export as Parquet', () => {
  it('has the columns of the CSV form in real types, and nothing where nothing is known', async () => {
    const { types, rows } = await readBack(keywordExport([row], { periods }));
    expect(types).toEqual({
      search_term: 'VARCHAR',
      '01-2024': 'INTEGER',
      '02-2024': 'INTEGER',
      '03-2024': 'INTEGER',
      latest_rank: 'INTEGER',
      best_rank: 'INTEGER',
      worst_rank: 'INTEGER',
      avg_rank: 'DOUBLE',
      total_periods: 'INTEGER',
      ...Object.fromEntries(
        [1, 2, 3].flatMap((place) => [
          [`product_${place}_asin`, 'VARCHAR'],
          [`product_${place}_title`, 'VARCHAR'],
          [`product_${place}_click_share`, 'DOUBLE'],
          [`product_${place}_conversion_share`, 'DOUBLE'],
        ]),
      ),
      brands: 'VARCHAR[]',
      categories: 'VARCHAR[]',
    });
    const noProduct = (place: number) => ({
      [`product_${place}_asin`]: null,
      [`product_${place}_title`]: null,
      [`product_${place}_click_share`]: null,
      [`product_${place}_conversion_share`]: null,
    });
    expect(rows).toEqual([
      {
        search_term: 'Running Shoes',
        '01-2024': 200,
        '02-2024': null,
        '03-2024': 150,
        latest_rank: 150,
        best_rank: 150,
        worst_rank: 200,
        avg_rank: 175,
        total_periods: 2,
        product_1_asin: 'B000000001',
        product_1_title: 'One & only',
        product_1_click_share: 12.34,
        product_1_conversion_share: null,
        ...noProduct(2),
        ...noProduct(3),
        brands: ['Acme', 'Bolt; Inc.'],
        categories: [],
      },
    ]);
  });

  it('has insights in real types', async () => {
    const { types, rows } = await readBack(
      keywordExport([{ ...row, insights: exampleInsights(periods) }], { periods }),
    );
    expect(types).toMatchObject({
      from_period: 'VARCHAR',
      change: 'INTEGER',
      change_percentage: 'DOUBLE',
      title_gap: 'BOOLEAN',
    });
    expect(rows[0]).toMatchObject({
      to_rank: 259,
      year_change: null,
      conversion_to_click: 1.5904,
      title_gap: true,
      streak: 2,
    });
  });

  it.each([
    ['delta', 'INTEGER', 50],
    ['percentage', 'DOUBLE', 25],
  ] as const)('shows changes as %s', async (format, type, change) => {
    const { types, rows } = await readBack(keywordExport([row], { periods, format }));
    expect(types['03-2024']).toBe(type);
    expect(rows[0]).toMatchObject({ '01-2024': null, '02-2024': null, '03-2024': change });
  });

  it('keeps thousands of rows in their order, over many batches', async () => {
    const long = Array.from({ length: 700 }, () => exampleRows(periods)).flat();
    const numbered = long.map((each, i) => ({ ...each, searchTerm: `${i} ${each.searchTerm}` }));
    const { rows } = await readBack(keywordExport(numbered, { periods }));
    expect(rows.map((each) => each.search_term)).toEqual(numbered.map((each) => each.searchTerm));
  });

  it('is a file without rows when there are none', async () => {
    expect((await readBack(keywordExport([], { periods }))).rows).toEqual([]);
  });

  it('keeps every text as it is', async () => {
    const rows = TEXT_PAYLOADS.map((text) => ({ ...row, searchTerm: text, brands: [text] }));
    // In hexadecimal, because DuckDB's client drops a byte order mark at the start of a text.
    const selection = 'hex(search_term) AS term, list_transform(brands, lambda brand: hex(brand)) AS brands';
    const read = await readBack(keywordExport(rows, { periods }), selection);
    // UTF-8 has no lone surrogates: they are U+FFFD.
    const expected = TEXT_PAYLOADS.map((text) => Buffer.from(text).toString('hex').toUpperCase());
    expect(expected.length).toBeGreaterThan(499);
    expect(read.rows.map((each) => each.term)).toEqual(expected);
    expect(read.rows.map((each) => each.brands)).toEqual(expected.map((text) => [text]));
  });
});

describe('an export as Parquet that does not end well', () => {
  function source(batchCount: number, failure?: Error) {
    const seen = { closed: false };
    async function* batches(): AsyncGenerator<readonly SearchRow[]> {
      try {
        for (let batch = 0; batch < batchCount; batch += 1) yield exampleRows(periods);
        if (failure) throw failure;
      } finally {
        seen.closed = true;
      }
    }
    const base = keywordExport([], { periods, batches: batches() });
    return { seen, input: { ...base, description: { ...base.description, rowCount: batchCount * 7 } } };
  }

  it('leaves nothing behind when the reader goes away', async () => {
    const { input } = source(2000);
    const stream = openParquet(keywordTable(input), { temporaryDirectory });
    for await (const chunk of stream) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
    expect(await readdir(temporaryDirectory)).toEqual([]);
  });

  it('passes on a failure of its source without a byte, and leaves nothing behind', async () => {
    const failure = new Error('The disk is gone.');
    const { seen, input } = source(20, failure);
    await expect(bytesOf(openParquet(keywordTable(input), { temporaryDirectory }))).rejects.toBe(failure);
    expect(seen.closed).toBe(true);
    expect(await readdir(temporaryDirectory)).toEqual([]);
  });

  it('fails when the source has another number of rows than announced', async () => {
    const { input } = source(3);
    const description = { ...input.description, rowCount: 22 };
    const wrong = openParquet(keywordTable({ ...input, description }), { temporaryDirectory });
    await expect(bytesOf(wrong)).rejects.toMatchObject({ code: 'ERR_ASSERTION' });
    expect(await readdir(temporaryDirectory)).toEqual([]);
  });

  it('is swept after an hour when its process died, and not before', async () => {
    const now = Date.UTC(2026, 10, 1);
    const place = join(directory.path, 'swept');
    for (const [name, ageMinutes] of [
      ['parquet-old', 61],
      ['parquet-young', 59],
    ] as const) {
      await mkdir(join(place, name), { recursive: true });
      await writeFile(join(place, name, 'export.parquet'), 'half');
      const changed = new Date(now - ageMinutes * 60_000);
      await utimes(join(place, name), changed, changed);
    }
    await sweepExports(place, { now });
    expect(await readdir(place)).toEqual(['parquet-young']);
    await sweepExports(join(directory.path, 'never made'), { now });
  });
});
