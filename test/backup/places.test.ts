// Where backups go and who can read them, and what a restore finds where it goes.
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { runKeyrank, runKeyrankUnder, startServerProcess } from '../support/process.ts';
import { sendRequest, startTestService, type TestService } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const SEARCH = '/v1/search/keywords?query=running+shoes';
const REPORT = 'period_type,period,search_term,rank\nmonthly,01-2026,running shoes,1\n';

let service: TestService;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let key: string;
let backup: string;

beforeAll(async () => {
  service = await startTestService();
  directory = await openTemporaryDirectory();
  key = await service.makeKey({ subscription: { plan: 'studio' } });
  await service.publish('US_ranks.csv', REPORT);
  backup = join(directory.path, 'backup');
  expect(await runBackup(backup)).toMatchObject({ code: 0, stderr: '' });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

function settingsOf(database: TestDatabase, dataDirectory: string): Record<string, string> {
  return { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: dataDirectory };
}

async function runBackup(target: string, umask = '022') {
  return await runKeyrankUnder(umask, ['backup', target], settingsOf(service.database, service.dataDirectory));
}

/** A directory and everything below it, by kind and mode, such as `file 600`. */
async function modesOf(path: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = await readdir(path, { recursive: true });
  const modes = new Map<string, string[]>();
  for (const entry of ['.', ...entries]) {
    const found = await stat(join(path, entry));
    const kind = found.isDirectory() ? 'directory' : 'file';
    const mode = `${kind} ${(found.mode & 0o7777).toString(8)}`;
    modes.set(mode, [...(modes.get(mode) ?? []), entry]);
  }
  return modes;
}

describe('a backup', () => {
  it.each([
    ['000', 'and-its-new-parent/backup'],
    ['022', 'backup'],
    ['277', 'backup'],
  ])('can be read by its owner alone, under the umask %s', async (umask, name) => {
    const parent = join(directory.path, `under-${umask}`);
    await mkdir(parent, { mode: 0o700 });
    expect(await runBackup(join(parent, name), umask)).toMatchObject({ code: 0, stderr: '' });
    const modes = await modesOf(parent);
    expect([...modes.keys()].toSorted()).toEqual(['directory 700', 'file 600']);
    const files = [`${name}/backup.json`, `${name}/tables/users.ndjson.gz`];
    expect(modes.get('file 600')).toEqual(expect.arrayContaining(files));
  });

  it('leaves the mode of a directory that was there as it is', async () => {
    const parent = join(directory.path, 'there');
    await mkdir(parent, { mode: 0o755 });
    expect(await runBackup(join(parent, 'backup'))).toMatchObject({ code: 0 });
    expect((await stat(parent)).mode & 0o777).toBe(0o755);
    expect((await stat(join(parent, 'backup'))).mode & 0o777).toBe(0o700);
  });

  it('may be named with a slash at its end', async () => {
    expect(await runBackup(`${join(directory.path, 'slash')}/`)).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(join(directory.path, 'slash'))).toEqual(['backup.json', 'files', 'tables']);
  });

  it.each([
    ['inside the data directory', async () => join(service.dataDirectory, 'backups/today')],
    ['among the published files', async () => join(service.dataDirectory, 'segments/backup')],
    [
      'inside it by a relative path',
      async () => relative(process.cwd(), join(service.dataDirectory, 'snapshots', '..', 'backup')),
    ],
    [
      'inside it by a symbolic link',
      async () => {
        await symlink(service.dataDirectory, join(directory.path, 'link'));
        return join(directory.path, 'link', 'new', 'backup');
      },
    ],
  ])('%s is refused, and nothing is written', async (_name, makePath) => {
    const before = await readdir(service.dataDirectory, { recursive: true });
    const target = await makePath();
    const { code, stderr } = await runBackup(target);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `error: ${target} lies inside the data directory ${service.dataDirectory}.\n` +
        'What happens to the data would happen to its backup: choose a directory elsewhere, better on another disk.\n',
    });
    expect(await readdir(service.dataDirectory, { recursive: true })).toEqual(before);
  });

  it('that would come to hold the data directory is refused', async () => {
    await using database = await makeDatabase();
    const target = join(directory.path, 'outer');
    const { code, stderr } = await runKeyrank(['backup', target], settingsOf(database, join(target, 'data')));
    expect(code).toBe(1);
    expect(stderr).toContain(`${target} would hold the data directory ${join(target, 'data')}.`);
  });
});

