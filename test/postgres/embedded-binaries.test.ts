import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findPlatformPackage } from '../../src/postgres/embedded/platform-package.ts';
import { findServerBinaries } from '../../src/postgres/embedded/server-binaries.ts';
import { runServerProgram } from '../../src/postgres/embedded/server-program.ts';
import { findServerUser } from '../../src/postgres/embedded/server-user.ts';
import {
  hasOrdinaryUser,
  isRoot,
  makeDataDirectory,
  makeOrdinaryCheckout,
  removeCheckout,
  startOtherProcess,
} from '../support/embedded-server.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyrank-test-'));
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The package as npm leaves it after `npm ci --ignore-scripts`. */
let bare: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyrank-test-'));
  await chmod(folder, 0o755);
  bare = join(folder, 'package');
  const isLink = async (path: string): Promise<boolean> => (await lstat(path)).isSymbolicLink();
  const { directory } = findPlatformPackage();
  await cp(directory, bare, { recursive: true, filter: async (source) => !(await isLink(source)) });
});
afterAll(() => rm(dirname(bare), { recursive: true, force: true }));

async function findIn(options: { packageDirectory: string; cacheDirectory: string }) {
  const user = findServerUser(join(options.cacheDirectory, 'postgres'));
  const platformPackage = findPlatformPackage(options.packageDirectory);
  const { cacheDirectory } = options;
  const binaries = await findServerBinaries({ platformPackage, user, dataDirectory: cacheDirectory, cacheDirectory });
  const versions: string[] = [];
  for (const file of [binaries.initdb, binaries.postgres]) {
    const request = { file, args: ['--version'], user, workingDirectory: '/', limitMs: 10_000 };
    versions.push((await runServerProgram(request)).output);
  }
  expect(versions).toEqual(['initdb (PostgreSQL) 18.4', 'postgres (PostgreSQL) 18.4']);
  return binaries;
}

test('a package that is complete and within reach is used where it lies', async () => {
  const folder = await makeFolder();
  const packageDirectory = join(folder, 'package');
  await cp(findPlatformPackage().directory, packageDirectory, { recursive: true, verbatimSymlinks: true });
  const cacheDirectory = join(folder, 'cache');
  await mkdir(cacheDirectory);
  const { postgres } = await findIn({ packageDirectory, cacheDirectory });
  expect(postgres).toBe(join(packageDirectory, 'native/bin/postgres'));
  expect(await readdir(cacheDirectory)).toEqual([]);
});

test('a package without its symbolic links is copied once, and stays as it is', async () => {
  const folder = await makeFolder();
  const before = await readdir(bare, { recursive: true });
  const cacheDirectory = join(folder, 'cache');
  await mkdir(cacheDirectory);
  const { postgres } = await findIn({ packageDirectory: bare, cacheDirectory });
  const name = `postgres-${findPlatformPackage().version}-${process.platform}-${process.arch}`;
  expect(postgres).toBe(join(cacheDirectory, name, 'bin/postgres'));
  expect(await readdir(cacheDirectory)).toEqual([name]);
  expect(await readdir(bare, { recursive: true })).toEqual(before);

  const first = await lstat(postgres);
  await findIn({ packageDirectory: bare, cacheDirectory });
  expect((await lstat(postgres)).ino).toBe(first.ino);
});

test('a copy that a power cut left damaged is made again', async () => {
  const folder = await makeFolder();
  const cacheDirectory = join(folder, 'cache');
  await mkdir(cacheDirectory);
  const { initdb } = await findIn({ packageDirectory: bare, cacheDirectory });
  await writeFile(initdb, '');
  await findIn({ packageDirectory: bare, cacheDirectory });
  expect(await readdir(cacheDirectory)).toHaveLength(1);
});

test('two processes that copy at once both get a whole copy', async () => {
  const folder = await makeFolder();
  const cacheDirectory = join(folder, 'cache');
  await mkdir(cacheDirectory);
  const options = { packageDirectory: bare, cacheDirectory };
  const [one, two] = await Promise.all([findIn(options), findIn(options)]);
  expect(one).toEqual(two);
  expect(await readdir(cacheDirectory)).toHaveLength(1);
});

test.runIf(isRoot)(
  'a package under a folder that only root may enter is copied for the server, whatever the umask',
  async () => {
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    const folder = await makeFolder();
    const closed = join(folder, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const packageDirectory = join(closed, 'package');
    await cp(findPlatformPackage().directory, packageDirectory, { recursive: true, verbatimSymlinks: true });
    await chmod(join(packageDirectory, 'native/share'), 0o700);
    const { postgres } = await findIn({ packageDirectory, cacheDirectory: join(folder, 'cache') });
    expect(postgres.startsWith(join(folder, 'cache/postgres-'))).toBe(true);
    expect((await lstat(join(folder, 'cache'))).mode & 0o777).toBe(0o755);
  },
);

test.runIf(isRoot)('root trusts no copy in a folder that others can write to', async () => {
  const folder = await makeFolder();
  const cacheDirectory = join(folder, 'cache');
  await mkdir(cacheDirectory);
  await chmod(cacheDirectory, 0o777);
  await expect(findIn({ packageDirectory: bare, cacheDirectory })).rejects.toMatchObject({
    name: 'OperatorError',
    message: `${cacheDirectory} is not a folder that only root can write to, so programs in it are not trusted.`,
  });
});

test('programs that cannot run on this machine are reported with a way out', async () => {
  const folder = await makeFolder();
  const packageDirectory = join(folder, 'package');
  await cp(bare, packageDirectory, { recursive: true });
  await writeFile(join(packageDirectory, 'native/bin/postgres'), 'not a program');
  const cacheDirectory = join(folder, 'cache');
  await mkdir(cacheDirectory);
  await expect(findIn({ packageDirectory, cacheDirectory })).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringContaining('does not run on this machine'),
    hint: expect.stringContaining('DATABASE_URL'),
  });
});

test.runIf(hasOrdinaryUser)(
  'an ordinary user runs a package without links from a copy in the data directory',
  async () => {
    const checkout = await makeOrdinaryCheckout();
    onTestFinished(() => removeCheckout(checkout));
    const dataDirectory = await makeDataDirectory({ ordinary: true });
    const other = await startOtherProcess({ dataDirectory, packageDirectory: bare, checkout, ordinary: true });
    expect(other.said).toBe('open');
    expect(await other.close()).toBe('closed');
    const copy = `postgres-${findPlatformPackage().version}-${process.platform}-${process.arch}`;
    expect(await readdir(dataDirectory)).toEqual(['postgres', copy, 'postgres.log']);
  },
);
