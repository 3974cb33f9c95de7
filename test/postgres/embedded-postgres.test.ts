import { spawnSync } from 'node:child_process';
import { chmod, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/postgres/embedded/embedded-postgres.ts';
import {
  findServerProcess,
  hasOrdinaryUser,
  isRoot,
  makeDataDirectory,
  makeOrdinaryCheckout,
  openTestDirectory,
  ordinaryUser,
  query,
  removeCheckout,
  silentLog,
  type TestDirectory,
} from '../support/embedded-server.ts';

let directory: TestDirectory;
let shared: EmbeddedPostgres;
beforeAll(async () => {
  directory = await openTestDirectory();
  shared = await openEmbeddedPostgres({ dataDirectory: directory.dataDirectory, log: silentLog });
});
afterAll(async () => {
  await shared.close();
  await directory.remove();
});

async function openServer(dataDirectory: string) {
  const server = await openEmbeddedPostgres({ dataDirectory, log: silentLog });
  onTestFinished(() => server.close());
  return server;
}

test('an empty data directory becomes a database in which all three roles can log in', async () => {
  for (const role of ['keyrank_owner', 'keyrank_service', 'keyrank_operator'] as const) {
    const rows = await query(shared.connection(role), 'SELECT current_user AS role, current_database() AS database');
    expect(rows).toEqual([{ role, database: 'keyrank' }]);
  }
  const roles = await query(
    shared.connection('keyrank_owner'),
    `SELECT rolname, rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication FROM pg_roles
     WHERE rolname IN ('keyrank_service', 'keyrank_operator') ORDER BY rolname`,
  );
  const attributes = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false };
  expect(roles).toEqual([
    { rolname: 'keyrank_operator', rolcanlogin: true, rolreplication: false, ...attributes },
    { rolname: 'keyrank_service', rolcanlogin: true, rolreplication: false, ...attributes },
  ]);
});

test('the procedural language and the stemmer, which are files of the package, are there', async () => {
  const connection = shared.connection('keyrank_owner');
  await query(connection, 'DO $$ BEGIN PERFORM 1; END $$');
  const rows = await query(connection, "SELECT to_tsvector('english', 'ranking ranks')::text AS words");
  expect(rows).toEqual([{ words: "'rank':1,2" }]);
});

