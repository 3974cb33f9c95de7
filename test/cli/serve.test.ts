import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { pressUntilClosed } from '../support/pressing-client.ts';
import { runKeyrank, startKeyrank, startServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

describe('keyrank serve --demo on an empty data directory', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keyrank-demo-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('prints a curl line that works, shares its database with the command line, and stops cleanly', async () => {
    const settings = { KEYRANK_DATA_DIR: directory };
    const server = await startServerProcess(settings, ['serve', '--demo']);
    let printed = '';
    server.child.stdout.on('data', (chunk: string) => (printed += chunk));
    await expect.poll(() => printed).toContain('curl -H');
    const [, key = '', url = ''] = /curl -H "Authorization: Bearer (krk_\w+)" "(http[^"]+)"/.exec(printed) ?? [];
    expect((await sendRequest(url, { key })).status).toBe(200);
    expect((await stat(join(directory, 'demo-key'))).mode & 0o777).toBe(0o600);

    const listed = await runKeyrank(['organization', 'list', '--json'], settings);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'Demo', plan: 'owner', status: 'active' }]);
    expect((await sendRequest(`${server.url}/readyz`)).status).toBe(200);

    // PostgreSQL dies: a clear 503 at once, and by itself it is well again.
    process.kill(
      Number((await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]),
      'SIGKILL',
    );
    const during = await sendRequest(`${server.url}/v1/usage`, { key });
    expect([200, 503]).toContain(during.status);
    if (during.status === 503) expect(during.headers.get('retry-after')).toBe('1');
    await expect
      .poll(async () => (await sendRequest(`${server.url}/v1/usage`, { key })).status, {
        timeout: 60_000,
        interval: 200,
      })
      .toBe(200);

    expect((await server.stop()).code).toBe(0);
    await expect(stat(join(directory, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT');

    const again = await startServerProcess(settings, ['serve', '--demo']);
    expect((await sendRequest(`${again.url}/v1/meters`, { key })).status).toBe(200);
    await again.stop();
  }, 300_000);
});

