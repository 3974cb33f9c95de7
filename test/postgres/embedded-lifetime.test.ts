import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/postgres/embedded/embedded-postgres.ts';
import {
  findServerProcess,
  hasOrdinaryUser,
  isRoot,
  makeDataDirectory,
  makeOrdinaryCheckout,
  ordinaryUser,
  query,
  removeCheckout,
  runWithServer,
  silentLog,
  startOtherProcess,
} from '../support/embedded-server.ts';

let checkout: string;
beforeAll(async () => {
  checkout = await makeOrdinaryCheckout();
});
afterAll(() => removeCheckout(checkout));

async function openServer(dataDirectory: string) {
  const server = await openEmbeddedPostgres({ dataDirectory, log: silentLog });
  onTestFinished(() => server.close());
  return server;
}

test.runIf(hasOrdinaryUser)('an ordinary user makes, joins and stops a server', async () => {
  const dataDirectory = await makeDataDirectory({ ordinary: true });
  const first = await startOtherProcess({ dataDirectory, checkout, ordinary: true });
  const second = await startOtherProcess({ dataDirectory, checkout, ordinary: true });
  expect([first.said, second.said]).toEqual(['open', 'open']);
  expect(await first.close()).toBe('closed');
  expect(await findServerProcess(dataDirectory)).toBeGreaterThan(0);
  expect(await second.close()).toBe('closed');
  expect(await findServerProcess(dataDirectory)).toBeUndefined();
});

