// A service whose files lie in a bucket: what is published, seen by a second server with an empty directory of its own, while the
// storage is in trouble, and after files there were damaged, backed up, restored and moved.
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningService, startService } from '../../src/boot.ts';
import { objectOf } from '../../src/domain/file-store.ts';
import { sweepLeftovers } from '../../src/ingest/publish/file-publisher.ts';
import { listStoredFiles, type Manifest } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { openStorage } from '../../src/storage/object-store.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import {
  ACCESS_KEY_ID,
  type ObjectStorage,
  openObjectStorage,
  SECRET_ACCESS_KEY,
  type StorageTrouble,
} from '../support/object-storage.ts';
import { runKeyrank, startKeyrank } from '../support/process.ts';
import { COMPILED, sendRequest, startTestService, type TestService, testConfig } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const SEARCH = '/v1/search/keywords?query=shoes&include=insights';
const NO_DAYS = { KEYRANK_REVISION_DAYS: '0' };
/** Commands are processes, which take their time on a busy machine. */
vi.setConfig({ testTimeout: 300_000 });

let storage: ObjectStorage;
let service: TestService;
let second: RunningService;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let key: string;

beforeAll(async () => {
  storage = await openObjectStorage();
  directory = await openTemporaryDirectory();
  service = await startTestService(storage.settings('first'));
  key = await service.makeKey();
  await service.publish('US_ranks.csv', report('01'));
  await service.publish('US_ranks.csv', report('02'));
  second = await startService(
    testConfig(service.database, settings({ KEYRANK_DATA_DIR: join(directory.path, 'second') })),
    COMPILED,
  );
});
afterAll(async () => {
  await second?.[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

function report(month: string, terms = 40): string {
  const lines = Array.from({ length: terms }, (_, n) => `monthly,${month}-2026,shoes ${n} of ${n % 7},${n + 1}`);
  return ['period_type,period,search_term,rank', ...lines, ''].join('\n');
}

function settings(
  more: Record<string, string> = {},
  database: TestDatabase = service.database,
): Record<string, string> {
  return {
    DATABASE_URL: database.url.href,
    KEYRANK_DATA_DIR: service.dataDirectory,
    ...storage.settings('first'),
    ...more,
  };
}

async function manifest(): Promise<Manifest> {
  return await loadManifest(service.database.operator);
}

/** What lies in the bucket, below a prefix. */
async function objects(prefix = 'first'): Promise<readonly string[]> {
  const store = openStorage(testConfig(service.database, storage.settings(prefix)));
  return (await store.list()).map(({ name }) => name).toSorted();
}

async function dataOf(url: string): Promise<unknown> {
  const { status, json } = await sendRequest(url + SEARCH, { key });
  return status === 200 ? json.data : { status, json };
}

/** A command in a process of its own, of which no output may tell a key. */
async function keyrank(args: readonly string[], given = settings()) {
  const result = await runKeyrank(args, given);
  expect(result.stdout + result.stderr).not.toContain(SECRET_ACCESS_KEY);
  expect(result.stdout + result.stderr).not.toContain(ACCESS_KEY_ID);
  return result;
}

async function importReport(month: string, terms?: number, given = settings()) {
  const path = join(directory.path, 'US_ranks.csv');
  await writeFile(path, report(month, terms));
  return await keyrank(['import', '--urgent', path, '--json'], given);
}

async function bothServe(version: number): Promise<void> {
  await expect
    .poll(() => [service.running.dataVersion, second.dataVersion], { timeout: 120_000 })
    .toEqual([version, version]);
}

describe('files in a bucket', () => {
  it('are what the manifest names and nothing else, each content once', async () => {
    const { storage: location, ...published } = await manifest();
    expect(location).toBe('s3://ranks/first');
    const files = listStoredFiles({ ...published, storage: location });
    // The second server has swept as it started.
    await expect.poll(() => objects(), { timeout: 120_000 }).toEqual([...new Set(files.map(objectOf))].toSorted());
    const shared = files.filter(({ path, object }) => object !== undefined && object !== path);
    expect(shared.length).toBeGreaterThan(5);
  });

  it('are served by a server with a directory of its own, which keeps of them what it needs', async () => {
    expect(await dataOf(second.url)).toEqual(await dataOf(service.url));
    expect(await dataOf(service.url)).toHaveLength(40);
    const kept = await readdir(join(directory.path, 'second'), { recursive: true });
    expect(kept.some((name) => name.endsWith('snapshot.json'))).toBe(true);
    expect(kept.some((name) => name.endsWith('.parquet') || name.endsWith('.part'))).toBe(false);
  });

  it('are verified where they lie', async () => {
    const { code, stdout } = await keyrank(['verify', '--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, faults: [] });
  });

  it('belong to one database, and settings that lead elsewhere are refused', async () => {
    const local = await keyrank(
      ['import', '--urgent', join(directory.path, 'US_ranks.csv')],
      settings({ KEYRANK_STORAGE: '' }),
    );
    expect(local.stderr).toContain('lies in s3://ranks/first, and KEYRANK_STORAGE says nothing');
    const served = startService(testConfig(service.database, { KEYRANK_DATA_DIR: service.dataDirectory }), COMPILED);
    await expect(served).rejects.toThrow('lies in s3://ranks/first');
    await using other = await makeDatabase();
    const foreign = await importReport(
      '03',
      40,
      settings({ KEYRANK_DATA_DIR: join(directory.path, 'foreign') }, other),
    );
    expect(foreign.stderr + foreign.stdout).toContain(
      's3://ranks/first holds rank data that this database does not know',
    );
    const unsigned = await keyrank(['verify'], { ...settings(), KEYRANK_STORAGE_SECRET_ACCESS_KEY: '' });
    expect(unsigned.stderr).toContain('There are no keys for s3://ranks/first.');
  });
});

describe('a storage in trouble', () => {
  it.each([
    ['403', { kind: 'status', status: 403, code: 'AccessDenied' }],
    ['cut', { kind: 'cut' }],
    ['wrong bytes', { kind: 'wrong-body' }],
  ] as const)('%s: publishes nothing of an import, and both servers go on serving', async (_name, trouble) => {
    const before = await manifest();
    storage.trouble = ({ method }) => (method === 'PUT' ? (trouble as StorageTrouble) : undefined);
    const { code, stderr } = await importReport('03');
    storage.trouble = undefined;
    expect({ code, isSaid: /object storage (answered|gave)/.test(stderr) }).toEqual({ code: 1, isSaid: true });
    expect(await manifest()).toEqual(before);
    for (const { url } of [service, second]) expect(await dataOf(url)).toHaveLength(40);
  });

  it('that comes while a publication is fetched: the older state is served until it is over', async () => {
    storage.trouble = ({ method, path }) =>
      method === 'GET' && path.includes('/snapshots/') ? { kind: 'status', status: 503, code: 'SlowDown' } : undefined;
    expect((await importReport('03', 50)).code).toBe(0);
    const { version } = await manifest();
    await expect.poll(() => service.running.dataVersion, { timeout: 120_000 }).toBe(version);
    expect(second.dataVersion).toBeLessThan(version);
    expect(await dataOf(second.url)).toHaveLength(40);
    storage.trouble = undefined;
    await bothServe(version);
    expect(await dataOf(second.url)).toEqual(await dataOf(service.url));
  });

  it('which is killed in the middle leaves nothing to be seen, and the next import sweeps', async () => {
    const before = await manifest();
    for (const nth of [2, 20]) {
      const path = join(directory.path, 'US_ranks.csv');
      await writeFile(path, report('04', 60 + nth));
      let puts = 0;
      const child = startKeyrank(['import', '--urgent', path], settings());
      storage.trouble = ({ method }) => {
        if (method === 'PUT') puts += 1;
        if (puts === nth) child.kill('SIGKILL');
        return undefined;
      };
      await new Promise((resolve) => child.once('close', resolve));
      storage.trouble = undefined;
      expect(await manifest()).toEqual(before);
      expect((await objects()).length).toBeGreaterThan(new Set(listStoredFiles(before).map(objectOf)).size);
    }
    expect((await importReport('04', 60)).code).toBe(0);
    const after = await manifest();
    // Of the publication before, which servers may still be fetching, the files go with the next one.
    const known = new Set([...listStoredFiles(before), ...listStoredFiles(after)].map(objectOf));
    expect((await objects()).filter((name) => !known.has(name))).toEqual([]);
    await bothServe(after.version);
  });
});

describe('what an operator does', () => {
  it('withdraws a period and restores it, over the bucket', async () => {
    for (const words of [
      ['withdraw', '04-2026'],
      ['restore-revision', '04-2026'],
    ]) {
      expect(await keyrank(['periods', ...words, '--type', 'monthly', '--yes'])).toMatchObject({ code: 0 });
      await bothServe((await manifest()).version);
      expect(await dataOf(second.url)).toEqual(await dataOf(service.url));
    }
  });

  it('mends what was lost and damaged there', async () => {
    const { periods, snapshots } = await manifest();
    const segment = periods.at(-1)?.segment.path ?? '';
    const objectPath = (name: string) => join(storage.directory, 'first', `${name}._S3rver_object`);
    await rm(objectPath(segment));
    const columns = snapshots[0]?.files.filter(({ sizeBytes }) => sizeBytes > 0) ?? [];
    await truncate(objectPath(objectOf(columns[3] ?? columns[0] ?? { path: '', sizeBytes: 0, sha256: '' })), 1);
    const found = await keyrank(['verify']);
    expect(found).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${segment} is not in the object storage`),
    });
    expect(found.stdout).toMatch(/has 1 bytes instead of/);
    expect((await importReport('04', 60)).code).toBe(0);
    expect(await keyrank(['verify'])).toMatchObject({ code: 0 });
  });

  it('backs up and restores, from one prefix to another', async () => {
    const backup = join(directory.path, 'backup');
    expect(
      await keyrank(['backup', backup], settings({ KEYRANK_DATA_DIR: join(directory.path, 'empty') })),
    ).toMatchObject({ code: 0 });
    await using database = await makeDatabase();
    const there = settings(
      { ...storage.settings('restored'), KEYRANK_DATA_DIR: join(directory.path, 'restored') },
      database,
    );
    expect(await keyrank(['restore', backup], there)).toMatchObject({ code: 0, stderr: '' });
    expect(await keyrank(['verify'], there)).toMatchObject({ code: 0 });
    await rm(join(directory.path, 'restored'), { recursive: true });
    await using running = await startService(testConfig(database, there), COMPILED);
    expect(await dataOf(running.url)).toEqual(await dataOf(service.url));
  });

  it('moves everything to the directory and back, as often as asked', async () => {
    const local = join(directory.path, 'moved');
    const here = settings({ KEYRANK_DATA_DIR: local });
    const plan = await keyrank(['storage', 'move', '--to', 'local', '--dry-run', '--json'], here);
    expect(JSON.parse(plan.stdout)).toMatchObject({ from: 's3://ranks/first', to: null, moved: false });
    expect((await manifest()).storage).toBe('s3://ranks/first');
    expect(await keyrank(['storage', 'move', '--to', 'local'], here)).toMatchObject({ code: 0 });
    const alone = { ...here, KEYRANK_STORAGE: '' };
    expect(await keyrank(['verify'], alone)).toMatchObject({ code: 0 });
    await using running = await startService(testConfig(service.database, alone), COMPILED);
    expect(await dataOf(running.url)).toEqual(await dataOf(service.url));

    const back = ['storage', 'move', '--to', 's3://ranks/back', '--json'];
    const moves = [await keyrank(back, alone), await keyrank(back, alone)].map(({ stdout }) => JSON.parse(stdout));
    expect(moves.map(({ moved }) => moved)).toEqual([true, false]);
    const moved = settings({ ...storage.settings('back'), KEYRANK_DATA_DIR: join(directory.path, 'fresh') });
    expect(await keyrank(['verify'], moved)).toMatchObject({ code: 0 });
    expect(JSON.parse((await keyrank(['storage', 'status', '--json'], moved)).stdout)).toMatchObject({
      location: 's3://ranks/back',
      files: (await objects('back')).length,
    });
  });

  it('has a cache without what is published no more', async () => {
    const config = testConfig(service.database, settings({ ...storage.settings('back'), ...NO_DAYS }));
    await sweepLeftovers({
      ...config,
      pool: service.database.operator,
      storage: openStorage(config),
      now: () => new Date(),
    });
    const named = new Set(listStoredFiles(await manifest()).flatMap((file) => [file.path, objectOf(file)]));
    const names = await readdir(service.dataDirectory, { recursive: true });
    const files: string[] = [];
    for (const name of names) {
      if (!/^(segments|dictionaries|snapshots)\//.test(name)) continue;
      if ((await stat(join(service.dataDirectory, name))).isFile()) files.push(name);
    }
    expect(files.filter((name) => !named.has(name))).toEqual([]);
    expect(files.length).toBeGreaterThan(20);
  });

  it('finds no key in anything that was logged or kept', async () => {
    const { rows } = await service.database.owner.query('SELECT row_to_json(a) FROM audit_log a');
    const stored = JSON.stringify([rows, await manifest()]);
    const backup = await readFile(join(directory.path, 'backup', 'backup.json'), 'utf8');
    for (const text of [stored, backup]) {
      expect(text.length).toBeGreaterThan(100);
      expect(text).not.toContain(SECRET_ACCESS_KEY);
    }
  });
});
