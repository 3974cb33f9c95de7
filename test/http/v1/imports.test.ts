import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UserId } from '../../../src/domain/account.ts';
import type { NewImport } from '../../../src/domain/report-import.ts';
import { ENDPOINTS } from '../../../src/http/routes.ts';
import { openImportRows } from '../../../src/postgres/report-imports.ts';
import { ReportUploads } from '../../../src/uploads/report-uploads.ts';
import { UploadFolder } from '../../../src/uploads/upload-folder.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { KNOWN_REPORT } from '../../support/valid-request.ts';

// Imports run at low priority, so on a busy machine they take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const PATIENCE = { timeout: 200_000 };

const HEADER = 'period_type,period,search_term,rank\n';
const weekly = (week: number, terms: readonly string[]) =>
  HEADER + terms.map((term, i) => `weekly,${week}-2026,${term},${i + 1}\n`).join('');

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ isOperator: true });
});
afterAll(() => service[Symbol.asyncDispose]());

type Row = Record<string, unknown>;

async function ask(path: string, method = 'GET', body?: object) {
  return await service.request(`/v1/imports${path}`, { method, key, ...(body && { body: JSON.stringify(body) }) });
}

async function create(text: string | Uint8Array, given: Row = {}): Promise<string> {
  const answer = await ask('', 'POST', { file_name: 'ranks.csv', size_bytes: Buffer.byteLength(text), ...given });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data.id;
}

async function send(
  id: string,
  offset: number | string,
  bytes: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  return await service.request(`/v1/imports/${id}/content`, {
    method: 'PATCH',
    key,
    headers: { 'upload-offset': String(offset), ...headers },
    body: bytes,
  });
}

/** Waits until the worker has done what it was asked for. */
async function untilRested(id: string) {
  let data: Record<string, never> & Row = {};
  await expect
    .poll(async () => {
      ({ data } = (await ask(`/${id}`)).json);
      return data.state;
    }, PATIENCE)
    .toMatch(/^(checked|done|undone|failed|cancelled)$/);
  return data as unknown as {
    readonly state: string;
    readonly report: { readonly periods: readonly Row[]; readonly rejects: readonly Row[] } & Row;
    readonly fault: { readonly message: string; readonly hint: string } | null;
  };
}

async function sendWhole(text: string, given: Row = {}): Promise<string> {
  const id = await create(text, given);
  expect((await send(id, 0, text)).status).toBe(200);
  return id;
}

async function published(): Promise<readonly string[]> {
  const { json } = await service.request('/v1/periods?type=weekly', { key });
  return json.data.map((each: Row) => `${each.period} r${each.revision} ${each.keywords}`);
}

const checksum = (bytes: string) => `sha256 ${createHash('sha256').update(bytes).digest('base64')}`;