describe('a restore', () => {
  it('works where a server was started and nothing was imported, while it runs too', async () => {
    const dataDirectory = join(directory.path, 'started');
    await using server = await startServerProcess({ KEYRANK_DATA_DIR: dataDirectory });
    // Written once the server has swept: the directory is tied to the empty database now.
    await expect.poll(() => readFile(join(dataDirectory, 'rank-data-id'), 'utf8').catch(() => '')).toMatch(/\n$/);
    expect((await sendRequest(server.url + SEARCH, { key })).status).toBe(401);
    const restored = await runKeyrank(['restore', backup], { KEYRANK_DATA_DIR: dataDirectory });
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(async () => (await sendRequest(server.url + SEARCH, { key })).json.data?.length).toBe(1);
    await server.stop();
    await using again = await startServerProcess({ KEYRANK_DATA_DIR: dataDirectory });
    expect((await sendRequest(again.url + SEARCH, { key })).json.data).toHaveLength(1);
    expect((await readFile(join(dataDirectory, 'rank-data-id'), 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('makes a data directory that its owner alone can enter, also beside an outside database', async () => {
    await using database = await makeDatabase();
    const dataDirectory = join(directory.path, 'private');
    const settings = settingsOf(database, dataDirectory);
    expect(await runKeyrankUnder('000', ['restore', backup], settings)).toMatchObject({ code: 0, stderr: '' });
    expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
  });

  it('clears away what a killed restore left behind', async () => {
    await using database = await makeDatabase();
    const dataDirectory = join(directory.path, 'killed');
    const settings = settingsOf(database, dataDirectory);
    expect(await runKeyrank(['periods'], settings)).toMatchObject({ code: 0 });
    const { rows } = await database.owner.query<{ id: string }>('SELECT id FROM rank_statistics');
    await mkdir(join(dataDirectory, 'segments/US'), { recursive: true });
    await writeFile(join(dataDirectory, 'segments/US/half.parquet'), 'half');
    await writeFile(join(dataDirectory, 'rank-data-id'), `${rows[0]?.id}\n${'0'.repeat(8)}\n`);
    expect(await runKeyrank(['restore', backup], settings)).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(join(dataDirectory, 'segments/US'))).not.toContain('half.parquet');
    expect(await runKeyrank(['verify'], settings)).toMatchObject({ code: 0 });
  });

  it('does not touch the files of another database', async () => {
    await using database = await makeDatabase();
    const before = await readdir(service.dataDirectory, { recursive: true });
    const { code, stderr } = await runKeyrank(['restore', backup], settingsOf(database, service.dataDirectory));
    expect(code).toBe(1);
    expect(stderr).toContain('holds rank data that this database does not know.');
    expect(await readdir(service.dataDirectory, { recursive: true })).toEqual(before);
  });

  it('is refused where there is something to lose, and says what', async () => {
    await using database = await makeDatabase();
    const settings = settingsOf(database, join(directory.path, 'in-use'));
    const args = ['organization', 'create', 'Acme', '--plan', 'pro'];
    expect(await runKeyrank(args, settings)).toMatchObject({ code: 0 });
    const { code, stderr } = await runKeyrank(['restore', backup], settings);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error: A backup can be restored only where there is nothing yet. Here are 1 organizations, 1 entries in the audit log.\n',
    );
  });
});