test('a role that a migration made without LOGIN can log in after the next start', async () => {
  const dataDirectory = await makeDataDirectory();
  const first = await openServer(dataDirectory);
  await query(first.connection('keyrank_owner'), 'ALTER ROLE keyrank_service NOLOGIN');
  await first.close();
  const second = await openServer(dataDirectory);
  expect(await query(second.connection('keyrank_service'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('checksums, fsync and full page writes are on, and the rules of text are its own', async () => {
  const rows = await query(
    shared.connection('keyrank_owner'),
    `SELECT current_setting('data_checksums') AS checksums, current_setting('fsync') AS fsync,
            current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS commits,
            current_setting('server_encoding') AS encoding, current_setting('TimeZone') AS zone,
            datlocprovider AS provider, datlocale AS locale, lower('ÉCOLE') AS lower, 'é' > 'z' AS "byCodePoint"
     FROM pg_database WHERE datname = 'keyrank'`,
  );
  expect(rows).toEqual([
    {
      checksums: 'on',
      fsync: 'on',
      pages: 'on',
      commits: 'on',
      encoding: 'UTF8',
      zone: 'UTC',
      provider: 'b',
      locale: 'C.UTF-8',
      lower: 'école',
      byCodePoint: true,
    },
  ]);
});

test('files are closed to other users', async () => {
  const { dataDirectory } = directory;
  const modeOf = async (name: string): Promise<string> =>
    ((await stat(join(dataDirectory, name))).mode & 0o777).toString(8);
  expect(await modeOf('.')).toBe('700');
  expect(await modeOf('postgres')).toBe('700');
  expect(await modeOf('postgres/.s.PGSQL.5432')).toBe('700');
  expect(await modeOf('postgres.log')).toBe('600');
});

test('an existing data directory keeps its mode', async () => {
  const dataDirectory = dirname(await makeDataDirectory());
  await chmod(dataDirectory, 0o750);
  const server = await openServer(dataDirectory);
  expect((await stat(dataDirectory)).mode & 0o777).toBe(0o750);
  await server.close();
});

test.runIf(process.platform === 'linux')('no port is listened on', async () => {
  const { dataDirectory } = directory;
  const processId = await findServerProcess(dataDirectory);
  const descriptors = await readdir(`/proc/${processId}/fd`);
  const targets = await Promise.all(
    descriptors.map((name) => readlink(`/proc/${processId}/fd/${name}`).catch(() => '')),
  );
  const sockets = targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
  const tables = ['tcp', 'tcp6', 'udp', 'udp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => ''));
  const inodes = (await Promise.all(tables)).flatMap((table) =>
    table.split('\n').map((line) => line.trim().split(/\s+/)[9]),
  );
  expect(sockets.length).toBeGreaterThan(0);
  expect(sockets.filter((inode) => inodes.includes(inode))).toEqual([]);
});

test('a clean stop leaves no process, no pid file and no socket, and keeps the data', async () => {
  const dataDirectory = await makeDataDirectory();
  const first = await openServer(dataDirectory);
  const processId = await findServerProcess(dataDirectory);
  await query(first.connection('keyrank_owner'), 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.close();
  expect(first.state).toBe('closed');
  // It has ended, but its number is taken until the system's first process has looked at how.
  await expect.poll(() => isTaken(Number(processId))).toBe(false);
  const names = await readdir(join(dataDirectory, 'postgres'));
  expect(names).toContain('PG_VERSION');
  expect(names.filter((name) => name === 'postmaster.pid' || name.startsWith('.s.PGSQL'))).toEqual([]);
  expect(await readdir(dataDirectory)).toEqual(['postgres', 'postgres.log']);

  const second = await openServer(dataDirectory);
  expect(await query(second.connection('keyrank_owner'), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

function isTaken(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

test('closing twice is one close', async () => {
  const server = await openServer(await makeDataDirectory());
  await Promise.all([server.close(), server.close()]);
  await server.close();
  expect(server.state).toBe('closed');
});

test.runIf(process.platform === 'linux')('a path may be long and odd', async () => {
  const name = `it's "ünï" 東京, $HOME \\ ${'x'.repeat(170)}`;
  const server = await openServer(await makeDataDirectory({ name }));
  expect(await query(server.connection('keyrank_service'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('the environment of this process does not reach the server or the connection', async () => {
  process.env.PGSSLMODE = 'require';
  process.env.PGDATA = '/nowhere';
  process.env.PGPORT = '1';
  onTestFinished(() => {
    for (const name of ['PGSSLMODE', 'PGDATA', 'PGPORT']) delete process.env[name];
  });
  const server = await openServer(await makeDataDirectory());
  expect(await query(server.connection('keyrank_owner'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a role outside the three cannot log in', async () => {
  await query(shared.connection('keyrank_owner'), 'CREATE ROLE stranger LOGIN SUPERUSER');
  await expect(query({ ...shared.connection('keyrank_owner'), user: 'stranger' }, 'SELECT 1')).rejects.toMatchObject({
    code: '28000',
  });
});

test.runIf(isRoot && hasOrdinaryUser)(
  'of the other users none can log in, not even the one that the server runs as',
  async () => {
    const dataDirectory = await makeDataDirectory();
    const server = await openServer(dataDirectory);
    await chmod(dirname(dataDirectory), 0o755);
    await chmod(dataDirectory, 0o755);
    const script = `
    const { Client } = require(process.argv[1]);
    new Client(JSON.parse(process.argv[2])).connect().then(() => 'in', (error) => error.code).then(console.log)
      .then(() => process.exit());`;
    const checkout = await makeOrdinaryCheckout();
    onTestFinished(() => removeCheckout(checkout));
    const tryAs = (uid: number): string => {
      const args = [
        '-e',
        script,
        join(checkout, 'node_modules/pg'),
        JSON.stringify(server.connection('keyrank_owner')),
      ];
      return spawnSync(process.execPath, args, { uid, gid: uid, cwd: '/', encoding: 'utf8' }).stdout.trim();
    };
    expect(tryAs(0)).toBe('in');
    expect(tryAs(ordinaryUser()?.uid ?? -1)).toBe('28000');
    expect(tryAs(1)).toBe('EACCES');
  },
);