describe('an import', () => {
  it('is sent in parts, checked, published, listed with its rejects, replaced by another, and each is undone', async () => {
    const bad = weekly(28, ['kettle', 'toaster', '=cmd()|x']).replace(
      'weekly,28-2026,=cmd()|x,3',
      'weekly,28-2026,=cmd()|x,none',
    );
    const id = await create(bad, { max_rejects: 50, fingerprint: 'mine', marketplace: 'gb' });
    const made = await ask(`/${id}`);
    expect(made.json.data).toMatchObject({
      state: 'uploading',
      uploaded_bytes: 0,
      marketplace: 'UK',
      source: 'search',
      report: null,
    });
    const first = bad.slice(0, 40);
    const damaged = await send(id, 0, first, { 'upload-checksum': checksum(`${first}?`) });
    expect([damaged.status, damaged.json.error.code]).toEqual([400, 'BAD_REQUEST']);
    const sent = await send(id, 0, first, { 'upload-checksum': checksum(first) });
    expect([sent.status, sent.headers.get('upload-offset'), sent.json.data.uploaded_bytes]).toEqual([200, '40', 40]);
    // Overlapping, with a gap, from the start again: nothing changes.
    for (const offset of [0, 39, 41]) {
      const wrong = await send(id, offset, bad.slice(offset));
      expect([wrong.status, wrong.json.error.hint]).toEqual([409, 'Go on with Upload-Offset: 40.']);
    }
    expect((await ask(`/${id}/publish`, 'POST')).status).toBe(409);
    expect((await send(id, 40, bad.slice(40))).json.data).toMatchObject({ uploaded_bytes: bad.length });
    expect((await send(id, bad.length, 'more')).json.error.message).toContain('takes no parts');

    const checked = await untilRested(id);
    expect(checked).toMatchObject({
      state: 'checked',
      fault: null,
      report: {
        rows: 3,
        rejected_rows: 1,
        has_rejects_file: true,
        first_rows: [
          { rank: 1, search_term: 'kettle' },
          { rank: 2, search_term: 'toaster' },
        ],
        rejects: [{ reason: 'rank', rows: 1, first_line: 4, first_search_term: '=cmd()|x' }],
        period_count: 1,
        periods: [
          {
            marketplace: 'UK',
            type: 'weekly',
            period: '28-2026',
            status: 'checked',
            revision: 1,
            keywords: 2,
            replaces: null,
          },
        ],
      },
    });
    expect(checked.report.format).toMatch(/plain/i);
    const rejects = await ask(`/${id}/rejects`);
    expect(rejects.headers.get('content-disposition')).toBe('attachment; filename="ranks-rejects.csv"');
    expect(rejects.text).toBe(`line,reason,search_term,detail\n4,rank,"'=cmd()|x",none\n`);

    expect((await ask(`/${id}/publish`, 'POST')).json.data.state).toBe('approved');
    expect((await ask(`/${id}/publish`, 'POST')).status).toBe(409);
    expect(await untilRested(id)).toMatchObject({
      state: 'done',
      report: { periods: [{ status: 'published', revision: 1, new_terms: 2 }] },
    });
    await expect.poll(() => readdir(join(service.dataDirectory, 'uploads')), PATIENCE).not.toContain(id);

    // The second replaces the first, and says so before it does.
    const next = await sendWhole(weekly(28, ['kettle', 'toaster', 'mixer']), {
      marketplace: 'UK',
      publish_when_clean: true,
    });
    expect((await untilRested(next)).report.periods).toMatchObject([
      { status: 'checked', revision: 2, keywords: 3, replaces: { revision: 1, keywords: 2, source_file: 'ranks.csv' } },
    ]);
    await ask(`/${next}/publish`, 'POST');
    expect((await untilRested(next)).state).toBe('done');
    // The first is not the newest any more.
    await ask(`/${id}/undo`, 'POST');
    expect(await untilRested(id)).toMatchObject({
      state: 'done',
      fault: { message: expect.stringContaining('no more at revision 1') },
    });
    await ask(`/${next}/undo`, 'POST');
    expect(await untilRested(next)).toMatchObject({ state: 'undone', report: { periods: [{ status: 'undone' }] } });
    const { rows } = await service.database.operator.query('SELECT revision, keywords FROM rank_periods');
    expect(rows).toEqual([{ revision: 3, keywords: 2 }]);
    const { json } = await ask('?limit=1');
    expect(json).toMatchObject({ data: [{ id: next, state: 'undone' }], pagination: { total_count: 2 } });
    const audit = await service.database.operator.query(
      `SELECT action, o.name AS organization FROM audit_log JOIN organizations o ON o.id = organization_id
       WHERE action LIKE 'import.%' ORDER BY occurred_at`,
    );
    // Of the organization in which the operator works, so that its admins see it.
    const { organization } = (await service.request('/v1/account', { key })).json.data;
    const actions = ['import.publish', 'import.publish', 'import.undo', 'import.undo'];
    expect(audit.rows).toEqual(actions.map((action) => ({ action, organization: organization.name })));
  });

  it('publishes by itself what is clean, compressed too, and undoes it by withdrawing', async () => {
    const packed = gzipSync(weekly(30, ['kettle', 'lamp']));
    const id = await create(packed, {
      file_name: 'ranks.csv.gz',
      publish_when_clean: true,
      sha256: createHash('sha256').update(packed).digest('hex'),
    });
    await send(id, 0, new Uint8Array(packed));
    await expect.poll(async () => (await ask(`/${id}`)).json.data.state, PATIENCE).toBe('done');
    await expect.poll(published, PATIENCE).toContain('30-2026 r1 2');
    await ask(`/${id}/undo`, 'POST');
    expect((await untilRested(id)).state).toBe('undone');
    await expect.poll(published, PATIENCE).toEqual([]);
  });

  it('says what is wrong with a file, takes other choices, and is checked again', async () => {
    const id = await sendWhole(weekly(31, ['kettle', 'lamp']).replace(',2\n', ',x\n'));
    const failed = await untilRested(id);
    expect(failed).toMatchObject({
      state: 'failed',
      fault: {
        line: 3,
        message: '50 % of the rows cannot be read, more than the 1 % allowed.',
        hint: 'See the rejects, or allow more with max_rejects.',
      },
      report: { rejected_rows: 1, has_rejects_file: true },
    });
    expect(JSON.stringify(failed)).not.toContain(service.dataDirectory);
    expect((await ask(`/${id}`, 'PATCH', { max_rejects: 60, source: 'social' })).json.data).toMatchObject({
      state: 'uploaded',
      fault: null,
      max_rejects: 60,
    });
    expect(await untilRested(id)).toMatchObject({ state: 'checked', report: { periods: [{ source: 'social' }] } });
    expect((await ask(`/${id}`, 'DELETE')).json.data.state).toBe('cancelled');
    expect(await readdir(join(service.dataDirectory, 'uploads'))).not.toContain(id);
    for (const [path, method] of [
      ['', 'DELETE'],
      ['/publish', 'POST'],
      ['/undo', 'POST'],
    ] as const) {
      expect((await ask(`/${id}${path}`, method)).status).toBe(409);
    }
  });

  it('fails in plain words for files that are no reports', async () => {
    const bomb = gzipSync(Buffer.alloc(120_000_000, ' '));
    const files: Record<string, Uint8Array<ArrayBuffer>> = {
      'nothing.csv': new Uint8Array(5000),
      'noise.csv.gz': new Uint8Array(Buffer.concat([gzipSync('a,b\n'), Buffer.from('noise')])),
      'bomb.csv.gz': new Uint8Array(bomb),
      'prototype.json': new Uint8Array(
        Buffer.from('{"__proto__": {"reportSpecification": 1}, "dataByDepartmentAndSearchTerm": ['),
      ),
    };
    for (const [name, bytes] of Object.entries(files)) {
      const id = await create(bytes, { file_name: name });
      await send(id, 0, bytes);
      const { state, fault } = await untilRested(id);
      expect([name, state, fault?.message]).toEqual([name, 'failed', expect.stringMatching(/^[A-Z].*\.$/)]);
      await ask(`/${id}`, 'DELETE');
    }
  });

  it('is thrown away when it does not have the checksum that was promised', async () => {
    const id = await sendWhole(weekly(32, ['kettle']), { sha256: '0'.repeat(64) });
    expect(await untilRested(id)).toMatchObject({
      state: 'cancelled',
      fault: { message: expect.stringContaining('has the SHA-256') },
    });
  });
});

