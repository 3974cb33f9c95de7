import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';
import { openTemporaryDirectory } from '../../support/temporary-directory.ts';

const PATH = '/v1/search/keywords/export';
const HEADER = 'period_type,period,search_term,rank\n';
/** One more than an export may have. */
const BULK_ROWS = 100_001;
/** Terms that do not compress: more than the system holds between the two, so that the reader decides when an export is complete. */
const BULK = Array.from({ length: BULK_ROWS }, (_, i) => `monthly,02-2026,bulk ${noise(i)},${1 + i}\n`).join('');
const ZIP_END = Buffer.from('504b0506', 'hex');

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let dataDirectory: string;
let service: TestService;
let key: string;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  dataDirectory = join(directory.path, 'data');
  service = await startTestService({ KEYRANK_DATA_DIR: dataDirectory });
  key = await service.makeKey();
  const shoes = ['Running Shoes', 'running shoe rack', '=cmd running shoes']
    .map((term, i) => `monthly,01-2026,${term},${10 * i + 10}\nmonthly,02-2026,${term},${10 * i + 5}\n`)
    .join('');
  await service.publish('shoes.csv', HEADER + shoes + BULK);
}, 240_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function leaseCount(): Promise<number> {
  const { rows } = await service.database.operator.query<{ count: number }>('SELECT count(*) FROM export_leases');
  return Number(rows[0]?.count);
}

async function exportsOf(caller: string): Promise<number> {
  return (await service.request('/v1/usage', { key: caller })).json.data.current_month.exports;
}

/** What a client leaves behind is gone soon, not at once. */
async function becomes(expected: number, count: () => Promise<number>): Promise<void> {
  while ((await count()) !== expected) await sleep(20);
}

function noise(i: number): string {
  return ['a', 'b', 'c'].map((salt) => createHash('sha256').update(`${salt}${i}`).digest('hex')).join(' ');
}

/** An export of which nothing is read yet, and too long to be over before it is. */
async function startLongExport(fileFormat: string, caller = key, url = service.url) {
  const leaving = new AbortController();
  const response = await fetch(`${url}${PATH}?query=bulk&max_rank=100000&file_format=${fileFormat}`, {
    headers: { authorization: `Bearer ${caller}` },
    signal: leaving.signal,
  });
  return { response, leave: () => leaving.abort() };
}