describe('keyrank serve --demo that is told to stop while it makes the data', () => {
  it('stops at once and leaves nothing half done', async () => {
    await using directory = await openTemporaryDirectory();
    const settings = { KEYRANK_DATA_DIR: directory.path, PORT: '0', KEYRANK_ADMIN_PORT: '0' };
    const child = startKeyrank(['serve', '--demo'], settings);
    let stderr = '';
    child.stderr.on('data', (chunk: string) => (stderr += chunk));
    await once(child.stdout, 'data');
    await expect.poll(() => readdir(join(directory.path, 'segments/US')).catch(() => [])).not.toEqual([]);
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(stderr).toBe('error: Stopped before the demo data was complete.\nThe next start makes it anew.\n');
    expect(code).toBe(1);
    await expect(readdir(join(directory.path, 'demo'))).rejects.toThrow('ENOENT');
    await expect(stat(join(directory.path, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT');
    const listed = await runKeyrank(['periods', '--json'], settings);
    expect(JSON.parse(listed.stdout)).toEqual([]);
  }, 120_000);
});

describe('keyrank serve', () => {
  let database: TestDatabase;
  let occupied: Server | undefined;
  beforeAll(async () => {
    database = await makeDatabase();
  });
  afterEach(() => occupied?.close());
  afterAll(() => database[Symbol.asyncDispose]());

  it('fails with the port that is in use and the setting that changes it', async () => {
    occupied = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => occupied?.once('listening', resolve));
    const address = occupied.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const settings = { DATABASE_URL: database.url.href, KEYRANK_ADMIN_PORT: 'off' };
    const result = await runKeyrank(['serve'], { ...settings, PORT: port });
    expect(result.stderr).toContain(`error: Port ${port} on 127.0.0.1 is in use.`);
    expect(result.stderr).toContain('choose another port with PORT');
    expect(result.code).toBe(1);
  });

  it.each([
    [{ PORT: 'http' }, 'error: PORT=http is not valid.\nUse a whole number from 0 to 65535.'],
    [{ LOG_LEVEL: 'loud' }, 'error: LOG_LEVEL=loud is not valid.\nUse one of fatal'],
    [{ DATABASE_URL: 'mysql://root:secret@x/y' }, 'error: DATABASE_URL is not the address of a PostgreSQL database.'],
    [{ DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/b' }, 'error: Cannot connect to PostgreSQL at 127.0.0.1:1/b: '],
    [{ HOST: '203.0.113.7', PORT: '0' }, 'error: Cannot listen on 203.0.113.7 port 0: EADDRNOTAVAIL.'],
  ])('%j fails with a message that says what to do', async (settings, message) => {
    const result = await runKeyrank(['serve'], {
      DATABASE_URL: database.url.href,
      KEYRANK_ADMIN_PORT: 'off',
      ...settings,
    });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toContain('secret');
    expect(result.stderr).not.toContain('    at ');
    expect(result.code).toBe(1);
  });

  it('fails when the data directory cannot be made', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'keyrank-file-'));
    await writeFile(join(parent, 'file'), '');
    const result = await runKeyrank(['serve'], { KEYRANK_DATA_DIR: join(parent, 'file', 'data') });
    expect(result.stderr).toMatch(/^error: .*data/m);
    expect(result.stderr).not.toContain('    at ');
    expect(result.code).toBe(1);
    await rm(parent, { recursive: true });
  });

  it('refuses a database of a newer version', async () => {
    const insert = `INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'x', 'y')`;
    await database.owner.query(insert);
    const result = await runKeyrank(['serve'], { DATABASE_URL: database.url.href });
    await database.owner.query('DELETE FROM schema_migrations WHERE version = 9999');
    expect(result.stderr).toContain('error: The database is from a newer version of keyrank (schema 9999).');
    expect(result.code).toBe(1);
  });

  it('answers every request it has accepted when it is told to stop', async () => {
    for (let round = 0; round < 3; round += 1) {
      const server = await startServerProcess({ DATABASE_URL: database.url.href });
      // Half of them make a connection for every request.
      const clients = Array.from({ length: 8 }, (_, n) =>
        pressUntilClosed(new URL('/v1/meters', server.url), { isKeptAlive: n % 2 === 0 }),
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      const ended = await server.stop();
      const outcomes = await Promise.all(clients);
      expect(ended.code).toBe(0);
      expect(outcomes.flatMap(({ dropped }) => dropped)).toEqual([]);
      expect(Math.min(...outcomes.map(({ answered }) => answered))).toBeGreaterThan(0);
    }
  });

  it('serves metrics on the admin port only', async () => {
    await using server = await startServerProcess({ DATABASE_URL: database.url.href });
    await sendRequest(`${server.url}/v1/meters`);
    const metrics = await sendRequest(`${server.adminUrl}/metrics`);
    expect(metrics.text).toContain('keyrank_http_requests_total{method="GET",route="/v1/meters",status="401"} 1');
    expect((await sendRequest(`${server.adminUrl}/readyz`)).status).toBe(200);
    expect((await sendRequest(`${server.url}/metrics`)).status).toBe(404);
  });
});

describe('a data directory that cannot be written', () => {
  it('is named in the error', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'keyrank-unwritable-'));
    const data = join(parent, 'data');
    await mkdir(data);
    await chmod(data, 0o500);
    // Root may write anywhere; then a file system that takes no files shows the same.
    const target = process.getuid?.() === 0 ? '/proc/keyrank' : data;
    const result = await runKeyrank(['serve'], { KEYRANK_DATA_DIR: target });
    expect(result.stderr).toContain(target);
    expect(result.stderr).toMatch(/^error: /m);
    expect(result.code).toBe(1);
    await rm(parent, { recursive: true });
  });
});