describe('400, 404, 413: what is refused', () => {
  it('file names that are paths, and everything else that breaks a rule', async () => {
    const refused: Row[] = [
      ...[
        '../up.csv',
        '/etc/passwd',
        'a\\b.csv',
        '..',
        '.hidden',
        'a\nb.csv',
        'x'.repeat(201),
        '',
        ' ',
        '\u202Efdp.csv',
      ].map((name) => ({ file_name: name })),
      ...[0, -1, 1.5, '7', null].map((size) => ({ size_bytes: size })),
      ...[{ sha256: 'ABC' }, { max_rejects: 101 }, { marketplace: 'USA' }, { type: 'daily' }, { source: 'x' }],
      ...[{ period: '28-2026' }, { type: 'monthly', period: '28-2026' }, { period: '1-2026' }, { owner: 'me' }],
    ];
    for (const each of refused) {
      const answer = await ask('', 'POST', { file_name: 'ranks.csv', size_bytes: 10, ...each });
      expect([answer.status, answer.json.error.code], JSON.stringify(each)).toEqual([400, 'INVALID_PARAMETERS']);
    }
    const large = await ask('', 'POST', { file_name: 'ranks.csv', size_bytes: 20_000_000_000 });
    expect([large.status, large.json.error.message]).toEqual([
      413,
      'The file has 20,000 MB, and at most 10,000 MB are taken.',
    ]);
  });

  it('parts without a place, too long, empty, of no import, or for another server', async () => {
    const id = await create('0123456789');
    for (const offset of ['', '-1', '0x1', '1e3', '99999999999999999999', 'NaN']) {
      expect((await send(id, offset, 'abc')).json.error.message).toContain("'Upload-Offset'");
    }
    expect((await send(id, 0, 'abc', { 'upload-checksum': 'md5 abc' })).json.error.message).toContain(
      "'Upload-Checksum'",
    );
    expect((await send(id, 0, '0123456789x')).status).toBe(413);
    expect((await send(id, 0, '')).json.error.message).toBe('The part is empty.');
    expect((await send('5f0c7c1e-6d5b-4a55-9d5e-0f6a3f1f8a11', 0, 'abc')).status).toBe(404);
    expect((await ask('/5f0c7c1e-6d5b-4a55-9d5e-0f6a3f1f8a11/rejects')).status).toBe(404);
    expect((await ask(`/${id}/rejects`)).status).toBe(404);
    await service.database.operator.query('UPDATE imports SET place = gen_random_uuid(), host = $2 WHERE id = $1', [
      id,
      'node-b',
    ]);
    const elsewhere = await send(id, 0, 'abc');
    expect([elsewhere.status, elsewhere.json.error.message]).toEqual([
      409,
      'The file of this import lies on another server (node-b).',
    ]);
    expect((await ask(`/${id}`)).json.data.uploaded_bytes).toBe(0);
    await ask(`/${id}`, 'DELETE');
  });

  it('whoever is no operator, whatever their key may do, and operators whose key lacks the scope', async () => {
    const id = await create('0123456789');
    const owner = await service.makeKey();
    const withoutScope = await service.makeKey({ isOperator: true, scopes: ['search', 'operator'] });
    for (const endpoint of ENDPOINTS.filter(({ path }) => path.startsWith('/v1/imports'))) {
      for (const other of [owner, withoutScope]) {
        const answer = await service.request(endpoint.path.replace('{id}', id), {
          method: endpoint.method,
          key: other,
          headers: { 'upload-offset': '0' },
          ...(endpoint.method !== 'GET' && { body: '{}' }),
        });
        expect([answer.status, answer.json.error.code], endpoint.operationId).toEqual([403, 'FORBIDDEN']);
      }
    }
    expect((await ask(`/${id}`)).json.data).toMatchObject({ state: 'uploading', uploaded_bytes: 0 });
    await ask(`/${id}`, 'DELETE');
  });
});

