import { appendFile, chmod, chown, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/postgres/embedded/embedded-postgres.ts';
import { findPlatformPackage } from '../../src/postgres/embedded/platform-package.ts';
import {
  findServerProcess,
  hasOrdinaryUser,
  isRoot,
  makeDataDirectory,
  makeOrdinaryCheckout,
  ordinaryUser,
  removeCheckout,
  silentLog,
  startOtherProcess,
} from '../support/embedded-server.ts';

let checkout: string;
beforeAll(async () => {
  checkout = await makeOrdinaryCheckout();
});
afterAll(() => removeCheckout(checkout));

function open(dataDirectory: string, joinLimitMs?: number) {
  return openEmbeddedPostgres({ dataDirectory, log: silentLog, ...(joinLimitMs && { joinLimitMs }) });
}

/** As much of a cluster as is looked at before a server is started on it. */
async function makeClusterFolder(options: { dataDirectory: string; version: string; uid?: number }): Promise<void> {
  const folder = join(options.dataDirectory, 'postgres');
  await mkdir(folder, { recursive: true });
  await chmod(options.dataDirectory, 0o777);
  await writeFile(join(folder, 'PG_VERSION'), options.version);
  const uid = options.uid ?? ordinaryUser()?.uid;
  if (uid !== undefined) await chown(folder, uid, -1);
}

async function openAndClose(dataDirectory: string): Promise<void> {
  await (await open(dataDirectory)).close();
}

test('a missing parent of the data directory is named', async () => {
  const dataDirectory = join(await makeDataDirectory(), 'deeper');
  await expect(open(dataDirectory)).rejects.toMatchObject({
    name: 'OperatorError',
    message: `The data directory ${dataDirectory} cannot be made: ${dirname(dataDirectory)} is not a folder.`,
    hint: 'Make that folder, or point KEYRANK_DATA_DIR elsewhere.',
  });
});

test('a file in place of the data directory is named', async () => {
  const dataDirectory = join(dirname(await makeDataDirectory()), 'file');
  await writeFile(dataDirectory, '');
  await expect(open(dataDirectory)).rejects.toMatchObject({
    name: 'OperatorError',
    message: `The data directory ${dataDirectory} is a file.`,
  });
});

test.runIf(hasOrdinaryUser)('a data directory that this user cannot write to is named', async () => {
  const dataDirectory = await makeDataDirectory({ ordinary: true });
  await mkdir(dataDirectory);
  await chmod(dataDirectory, 0o555);
  const { said } = await startOtherProcess({ dataDirectory, checkout, ordinary: true });
  expect(said).toContain(`OperatorError: The data directory ${dataDirectory} is not writable`);
  expect(said).toContain('Give this user write access to it, or point KEYRANK_DATA_DIR elsewhere.');
});

test.runIf(hasOrdinaryUser)('a data directory that this user cannot make is named', async () => {
  const dataDirectory = await makeDataDirectory({ ordinary: true });
  await chmod(dirname(dataDirectory), 0o555);
  const { said } = await startOtherProcess({ dataDirectory, checkout, ordinary: true });
  expect(said).toContain(`OperatorError: The data directory ${dataDirectory} is not writable`);
});

test.runIf(isRoot && hasOrdinaryUser)(
  'an ordinary user is told that the database belongs to somebody else',
  async () => {
    const dataDirectory = await makeDataDirectory({ ordinary: true });
    await openAndClose(dataDirectory);
    await chmod(dataDirectory, 0o777);
    await chown(join(dataDirectory, 'postgres'), 1, 1);
    const { said } = await startOtherProcess({ dataDirectory, checkout, ordinary: true });
    expect(said).toMatch(/OperatorError: .*\/postgres belongs to user id 1, but PostgreSQL would run as user id \d+\./);
    expect(said).toContain('Run keyrank as the user that made the data directory');
  },
);

test.runIf(isRoot && hasOrdinaryUser)('a user without a name is told that PostgreSQL needs one', async () => {
  const dataDirectory = await makeDataDirectory();
  await mkdir(dataDirectory);
  await chmod(dirname(dataDirectory), 0o755);
  await chmod(dataDirectory, 0o777);
  const { said } = await startOtherProcess({ dataDirectory, checkout, uid: 54_321 });
  expect(said).toContain('OperatorError: The user id 54321 has no name on this machine');
  expect(said).toContain('DATABASE_URL');
});

test.runIf(isRoot)('root is told how to give away a database that it owns itself', async () => {
  const dataDirectory = await makeDataDirectory();
  await makeClusterFolder({ dataDirectory, version: '18\n', uid: 0 });
  await expect(open(dataDirectory)).rejects.toMatchObject({
    name: 'OperatorError',
    hint: expect.stringMatching(/^PostgreSQL does not run as root: chown -R \d+:\d+ '/),
  });
});

test('a database of another major version is refused with a way out', async () => {
  const dataDirectory = await makeDataDirectory();
  await makeClusterFolder({ dataDirectory, version: '17\n' });
  await expect(open(dataDirectory)).rejects.toMatchObject({
    name: 'OperatorError',
    message: `${dataDirectory}/postgres was made by PostgreSQL 17; this keyrank carries PostgreSQL 18.`,
    hint: expect.stringContaining('DATABASE_URL'),
  });
});

test('a folder that is no database is left alone', async () => {
  const dataDirectory = await makeDataDirectory();
  await makeClusterFolder({ dataDirectory, version: '18\n' });
  await rename(join(dataDirectory, 'postgres/PG_VERSION'), join(dataDirectory, 'postgres/notes.txt'));
  await expect(open(dataDirectory)).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringContaining('is not a PostgreSQL data directory'),
  });
  expect(await readdir(join(dataDirectory, 'postgres'))).toEqual(['notes.txt']);
});

