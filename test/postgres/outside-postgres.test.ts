// DATABASE_URL with an outside PostgreSQL, by an owner that is no superuser, over TCP with a password. Debian's
// postgresql package provides the oldest version that is supported; the check script installs it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/boot.ts';
import { readConfig } from '../../src/config.ts';
import { runKeyrank } from '../support/process.ts';
import { COMPILED, sendRequest } from '../support/service.ts';

const INSTALLED = '/usr/lib/postgresql';
const binaries = existsSync(INSTALLED)
  ? readdirSync(INSTALLED)
      .map((version) => join(INSTALLED, version, 'bin'))
      .find((directory) => existsSync(join(directory, 'initdb')))
  : undefined;

/** PostgreSQL refuses to run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

it('is tested wherever the whole check runs', () => {
  expect(binaries !== undefined || process.env.CI === undefined).toBe(true);
});

describe.runIf(binaries !== undefined)('an outside PostgreSQL', () => {
  let directory: string;
  let server: ChildProcess;
  let port: number;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keyrank-outside-'));
    if (UNPRIVILEGED.uid !== undefined) chownSync(directory, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
    port = await freePort();
    const data = join(directory, 'data');
    const options = { ...UNPRIVILEGED, cwd: directory };
    execFileSync(join(binaries ?? '', 'initdb'), ['-D', data, '-U', 'admin', '--auth=trust', '--no-sync'], options);
    const settings = ['-k', directory, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
    server = spawn(join(binaries ?? '', 'postgres'), ['-D', data, ...settings], { ...options, stdio: 'ignore' });
    await asAdmin(`CREATE ROLE owner LOGIN PASSWORD 'open sesame' CREATEROLE`);
    await asAdmin('CREATE DATABASE ranks OWNER owner');
  });
  afterAll(async () => {
    server.kill('SIGINT');
    await once(server, 'exit');
    await rm(directory, { recursive: true, force: true });
  });

  /** As docs/operations.md has it: one address for the owner of the schema, one for the role that answers requests. */
  const settingsFor = (login = 'keyrank_service:sesame%20too') => ({
    DATABASE_URL: `postgres://owner:open%20sesame@127.0.0.1:${port}/ranks`,
    KEYRANK_SERVICE_DATABASE_URL: `postgres://${login}@127.0.0.1:${port}/ranks`,
    PORT: '0',
    KEYRANK_ADMIN_PORT: 'off',
    LOG_LEVEL: 'silent',
  });

  it('is migrated by an owner that is no superuser, and served by a role that can be nothing else', async () => {
    await asAdmin(`CREATE ROLE keyrank_service LOGIN PASSWORD 'sesame too'`);
    await asAdmin(`CREATE ROLE keyrank_operator NOLOGIN`);
    await asAdmin('GRANT keyrank_service, keyrank_operator TO owner');
    const settings = settingsFor();
    expect((await runKeyrank(['organization', 'create', 'Acme'], settings)).stderr).toBe('');
    const create = ['key', 'create', '--organization', 'Acme', '--user', 'a@b.example', '--json'];
    const { key } = JSON.parse((await runKeyrank(create, settings)).stdout);
    await using service = await startService(readConfig(settings), COMPILED);
    const search = await sendRequest(`${service.url}/v1/search/keywords?query=tea`, { key });
    expect([search.status, search.headers.get('ratelimit-remaining')]).toEqual([200, '99']);
    const history = await sendRequest(`${service.url}/v1/search/history`, { key });
    expect(history.json.pagination.total_count).toBe(1);
  });

  it.each([
    ['owns the tables', 'owner:open%20sesame', '"owner", which owns the tables of keyrank'],
    ['is a superuser', 'admin', '"admin", which is a superuser'],
    ['can become the operator', 'mixed', '"mixed", which can become "keyrank_operator", which sees the rows of all'],
    ['can become the owner', 'deputy', '"deputy", which can become'],
    ['bypasses row-level security', 'auditor', '"auditor", which bypasses row-level security'],
  ])('is refused when the user that answers requests %s', async (_what, login, said) => {
    await asAdmin(`DROP ROLE IF EXISTS mixed, deputy, auditor`);
    await asAdmin('CREATE ROLE mixed LOGIN; GRANT keyrank_service, keyrank_operator TO mixed');
    await asAdmin('CREATE ROLE deputy LOGIN NOINHERIT; GRANT keyrank_service, owner TO deputy');
    await asAdmin('CREATE ROLE auditor LOGIN BYPASSRLS; GRANT keyrank_service TO auditor');
    const { code, stderr } = await runKeyrank(['serve'], settingsFor(login));
    expect(stderr).toContain(`Requests would be answered by the database user ${said}`);
    expect(stderr).toContain('ALTER ROLE keyrank_service LOGIN PASSWORD');
    expect(code).toBe(1);
  });

  it('is refused, with what to do, when DATABASE_URL alone is given', async () => {
    const { KEYRANK_SERVICE_DATABASE_URL: _, ...settings } = settingsFor();
    const { code, stderr } = await runKeyrank(['serve'], settings);
    expect(stderr).toContain('Requests would be answered by the database user "owner"');
    expect(stderr).toContain('KEYRANK_SERVICE_DATABASE_URL=postgres://keyrank_service:');
    expect(code).toBe(1);
    expect((await runKeyrank(['organization', 'list'], settings)).code).toBe(0);
  });

  it('is refused when the role that answers requests could bypass row-level security', async () => {
    await asAdmin('ALTER ROLE keyrank_service BYPASSRLS');
    const result = await runKeyrank(['organization', 'list'], {
      DATABASE_URL: `postgres://owner:open%20sesame@127.0.0.1:${port}/ranks`,
    });
    await asAdmin('ALTER ROLE keyrank_service NOBYPASSRLS');
    expect(result.stderr).toContain('"keyrank_service", which can bypass row-level security');
    expect(result.code).toBe(1);
  });

  async function asAdmin(sql: string): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const client = new pg.Client({ host: directory, port, user: 'admin', database: 'postgres' });
      try {
        await client.connect();
        await client.query(sql);
        return;
      } catch (error) {
        if (tries > 100 || (error instanceof pg.DatabaseError && error.code !== '57P03')) throw error;
        await sleep(100);
      } finally {
        await client.end().catch(() => {});
      }
    }
  }
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