describe('senders that disturb each other', () => {
  it('one that sends slowly keeps others out until it leaves, and what it sent is written over', async () => {
    const text = weekly(33, ['kettle', 'lamp']);
    const id = await create(text);
    const slow = httpRequest(`${service.url}/v1/imports/${id}/content`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'upload-offset': '0', 'content-length': String(text.length) },
    });
    slow.on('error', () => {});
    slow.write('x'.repeat(30));
    const isHeld = 'SELECT FROM imports WHERE id = $1 AND lease IS NOT NULL';
    await expect.poll(async () => (await service.database.operator.query(isHeld, [id])).rowCount, PATIENCE).toBe(1);
    expect((await send(id, 0, text.slice(0, 10))).json.error.message).toBe('Another part of this file is on its way.');
    slow.destroy();
    await expect.poll(async () => (await send(id, 0, text)).status, PATIENCE).toBe(200);
    expect(await untilRested(id)).toMatchObject({ state: 'checked', report: { rows: 2 } });
    await ask(`/${id}`, 'DELETE');
  });

  it('of two that send the same part at once one is let in', async () => {
    const text = 'x'.repeat(2_000_000);
    const id = await create(`${text}y`);
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(id, 0, text)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await ask(`/${id}`)).json.data.uploaded_bytes).toBe(text.length);
    await ask(`/${id}`, 'DELETE');
  });

  it('twenty uploads at most are open, and the files of all together are bounded', async () => {
    const make = (size: number) => ask('', 'POST', { file_name: 'ranks.csv', size_bytes: size });
    const sizes = await Promise.all(Array.from({ length: 4 }, () => make(9_000_000_000)));
    expect(sizes.filter(({ status }) => status === 409).length).toBeGreaterThanOrEqual(1);
    for (const { status, json } of sizes) if (status === 201) await ask(`/${json.data.id}`, 'DELETE');
    const made = await Promise.all(Array.from({ length: 40 }, () => make(10)));
    const ids = made.flatMap(({ status, json }) => (status === 201 ? [json.data.id] : []));
    expect(ids).toHaveLength(20);
    expect(made.find(({ status }) => status === 409)?.json.error.message).toBe(
      'There are 20 imports that are not over, and no more are taken.',
    );
    for (const id of ids) await ask(`/${id}`, 'DELETE');
  });
});

