import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/boot.ts';
import { verifyFiles } from '../../src/ingest/publish/verification.ts';
import { createPlan } from '../../src/postgres/plans.ts';
import { listTables } from '../../src/postgres/table-rows.ts';
import { listStoredFiles } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { runKeyrank } from '../support/process.ts';
import { COMPILED, sendRequest, startTestService, type TestService, testConfig } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

/** Terms with everything that a line of text may trip over. */
const TERMS = ['running shoes', 'a "quoted" term', 'zero\u2028separator', '\\backslash', 'Ünïcode 🙂', 'tab\tterm'];
const SEARCH = '/v1/search/keywords?query=running+shoes';
/** Written to by every search, so that they differ between two moments. */
const BUSY_TABLES = ['rate_log', 'search_history', 'usage_counts', 'usage_days'];

let service: TestService;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let keys: readonly string[];
let backup: string;

beforeAll(async () => {
  service = await startTestService();
  directory = await openTemporaryDirectory();
  backup = join(directory.path, 'backup');
  await createPlan(service.database.operator, { name: 'own', searchesPerHour: 500, months: 'all', weeks: 7 });
  keys = [
    await service.makeKey({ organization: 'Ärzte "& Co"', subscription: { plan: 'own' } }),
    await service.makeKey(),
  ];
  for (const month of ['01', '02']) {
    const lines = TERMS.map((term, i) => `monthly,${month}-2026,"${term.replaceAll('"', '""')}",${i + 1}`);
    await service.publish('US_ranks.csv', ['period_type,period,search_term,rank', ...lines, ''].join('\n'));
  }
  for (const [path, body] of [
    ['/v1/tracked-keywords', { search_term: 'running shoes' }],
    ['/v1/tracked-products', { asin: 'B0CHX1W1XY' }],
  ] as const) {
    const options = { method: 'POST', key: keys[0] ?? '', body: JSON.stringify(body) };
    expect((await service.request(path, options)).status).toBe(201);
  }
  for (const term of TERMS) {
    await service.request(`/v1/search/keywords?query=${encodeURIComponent(term)}`, { key: keys[0] });
  }
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

function settingsOf(database: TestDatabase, dataDirectory: string): Record<string, string> {
  return { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: dataDirectory };
}

async function runBackup(target: string) {
  return await runKeyrank(['backup', target], settingsOf(service.database, service.dataDirectory));
}

/** The rows of a table in a stable order. */
async function rowsOf(database: TestDatabase, table: string): Promise<readonly string[]> {
  const { rows } = await database.owner.query<{ line: string }>(`SELECT row_to_json(t)::text AS line FROM ${table} t`);
  return rows.map(({ line }) => line).toSorted();
}

describe('a backup', () => {
  it('taken while searches go on restores to the same data, and misses no search that was answered before', async () => {
    const before = await rowsOf(service.database, 'search_history');
    let isDone = false;
    const load = (async () => {
      let answers = 0;
      for (; !isDone; answers += 1) {
        expect((await service.request(SEARCH, { key: keys[answers % 2] })).status).toBeOneOf([200, 429]);
      }
      return answers;
    })();
    const made = await runBackup(backup);
    isDone = true;
    expect(await load).toBeGreaterThan(0);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^Backed up [0-9,]+ rows and [0-9]+ files, [0-9.,]+ MB, to .*backup\.\n$/);

    await using database = await makeDatabase();
    const dataDirectory = join(directory.path, 'restored');
    const restored = await runKeyrank(['restore', backup, '--json'], settingsOf(database, dataDirectory));
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    const { tables, files } = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8'));
    expect(JSON.parse(restored.stdout)).toMatchObject({ schema_version: expect.any(Number), files: files.length });

    const names = (await listTables(database.owner)).map(({ name }) => name);
    expect(tables.map(({ name }: { name: string }) => name)).toEqual(names);
    for (const name of names.filter((each) => !BUSY_TABLES.includes(each))) {
      expect(await rowsOf(database, name), name).toEqual(await rowsOf(service.database, name));
    }
    const history = await rowsOf(database, 'search_history');
    const idOf = (line: string) => JSON.parse(line).id;
    expect(history.map(idOf)).toEqual(expect.arrayContaining(before.map(idOf)));
    // One moment: whoever was admitted is in the history, in the rate log and on the meter.
    const [counted] = await rowsOf(database, '(SELECT sum(count) AS count FROM usage_counts)');
    expect(JSON.parse(counted ?? '').count).toBe(history.length);
    expect((await rowsOf(database, 'rate_log')).length).toBe(history.length);

    const manifest = await loadManifest(database.operator);
    const original = await loadManifest(service.database.operator);
    expect(manifest).toEqual(original);
    expect((await verifyFiles({ manifest, dataDirectory, onFile: () => {} })).faults).toEqual([]);

    const config = testConfig(database, { KEYRANK_DATA_DIR: dataDirectory });
    await using running = await startService(config, COMPILED);
    const dataOf = async (url: string) => (await sendRequest(url + SEARCH, { key: keys[0] })).json.data;
    expect(await dataOf(running.url)).toEqual(await dataOf(service.url));
  });

  it('is refused where one is already, and leaves it as it is', async () => {
    const taken = join(directory.path, 'taken');
    await mkdir(taken);
    const { code, stderr } = await runBackup(taken);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `error: ${taken} exists already.\nGive each backup a directory of its own.\n`,
    });
    expect(await readdir(taken)).toEqual([]);
  });

  it('of a damaged data directory is refused, and leaves nothing', async () => {
    const manifest = await loadManifest(service.database.operator);
    const path = join(service.dataDirectory, manifest.periods[0]?.segment.path ?? '');
    const content = await readFile(path);
    await flipByte(path);
    const { code, stderr } = await runBackup(join(directory.path, 'never'));
    await writeFile(path, content);
    expect(code).toBe(1);
    expect(stderr).toContain(`${path} is damaged: it is not what its checksum says.`);
    expect((await readdir(directory.path)).filter((name) => name.startsWith('never'))).toEqual([]);
  });
});

