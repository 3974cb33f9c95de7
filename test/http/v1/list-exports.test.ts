// Lists as files: every form has the elements that the list answers, in its order.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

const HEADER = 'period_type,period,search_term,rank\n';
const COUNT = 2_500;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ organization: 'Lists', subscription: { plan: 'studio' } });
  const lines = Array.from({ length: COUNT }, (_, n) => [
    `monthly,01-2026,term ${n},${n + 1}`,
    `monthly,02-2026,term ${n},${COUNT + 5 - n}`,
    `monthly,02-2026,=new ${n},${COUNT + 10 + n}`,
  ]).flat();
  await service.publish('months.csv', `${HEADER}${lines.join('\n')}\n`);
  const social = ['monthly,01-2026,term 1,9', 'monthly,02-2026,term 1,4', 'monthly,02-2026,other,2'];
  await service.publish('social.csv', `${HEADER}${social.join('\n')}\n`, 'social');
  const body = JSON.stringify({ search_term: 'Term 7', notes: 'lucky' });
  await service.request('/v1/tracked-keywords', { method: 'POST', key, body });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

/** A place is given back a moment after the last byte. */
async function download(path: string) {
  let answer = await service.request(path, { key });
  while (answer.status === 429) answer = await service.request(path, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

async function ndjson(path: string): Promise<object[]> {
  const answer = await download(`${path}file_format=ndjson`);
  const lines = answer.text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

describe.each([
  ['/v1/trends/change-by', 'threshold=0.5'],
  ['/v1/trends/change-by', 'threshold=0.5&order_by=change_percentage&direction=negative&query=term'],
  ['/v1/trends/new', ''],
  ['/v1/trends/new', 'order_by=query&order_direction=DESC'],
  ['/v1/trends/social-media-ranks', ''],
])('%s/export?%s', (path, query) => {
  it('200: has every element of the list, over many readings, in its order', async () => {
    const expected: object[] = [];
    for (let offset = 0; ; offset += 1000) {
      const page = (await service.request(`${path}?${query}&limit=1000&offset=${offset}`, { key })).json;
      expected.push(...page.data);
      if (!page.pagination.has_next) break;
    }
    expect(expected.length).toBeGreaterThan(0);
    expect(await ndjson(`${path}/export?${query}&`)).toEqual(expected);
    expect(await ndjson(`${path}/export?${query}&limit=3&offset=2&`)).toEqual(expected.slice(2, 5));
    expect(await ndjson(`${path}/export?${query}&offset=999999&`)).toEqual([]);
  });
});

it('200: a CSV has the names of the API, and no text that a spreadsheet runs', async () => {
  const { text, headers } = await download('/v1/trends/new/export?limit=2&file_format=csv');
  expect(text).toBe("query,current_rank\r\n'=new 0,2510\r\n'=new 1,2511\r\n");
  expect(headers.get('content-disposition')).toBe('attachment; filename="keyrank-new-terms-monthly-2026-02.csv"');
});

it('200: social-media ranks have a column for each period', async () => {
  const { text } = await download('/v1/trends/social-media-ranks/export?file_format=csv');
  expect(text.split('\r\n')).toEqual([
    'query,start_rank,end_rank,total_improvement,search_rank,01-2026,02-2026',
    'term 1,9,4,5,2504,9,4',
    '',
  ]);
});

it('200: tracked keywords have a column for each month, and are the caller’s own', async () => {
  const { text } = await download('/v1/tracked-keywords/export?file_format=csv');
  const [head, row, ...rest] = text.split('\r\n');
  expect(head?.split(',').slice(0, 11)).toEqual([
    ...['search_term', 'notes', 'is_active', 'latest_period', 'latest_rank', 'previous_rank', 'rank_change'],
    ...['best_rank', 'worst_rank', 'avg_rank', 'total_periods'],
  ]);
  expect(head).toMatch(/,id,01-2026,02-2026$/);
  expect(row).toMatch(/^Term 7,lucky,true,02-2026,2498,8,-2490,8,2498,1253,2,false,latest_rank lt 1000,.*,8,2498$/);
  expect(rest).toEqual(['']);
  const [list] = (await service.request('/v1/tracked-keywords', { key })).json.data;
  expect(await ndjson('/v1/tracked-keywords/export?')).toEqual([list]);
  const stranger = await service.makeKey({ subscription: { plan: 'studio' } });
  const other = await service.request('/v1/tracked-keywords/export?file_format=ndjson', { key: stranger });
  expect([other.status, other.text]).toEqual([200, '']);
});

it('200: a Parquet file has types, and a workbook is one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'keyrank-list-export-'));
  const path = join(directory, 'changes.parquet');
  // Places of another organization, because bytes are not read by `download`.
  const headers = { authorization: `Bearer ${await service.makeKey({ subscription: { plan: 'studio' } })}` };
  const url = (format: string) => `${service.url}/v1/trends/change-by/export?limit=1&threshold=1&file_format=${format}`;
  await writeFile(path, Buffer.from(await (await fetch(url('parquet'), { headers })).arrayBuffer()));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const [row] = (await connection.runAndReadAll(`SELECT * FROM '${path}'`)).getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  await rm(directory, { recursive: true });
  expect(row).toEqual({
    query: 'term 0',
    previous_rank: 1,
    current_rank: 2505,
    change: -2504,
    abs_change: 2504,
    change_percentage: -250_400,
  });
  const workbook = Buffer.from(await (await fetch(url('xlsx'), { headers })).arrayBuffer());
  expect(workbook.subarray(0, 2).toString()).toBe('PK');
});

it('400: refuses what the list refuses, before a place is taken', async () => {
  const { status, json } = await service.request('/v1/trends/change-by/export?compare_to=02-2026', { key });
  expect([status, json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
});

it('429: takes one of the two places of the organization, whatever it is of', async () => {
  const { operator } = service.database;
  await expect.poll(async () => (await operator.query('SELECT FROM export_leases')).rowCount).toBe(0);
  const begin = `SELECT begin_export(id, gen_random_uuid(), 2, interval '1 minute') FROM organizations WHERE name = 'Lists'`;
  for (const _ of [1, 2]) await operator.query(begin);
  for (const path of [
    '/v1/trends/new',
    '/v1/trends/change-by',
    '/v1/trends/social-media-ranks',
    '/v1/tracked-keywords',
  ]) {
    const { status, json } = await service.request(`${path}/export`, { key });
    expect([status, json.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  }
  await operator.query('DELETE FROM export_leases');
  expect((await service.request('/v1/trends/new/export?limit=1', { key })).status).toBe(200);
});

it('403: needs the scope of exports, and tracked keywords their own', async () => {
  const exports = await service.makeKey({ subscription: { plan: 'studio' }, scopes: ['export'] });
  const lists = await service.makeKey({ subscription: { plan: 'studio' }, scopes: ['trends'] });
  expect((await service.request('/v1/trends/new/export', { key: lists })).status).toBe(403);
  expect((await service.request('/v1/tracked-keywords/export', { key: exports })).status).toBe(403);
  expect((await service.request('/v1/trends/new/export', { key: exports })).status).toBe(200);
});