describe('files on disk', () => {
  it('are refused while the disk is full, removed when nobody goes on with them, and forgotten in the end', async () => {
    const { operator } = service.database;
    const rows = openImportRows(operator);
    const userId = (await operator.query<{ id: UserId }>('SELECT id FROM users LIMIT 1')).rows[0]?.id as UserId;
    const directory = join(service.dataDirectory, 'other-uploads');
    const folder = await UploadFolder.open(directory);
    expect((await UploadFolder.open(directory)).place.id).toBe(folder.place.id);
    const limits = { fileBytes: 1000, totalBytes: 1e15, freeBytes: 0 };
    const uploads = (freeBytes: number) =>
      new ReportUploads({
        rows,
        files: folder,
        limits: { ...limits, freeBytes },
        dataDirectory: directory,
        onWork: () => {},
      });
    const given: NewImport = {
      ...{
        fileName: 'ranks.csv',
        sizeBytes: 5,
        sha256: null,
        fingerprint: null,
        marketplace: null,
        frequency: null,
        period: null,
      },
      ...{ source: 'search', maxRejects: 1, replacesSmaller: false, publishesWhenClean: false },
    };
    const made = await uploads(0).create(given, userId);
    const part = () => ({
      offset: 0,
      sha256: undefined,
      declaredBytes: 2,
      bytes: (async function* () {
        yield Buffer.from('ab');
      })(),
    });
    await expect(uploads(1e18).create(given, userId)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(uploads(1e18).receive(made, part())).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 60,
    });
    await uploads(0).receive(made, part());
    await mkdir(join(directory, '5f0c7c1e-6d5b-4a55-9d5e-0f6a3f1f8a11'));
    await writeFile(join(directory, 'not-ours'), '');
    await folder.sweep({ kept: () => rows.listKept(folder.place.id), withRejects: async () => new Set() });
    expect((await readdir(directory)).sort()).toEqual([made.id, 'not-ours', 'place'].sort());
    await service.database.operator.query(`UPDATE imports SET updated_at = now() - interval '2 days' WHERE id = $1`, [
      made.id,
    ]);
    await rows.expire(86_400_000);
    await folder.sweep({ kept: () => rows.listKept(folder.place.id), withRejects: async () => new Set() });
    expect((await readdir(directory)).sort()).toEqual(['not-ours', 'place']);
    expect((await rows.find(made.id))?.fault?.message).toContain('nobody went on');
  });

  it('are worked on again when the process that did it died, and given up after three', async () => {
    const id = await sendWhole(KNOWN_REPORT.text, { file_name: KNOWN_REPORT.name });
    await untilRested(id);
    const { operator } = service.database;
    const die = (lost: number) =>
      operator.query(
        `UPDATE imports SET state = 'checking', lease = gen_random_uuid(), leased_until = now() - interval '1 second', lost = $2 WHERE id = $1`,
        [id, lost],
      );
    await die(0);
    await expect.poll(async () => (await ask(`/${id}`)).json.data.state, PATIENCE).toBe('checked');
    await die(2);
    await expect.poll(async () => (await ask(`/${id}`)).json.data.fault?.message, PATIENCE).toContain('ended 3 times');
  });
});