describe('a restore', () => {
  it('never mixes with what is there', async () => {
    const { code, stderr } = await runKeyrank(
      ['restore', backup],
      settingsOf(service.database, join(directory.path, 'empty')),
    );
    expect(code).toBe(1);
    expect(stderr).toContain('A backup can be restored only where there is nothing yet.');
  });

  it.each(['files', 'tables'])(
    'of a backup with a damaged file in %s is refused, and leaves nothing',
    async (folder) => {
      const damaged = join(directory.path, `damaged-${folder}`);
      expect((await runBackup(damaged)).code).toBe(0);
      const entries = await readdir(join(damaged, folder), { recursive: true, withFileTypes: true });
      const [file] = entries.filter((entry) => entry.isFile());
      await flipByte(join(file?.parentPath ?? '', file?.name ?? ''));
      await using database = await makeDatabase();
      const dataDirectory = join(directory.path, `refused-${folder}`);
      const { code, stderr } = await runKeyrank(['restore', damaged], settingsOf(database, dataDirectory));
      expect(code).toBe(1);
      expect(stderr).toMatch(/damaged/);
      expect(await rowsOf(database, 'organizations')).toEqual([]);
      expect(listStoredFiles(await loadManifest(database.operator))).toEqual([]);
      const left = await readdir(dataDirectory, { recursive: true, withFileTypes: true }).catch(() => []);
      expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
    },
  );

  it.each([
    ['that was never finished', async (path: string) => await rm(join(path, 'backup.json'))],
    ['of another schema', (path: string) => editContents(path, { schemaVersion: 9999 })],
    ['of a format to come', (path: string) => editContents(path, { format: 99 })],
    [
      'that leads out of the data directory',
      (path: string) => editContents(path, { files: [{ path: 'segments/../../x', sizeBytes: 0, sha256: '' }] }),
    ],
  ])('of a backup %s is refused', async (name, change) => {
    const copy = join(directory.path, name.replaceAll(' ', '-'));
    expect((await runBackup(copy)).code).toBe(0);
    await change(copy);
    await using database = await makeDatabase();
    const { code, stderr } = await runKeyrank(
      ['restore', copy],
      settingsOf(database, join(directory.path, `${name}-data`)),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .+\.\n.+\.\n$/);
    expect(await rowsOf(database, 'organizations')).toEqual([]);
  });
});

async function editContents(path: string, change: object): Promise<void> {
  const file = join(path, 'backup.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }));
}

async function flipByte(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const at = Math.floor(size / 2);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
}