test('an empty folder in place of the database is filled', async () => {
  const dataDirectory = await makeDataDirectory();
  await mkdir(join(dataDirectory, 'postgres'), { recursive: true });
  await openAndClose(dataDirectory);
});

test('a platform without a package is told of DATABASE_URL', () => {
  const original = Object.getOwnPropertyDescriptor(process, 'arch');
  onTestFinished(() => void (original && Object.defineProperty(process, 'arch', original)));
  Object.defineProperty(process, 'arch', { ...original, value: 'mips' });
  expect(() => findPlatformPackage()).toThrow(
    expect.objectContaining({
      name: 'OperatorError',
      message: expect.stringContaining(`no embedded PostgreSQL here for ${process.platform}-mips`),
      hint: expect.stringContaining('DATABASE_URL'),
    }),
  );
});

test('a server that does not start is quoted, and the log is named', async () => {
  const dataDirectory = await makeDataDirectory();
  await openAndClose(dataDirectory);
  await appendFile(join(dataDirectory, 'postgres/postgresql.conf'), "shared_buffers = 'plenty'\n");
  await expect(open(dataDirectory)).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringContaining('invalid value for parameter "shared_buffers": "plenty"'),
    hint: `Its whole log is ${dataDirectory}/postgres.log.`,
  });
});

test('a server that does not answer is waited for only so long', async () => {
  const dataDirectory = await makeDataDirectory();
  const server = await open(dataDirectory);
  const processId = Number(await findServerProcess(dataDirectory));
  process.kill(processId, 'SIGSTOP');
  onTestFinished(async () => {
    process.kill(processId, 'SIGCONT');
    await server.close();
  });
  await expect(open(dataDirectory, 1_000)).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringContaining('did not answer within 1 s'),
    hint: expect.stringContaining(`process ${processId}`),
  });
});

test('a disk or platform on which initdb fails leaves nothing behind', async () => {
  const dataDirectory = await makeDataDirectory();
  const packageDirectory = join(dirname(dataDirectory), 'package');
  const { directory } = findPlatformPackage();
  await cp(directory, packageDirectory, { recursive: true, verbatimSymlinks: true });
  await chmod(dirname(dataDirectory), 0o755);
  await rm(join(packageDirectory, 'native/share/postgresql/postgres.bki'));
  await expect(openEmbeddedPostgres({ dataDirectory, log: silentLog, packageDirectory })).rejects.toMatchObject({
    name: 'OperatorError',
    message: expect.stringContaining('postgres.bki'),
  });
  expect(await readdir(dataDirectory)).toEqual([]);
});