async function termsOfParquet(bytes: Uint8Array): Promise<readonly unknown[]> {
  const path = join(directory.path, 'answer.parquet');
  await writeFile(path, bytes);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = await connection.runAndReadAll(`SELECT search_term, "02-2026" AS rank FROM '${path}'`);
  const rows = read.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

describe(`GET ${PATH}`, () => {
  it('200: gives the rows of the search in its order, and counts on its own meter', async () => {
    const other = await service.makeKey();
    const query = 'query=running&order_by=latest_rank&order_direction=desc';
    const answer = await service.request(`${PATH}?${query}&file_format=csv`, { key: other });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="keyrank-running-monthly-2026-02.csv"',
    );
    const terms = answer.text.split('\r\n').map((line) => line.split(',')[0]);
    expect(terms.slice(1)).toEqual(["'=cmd running shoes", 'running shoe rack', 'Running Shoes', '']);
    const usage = (await service.request('/v1/usage', { key: other })).json.data;
    expect([usage.current_month.exports, usage.current_month.search, usage.rate_limit.used]).toEqual([1, 0, 0]);
  });

  it.each([
    ['', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'],
    ['text/csv', 'text/csv; charset=utf-8; header=present', 'search_term'],
    ['application/x-ndjson', 'application/x-ndjson; charset=utf-8', '{"search_term"'],
    ['application/vnd.apache.parquet', 'application/vnd.apache.parquet', 'PAR1'],
    [
      'text/html,application/xhtml+xml,*/*;q=0.8',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'PK',
    ],
  ])('200: Accept: %s gives %s', async (accept, contentType, start) => {
    const answer = await service.request(`${PATH}?query=running`, { key, headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, contentType]);
    expect(answer.text.startsWith(start)).toBe(true);
  });

  it('200: the parameter wins over the Accept header, and Parquet has the same rows', async () => {
    const response = await fetch(`${service.url}${PATH}?query=running&file_format=parquet&order_by=latest_rank`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/csv' },
    });
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="keyrank-running-monthly-2026-02.parquet"',
    );
    expect(await termsOfParquet(new Uint8Array(await response.arrayBuffer()))).toEqual([
      { search_term: 'Running Shoes', rank: 5 },
      { search_term: 'running shoe rack', rank: 15 },
      { search_term: '=cmd running shoes', rank: 25 },
    ]);
    expect(await readdir(join(dataDirectory, 'exports'))).toEqual([]);
  });

  it('400: more rows than an export holds are refused before anything is sent, taken or counted', async () => {
    const other = await service.makeKey();
    const answer = await service.request(`${PATH}?query=bulk`, { key: other });
    expect([answer.status, answer.json.error]).toEqual([
      400,
      {
        code: 'INVALID_PARAMETERS',
        message: 'The search has 100001 results, and an export holds at most 100000.',
        hint: 'Narrow the search with filters such as max_rank or brand, or export it page by page with limit and page.',
        docs: expect.stringContaining('/docs/errors#'),
      },
    ]);
    expect([await leaseCount(), await exportsOf(other)]).toEqual([0, 0]);
  });

  it('400: a form that does not exist is refused', async () => {
    const answer = await service.request(`${PATH}?query=running&file_format=xls`, { key });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
  });

  it('429: a third export at a time is refused, costs nothing, and may come again when one has ended', async () => {
    const busy = await service.makeKey();
    const first = await startLongExport('xlsx', busy);
    const second = await startLongExport('ndjson', busy);
    expect([first.response.status, second.response.status, await leaseCount()]).toEqual([200, 200, 2]);
    const refused = await service.request(`${PATH}?query=running`, { key: busy });
    expect([refused.status, refused.headers.get('retry-after'), refused.json.error.code]).toEqual([
      429,
      '5',
      'RATE_LIMIT_EXCEEDED',
    ]);
    expect(await exportsOf(busy)).toBe(2);
    // Another organization has places of its own.
    expect((await service.request(`${PATH}?query=running&file_format=csv`, { key })).status).toBe(200);
    first.leave();
    await becomes(1, leaseCount);
    expect((await service.request(`${PATH}?query=running&file_format=csv`, { key: busy })).status).toBe(200);
    second.leave();
    await becomes(0, leaseCount);
  });

  it.each(['xlsx', 'csv', 'ndjson', 'parquet'])(
    'leaves nothing behind when the client of a %s goes away',
    async (form) => {
      const { response, leave } = await startLongExport(form);
      const reader = response.body?.getReader();
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
      expect(await leaseCount()).toBe(1);
      leave();
      await becomes(0, leaseCount);
      const exports = join(dataDirectory, 'exports');
      await becomes(0, async () => (await readdir(exports).catch(() => [])).length);
      // The threads are free for searches again.
      const search = await service.request('/v1/search/keywords?query=running', { key });
      expect([search.status, search.json.pagination.total_count]).toEqual([200, 3]);
    },
  );

  it('leaves nothing behind when the client goes away before the first byte of a Parquet file', async () => {
    const leaving = new AbortController();
    const asked = fetch(`${service.url}${PATH}?query=bulk&max_rank=100000&file_format=parquet`, {
      headers: { authorization: `Bearer ${key}` },
      signal: leaving.signal,
    }).then((response) => response.arrayBuffer());
    await becomes(1, leaseCount);
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    await becomes(0, leaseCount);
    await becomes(0, async () => (await readdir(join(dataDirectory, 'exports'))).length);
  });
});

describe('an export whose server fails midway', () => {
  it('ends in a broken connection, never in a workbook that looks complete', async () => {
    await using stopped = await startTestService({ KEYRANK_SHUTDOWN_SECONDS: '1' });
    await stopped.publish('bulk.csv', HEADER + BULK);
    const { response } = await startLongExport('xlsx', await stopped.makeKey(), stopped.url);
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of response.body ?? []) {
        chunks.push(chunk);
        if (chunks.length === 1) await stopped.running[Symbol.asyncDispose]();
      }
    })();
    await expect(reading).rejects.toThrow('terminated');
    expect(chunks.length).toBeGreaterThan(0);
    expect(Buffer.concat(chunks).includes(ZIP_END)).toBe(false);
  }, 240_000);
});