test.runIf(isRoot && hasOrdinaryUser)('root joins, and also starts, the server of an ordinary user', async () => {
  const dataDirectory = await makeDataDirectory({ ordinary: true });
  const theirs = await startOtherProcess({ dataDirectory, checkout, ordinary: true });
  const ours = await openServer(dataDirectory);
  expect(await query(ours.connection('keyrank_operator'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await theirs.close();
  expect(ours.state).toBe('running');
  await ours.close();

  const oursAgain = await openServer(dataDirectory);
  const theirsAgain = await startOtherProcess({ dataDirectory, checkout, ordinary: true });
  expect(theirsAgain.said).toBe('open');
  await oursAgain.close();
  expect(await theirsAgain.close()).toBe('closed');
  expect(await findServerProcess(dataDirectory)).toBeUndefined();
});

test('two processes that start at once on an empty directory share one server', async () => {
  const dataDirectory = await makeDataDirectory();
  const both = await Promise.all([startOtherProcess({ dataDirectory }), startOtherProcess({ dataDirectory })]);
  expect(both.map((other) => other.said)).toEqual(['open', 'open']);
  expect(await readdir(dataDirectory)).toEqual(['postgres', 'postgres.log']);
  const log = await readFile(join(dataDirectory, 'postgres.log'), 'utf8');
  expect(log.match(/ready to accept connections/g)).toHaveLength(1);

  expect(await Promise.all(both.map((other) => other.close()))).toEqual(['closed', 'closed']);
  expect(await findServerProcess(dataDirectory)).toBeUndefined();
});

test('many processes that come and go always find a server, and the last one stops it', async () => {
  const dataDirectory = await makeDataDirectory();
  await (await openServer(dataDirectory)).close();
  const visit = async (): Promise<string[]> => {
    const other = await startOtherProcess({ dataDirectory });
    return [other.said, await other.close()];
  };
  const visits = Array.from({ length: 4 }, async (_, index) => {
    await sleep(index * 60);
    return [...(await visit()), ...(await visit())];
  });
  expect(new Set((await Promise.all(visits)).flat())).toEqual(new Set(['open', 'closed']));
  expect(await findServerProcess(dataDirectory)).toBeUndefined();
});

test('the first process that closes leaves the server to the second', async () => {
  const dataDirectory = await makeDataDirectory();
  const first = await startOtherProcess({ dataDirectory });
  const second = await openServer(dataDirectory);
  const processId = await findServerProcess(dataDirectory);
  await first.close();
  expect(await query(second.connection('keyrank_service'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(await findServerProcess(dataDirectory)).toBe(processId);
  expect(second.state).toBe('running');
  await second.close();
  expect(await findServerProcess(dataDirectory)).toBeUndefined();
});

test('a server whose process was killed is joined by the next one, which stops it in the end', async () => {
  const dataDirectory = await makeDataDirectory();
  const killed = await startOtherProcess({ dataDirectory });
  const processId = await findServerProcess(dataDirectory);
  await killed.kill();
  expect(await findServerProcess(dataDirectory)).toBe(processId);

  const next = await openServer(dataDirectory);
  expect(await findServerProcess(dataDirectory)).toBe(processId);
  await next.close();
  expect(await findServerProcess(dataDirectory)).toBeUndefined();
});

test('a process and its server that are both killed are recovered from, with what was committed', async () => {
  const dataDirectory = await makeDataDirectory();
  const killed = await startOtherProcess({ dataDirectory });
  const connection = { host: join(dataDirectory, 'postgres'), port: 5432, user: 'keyrank_owner', database: 'keyrank' };
  await query(connection, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const processId = Number(await findServerProcess(dataDirectory));
  await killed.kill();
  process.kill(processId, 'SIGKILL');
  expect(await readFile(join(dataDirectory, 'postgres/postmaster.pid'), 'utf8')).toContain(String(processId));

  const next = await openServer(dataDirectory);
  expect(await query(next.connection('keyrank_owner'), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('a stale pid file that names a living process of the same user does not keep the server from starting', async () => {
  const dataDirectory = await makeDataDirectory();
  await (await openServer(dataDirectory)).close();
  // PostgreSQL only minds processes of its own user.
  const unrelated = spawn('sleep', ['60'], { ...ordinaryUser(), cwd: '/', stdio: 'ignore' });
  onTestFinished(async () => {
    unrelated.kill('SIGKILL');
    await once(unrelated, 'exit');
  });
  const lock = `${unrelated.pid}\n/proc/self/cwd\n1794709302\n5432\n/proc/self/cwd\n\n        0         0\nready   \n`;
  await writeFile(join(dataDirectory, 'postgres/postmaster.pid'), lock);
  await writeFile(join(dataDirectory, 'postgres/.s.PGSQL.5432.lock'), lock);
  const server = await openServer(dataDirectory);
  expect(await query(server.connection('keyrank_service'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(unrelated.exitCode).toBeNull();
});

test('a server that is killed under us is noticed and started again', async () => {
  const dataDirectory = await makeDataDirectory();
  const server = await openServer(dataDirectory);
  const processId = Number(await findServerProcess(dataDirectory));
  expect(server.state).toBe('running');
  process.kill(processId, 'SIGKILL');
  await expect.poll(() => server.state, { interval: 1 }).toBe('restarting');
  await expect.poll(() => server.state).toBe('running');
  expect(await findServerProcess(dataDirectory)).not.toBe(processId);
  expect(await query(server.connection('keyrank_service'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.close();
  expect(await findServerProcess(dataDirectory)).toBeUndefined();
});

test('closing while the server is being started again ends the process and leaves no server behind', async () => {
  const dataDirectory = await makeDataDirectory();
  await (await openServer(dataDirectory)).close();
  for (const delayMs of [0, 20, 60]) {
    const exitCode = await runWithServer(
      dataDirectory,
      `const { readFileSync } = await import('node:fs');
       process.kill(parseInt(readFileSync(process.argv[2] + '/postgres/postmaster.pid', 'utf8')), 'SIGKILL');
       while (server.state === 'running') await new Promise(setImmediate);
       await new Promise((resolve) => setTimeout(resolve, ${delayMs}));
       await server.close();`,
    );
    expect(exitCode).toBe(0);
    expect(await findServerProcess(dataDirectory)).toBeUndefined();
  }
});

test('a connection that the operator cuts is made again on the same server', async () => {
  const dataDirectory = await makeDataDirectory();
  const server = await openServer(dataDirectory);
  const processId = await findServerProcess(dataDirectory);
  await query(
    server.connection('keyrank_owner'),
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'keyrank presence'",
  );
  await expect.poll(() => server.state, { interval: 1 }).toBe('restarting');
  await expect.poll(() => server.state).toBe('running');
  expect(await findServerProcess(dataDirectory)).toBe(processId);
});

test('what killed starts left behind is swept, but not what a living process is making', async () => {
  const dataDirectory = await makeDataDirectory();
  const deadProcess = spawn('true');
  await once(deadProcess, 'exit');
  const [abandoned, reused, living] = [`${deadProcess.pid}-a`, `${process.pid}-b`, `${process.pid}-c`];
  await mkdir(dataDirectory);
  for (const suffix of [abandoned, reused, living])
    await mkdir(join(dataDirectory, `.postgres-making-${suffix}`, 'base'), { recursive: true });
  const yesterday = Date.now() / 1000 - 86_400;
  await utimes(join(dataDirectory, `.postgres-making-${reused}`), yesterday, yesterday);
  await openServer(dataDirectory);
  expect(await readdir(dataDirectory)).toEqual([`.postgres-making-${living}`, 'postgres', 'postgres.log']);
});

test.runIf(process.platform === 'linux')('Ctrl-C in the terminal does not reach the server', async () => {
  const dataDirectory = await makeDataDirectory();
  await openServer(dataDirectory);
  const processId = await findServerProcess(dataDirectory);
  const statistics = await readFile(`/proc/${processId}/stat`, 'utf8');
  // After the name in brackets: state, parent, process group, session.
  const [, , group, session] = statistics.slice(statistics.lastIndexOf(')') + 2).split(' ');
  expect([group, session]).toEqual([String(processId), String(processId)]);
});
