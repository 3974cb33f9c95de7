// Two servers with a database and an object storage in common, and no disk: each goes on with what the other was sent.
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningService, startService } from '../../src/boot.ts';
import { openImportRows } from '../../src/postgres/report-imports.ts';
import { openStorage } from '../../src/storage/object-store.ts';
import { StoredUploads } from '../../src/uploads/stored-uploads.ts';
import { UploadFolder } from '../../src/uploads/upload-folder.ts';
import { type ObjectStorage, openObjectStorage } from '../support/object-storage.ts';
import {
  COMPILED,
  programFor,
  sendRequest,
  startTestService,
  type TestService,
  testConfig,
} from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

// Imports run at low priority, so on a busy machine they take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const PATIENCE = { timeout: 200_000 };

const ROWS = Array.from({ length: 2_000 }, (_, i) => `weekly,20-2026,term ${i},${i + 1}\n`).join('');
const REPORT = `period_type,period,search_term,rank\n${ROWS}weekly,20-2026,broken,none\n`;

let storage: ObjectStorage;
let first: TestService;
let second: RunningService;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let key: string;
let urls: readonly [string, string];

beforeAll(async () => {
  storage = await openObjectStorage();
  directory = await openTemporaryDirectory();
  const settings = storage.settings('shared');
  first = await startTestService(settings);
  key = await first.makeKey({ isOperator: true });
  const config = testConfig(first.database, { ...settings, KEYRANK_DATA_DIR: join(directory.path, 'second') });
  second = await startService(config, { ...COMPILED, program: programFor(first.database, config, settings) });
  urls = [first.url, second.url];
});
afterAll(async () => {
  await second[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

const ask = (server: 0 | 1, path: string, method = 'GET', body?: object) =>
  sendRequest(`${urls[server]}/v1/imports${path}`, { method, key, ...(body && { body: JSON.stringify(body) }) });

const send = (server: 0 | 1, id: string, [from, to]: readonly [number, number]) =>
  sendRequest(`${urls[server]}/v1/imports/${id}/content`, {
    ...{ method: 'PATCH', key, headers: { 'upload-offset': String(from) } },
    body: REPORT.slice(from, to),
  });

async function begin(): Promise<string> {
  const { json } = await ask(0, '', 'POST', { file_name: 'US_ranks.csv', size_bytes: REPORT.length });
  return json.data.id;
}

async function untilState(id: string, state: string) {
  const read = async () => (await ask(1, `/${id}`)).json.data;
  await expect.poll(async () => (await read()).state, PATIENCE).toMatch(/^(checked|done|undone|failed|cancelled)$/);
  const data = await read();
  expect({ state: data.state, fault: data.fault }).toEqual({ state, fault: null });
  return data;
}

async function listObjects(): Promise<readonly string[]> {
  return (await stored().list(['uploads/', 'rejects/'])).map(({ name }) => name);
}

const configOfFirst = () =>
  testConfig(first.database, { ...storage.settings('shared'), KEYRANK_DATA_DIR: first.dataDirectory });
const stored = () => openStorage(configOfFirst());

describe('a file that is sent to two servers in turn', () => {
  it('is put together by either, checked, published, and gives its rejects on both', async () => {
    const id = await begin();
    for (const [server, part] of [
      [0, [0, 10_000]],
      [1, [10_000, 10_001]],
      [0, [10_001, 40_000]],
      [1, [40_000, REPORT.length]],
    ] as const) {
      const { status, json } = await send(server, id, part);
      expect([status, json.data.uploaded_bytes]).toEqual([200, part[1]]);
    }
    const checked = await untilState(id, 'checked');
    expect(checked.report).toMatchObject({ rows: 2_001, rejected_rows: 1, has_rejects_file: true });
    expect(checked.report).not.toHaveProperty('stored_rejects');
    for (const server of [0, 1] as const) {
      const { status, text } = await ask(server, `/${id}/rejects`);
      expect([status, text]).toEqual([200, 'line,reason,search_term,detail\n2002,rank,broken,none\n']);
    }
    // Nothing is left of the parts on either disk; the whole file is where it was checked.
    const left = [first.dataDirectory, join(directory.path, 'second')].map((data) => join(data, 'uploads', id));
    const names = await Promise.all(left.map((path) => readdir(path).catch(() => [])));
    expect(names.flat()).toEqual(['US_ranks.csv']);
    const roots = await Promise.all(left.map((path) => readdir(dirname(path))));
    expect(new Set(roots.flat())).toEqual(new Set([id, 'place']));
    expect((await listObjects()).filter((name) => name.startsWith(`uploads/${id}/`))).toHaveLength(4);

    expect((await ask(1, `/${id}/publish`, 'POST')).status).toBe(200);
    expect((await untilState(id, 'done')).report.periods).toMatchObject([{ status: 'published', keywords: 2_000 }]);
    await expect
      .poll(async () => (await listObjects()).map((name) => name.split('/')[0]), PATIENCE)
      .not.toContain('uploads');
    expect((await ask(0, `/${id}/rejects`)).status).toBe(200);
    await ask(0, `/${id}/undo`, 'POST');
    await untilState(id, 'undone');
  });

  it('is refused for now while the storage takes nothing, and what was taken before stays', async () => {
    const id = await begin();
    expect((await send(0, id, [0, 5_000])).status).toBe(200);
    storage.trouble = ({ method }) =>
      method === 'PUT' ? { kind: 'status', status: 403, code: 'AccessDenied' } : undefined;
    const refused = await send(1, id, [5_000, 9_000]);
    expect([refused.status, refused.json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.text).not.toContain('AccessDenied');
    expect(refused.headers.get('retry-after')).toBe('5');
    storage.trouble = undefined;
    expect((await send(1, id, [5_000, 9_000])).json.data.uploaded_bytes).toBe(9_000);
    await ask(0, `/${id}`, 'DELETE');
    expect((await listObjects()).filter((name) => name.includes(id))).toEqual([]);
  });

  it('is taken up by the other when the server that took it is gone for good, disk and all', async () => {
    const third = await openTemporaryDirectory();
    const settings = storage.settings('shared');
    const config = testConfig(first.database, { ...settings, KEYRANK_DATA_DIR: join(third.path, 'data') });
    const gone = await startService(config, { ...COMPILED, program: programFor(first.database, config, settings) });
    const id = await begin();
    const sent = await sendRequest(`${gone.url}/v1/imports/${id}/content`, {
      ...{ method: 'PATCH', key, headers: { 'upload-offset': '0' } },
      body: REPORT.slice(0, 30_000),
    });
    expect(sent.status).toBe(200);
    await gone[Symbol.asyncDispose]();
    await third[Symbol.asyncDispose]();
    await send(1, id, [30_000, REPORT.length]);
    await untilState(id, 'checked');
    await ask(1, `/${id}`, 'DELETE');
  });

  it('leaves nothing in the storage for good', async () => {
    const { dataDirectory } = first;
    const rows = openImportRows(first.database.operator);
    const folder = await UploadFolder.open(join(dataDirectory, 'uploads'));
    const uploads = new StoredUploads({
      ...{ folder, dataDirectory, store: stored(), listParts: rows.listParts },
      onError: (error) => {
        throw error;
      },
    });
    const id = await begin();
    await send(0, id, [0, 1_000]);
    const kept = {
      kept: () => rows.listKept(uploads.place.id),
      withRejects: () => rows.listWithRejects(uploads.place.id),
    };
    await uploads.sweep(kept);
    expect((await listObjects()).filter((name) => name.includes(id))).toHaveLength(1);
    await first.database.operator.query(`UPDATE imports SET updated_at = now() - interval '31 days'`);
    await rows.expire(86_400_000);
    await rows.forgetRejects(uploads.place.id, 30 * 86_400_000);
    await uploads.sweep(kept);
    expect(await listObjects()).toEqual([]);
    expect((await first.database.operator.query('SELECT FROM import_parts')).rowCount).toBe(0);
  });
});
