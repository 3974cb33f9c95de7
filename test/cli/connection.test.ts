import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SecretKeys } from '../../src/amazon/secret-keys.ts';
import { listWantedPeriods } from '../../src/domain/download-schedule.ts';
import { findMarketplaceId } from '../../src/domain/marketplace.ts';
import { periodKey } from '../../src/domain/period.ts';
import { listKeyIds } from '../../src/postgres/connection-changes.ts';
import { checkNewConnection, getConnection } from '../../src/postgres/connections.ts';
import { type FakeAccount, FakeAmazon } from '../amazon/fake-amazon.ts';
import { reportJson } from '../amazon/report-json.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { type CommandResult, startKeyrank, startServerProcess } from '../support/process.ts';

// Imports run at low priority, so on a busy machine they take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let bench: Workbench;
let amazon: FakeAmazon;
let account: FakeAccount;
let settings: Record<string, string>;

beforeAll(async () => {
  bench = await openWorkbench();
  amazon = await FakeAmazon.open({ now: () => new Date(), random: Math.random, termsPerReport: 2000 });
  account = amazon.addAccount();
  settings = {
    DATABASE_URL: bench.database.url.href,
    KEYRANK_DATA_DIR: bench.dataDirectory,
    KEYRANK_AMAZON_URL: amazon.url,
  };
});
afterAll(async () => {
  await amazon[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
});

/** Runs a command, with what is piped into it. */
async function run(args: readonly string[], piped = '', more: Readonly<Record<string, string>> = {}) {
  const child = startKeyrank(args, { ...settings, ...more });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: string) => (stdout += text));
  child.stderr.on('data', (text: string) => (stderr += text));
  child.stdin.end(piped);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr } satisfies CommandResult;
}

const add = (...more: string[]) => [
  ...['connection', 'add', 'amazon', '--name', 'acme', '--region', 'na', '--marketplaces', 'US'],
  ...['--weeks', '1', '--months', '0', '--client-id', account.clientId, ...more],
];

const find = async (where: string) =>
  (await bench.database.operator.query(`SELECT FROM downloads WHERE ${where}`)).rowCount;

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(100);
}

describe('keyrank connection', () => {
  it('keeps nothing that Amazon refuses, and says what is wrong', async () => {
    const refused = await run(add(), `${account.clientSecret}\nAtzr|wrong\n`);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: Amazon did not answer as it should: invalid_grant: .*\nCheck the client id/,
    );
    expect(refused.stderr).not.toContain(account.clientSecret);
    expect((await bench.database.owner.query('SELECT FROM connections')).rowCount).toBe(0);
    // What stands in an argument is seen by others.
    expect((await run(add('--client-secret', 'y'))).stderr).toContain("unknown option '--client-secret'");
  });

  it('keeps secrets that work, sealed, and shows them nowhere', async () => {
    const [secretFile, tokenFile] = [join(bench.reports, 'secret'), join(bench.reports, 'token')];
    await writeFile(secretFile, `${account.clientSecret}\n`);
    await writeFile(tokenFile, account.refreshToken);
    const added = await run(add('--client-secret-file', secretFile, '--refresh-token-file', tokenFile));
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toBe('Added "acme" for US. Servers that run begin within a minute.\n');
    const { mode } = await stat(join(bench.dataDirectory, 'secret.key'));
    expect(mode & 0o777).toBe(0o600);
    const outputs = [
      added,
      await run(['connection', 'list', '--json']),
      await run(['connection', 'test', 'acme']),
      await run(['connection', 'rotate', 'acme'], '', {
        KEYRANK_AMAZON_CLIENT_SECRET: account.clientSecret,
        KEYRANK_AMAZON_REFRESH_TOKEN: account.refreshToken,
      }),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(outputs[3]?.stdout).toBe('"acme" has new secrets.\n');
    const { rows } = await bench.database.owner.query('SELECT * FROM connections');
    const seen = JSON.stringify([outputs, rows, (await bench.database.owner.query('SELECT * FROM audit_log')).rows]);
    for (const secret of amazon.secrets) expect(seen).not.toContain(secret);
    expect(JSON.parse(outputs[1]?.stdout ?? '')).toEqual([
      expect.objectContaining({
        name: 'acme',
        region: 'na',
        marketplaces: ['US'],
        client_id: account.clientId,
        organization_id: null,
        fault: null,
      }),
    ]);
  });

  it('refuses a marketplace of another region or that is fetched already, an account and a name that are taken', async () => {
    expect((await run(add('--marketplaces', 'DE', '--name', 'b'))).stderr).toContain(
      'DE is no marketplace of the region na.',
    );
    const ofNobody = await run(add('--marketplaces', 'MX', '--name', 'b', '--organization', 'Nobody'));
    expect(ofNobody.stderr).toMatch(/^error: There is no organization/);
    const secrets = `${account.clientSecret}\n${account.refreshToken}\n`;
    const same = await run(add('--name', 'b', '--marketplaces', 'MX'), secrets);
    expect(same.stderr).toContain('The connection "acme" is of the same account.');
    const { operator } = bench.database;
    const { connection } = await getConnection(operator, 'acme');
    await expect(checkNewConnection(operator, { ...connection, name: 'b' })).rejects.toThrow(
      'US is fetched by the connection "acme" already.',
    );
    await expect(checkNewConnection(operator, { ...connection, marketplaces: ['MX'] })).rejects.toThrow(
      'There is a connection "acme" already.',
    );
    await expect(getConnection(operator, 'nobody')).rejects.toThrow('There is no connection "nobody".');
  });

  it('seals anew with another key, in the file or in the setting, and opens nothing without it', async () => {
    const { dataDirectory } = bench;
    const opened = async (secretKeys: string | null) => {
      const { connection, sealed } = await getConnection(bench.database.operator, 'acme');
      return (await SecretKeys.open({ secretKeys, dataDirectory })).open(connection.id, sealed);
    };
    const { clientSecret, refreshToken } = account;
    const keyFile = join(dataDirectory, 'secret.key');
    const before = await readFile(keyFile, 'utf8');
    expect(await run(['connection', 'rotate-key'])).toMatchObject({ code: 0 });
    const after = await readFile(keyFile, 'utf8');
    expect(after).not.toBe(before);
    expect([after.trim().split('\n').length, (await stat(keyFile)).mode & 0o777]).toEqual([1, 0o600]);
    expect(await opened(null)).toEqual({ clientSecret, refreshToken });
    // A connection that is added meanwhile may have been sealed with the key before.
    const place = { secretKeys: null, dataDirectory };
    await SecretKeys.addKey(place);
    await SecretKeys.dropOldKeys(place, await listKeyIds(bench.database.operator));
    expect((await readFile(keyFile, 'utf8')).trim().split('\n')).toHaveLength(2);
    expect(await opened(null)).toEqual({ clientSecret, refreshToken });
    const own = Buffer.alloc(32, 7).toString('base64');
    const both = `${own},${after.trim()}`;
    expect(await run(['connection', 'rotate-key'], '', { KEYRANK_SECRET_KEY: both })).toMatchObject({ code: 0 });
    expect(await opened(own)).toEqual({ clientSecret, refreshToken });
    await expect(opened(null)).rejects.toThrow(
      /^The secrets are sealed with the key [0-9a-f]{16}, which is not here\.$/,
    );
    const lost = await run(['connection', 'rotate-key']);
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('sealed the secrets of "acme" is not here.')]);
    expect((await readFile(keyFile, 'utf8')).trim().split('\n')).toHaveLength(2);
    await expect(opened('too-short')).rejects.toThrow('KEYRANK_SECRET_KEY does not hold keys of 32 bytes.');
    settings.KEYRANK_SECRET_KEY = own;
  });
});

describe('keyrank serve', () => {
  it('waits for the key, fetches reports, goes on where a server that was killed left off, and logs no secret', async () => {
    const weeks = listWantedPeriods({ lookBackWeeks: 1, lookBackMonths: 0, since: null }, 'weekly', new Date());
    for (const period of weeks) {
      amazon.addReport(account, { marketplaceId: findMarketplaceId('US', 'na') ?? '', period });
    }
    const { KEYRANK_SECRET_KEY: key = '' } = settings;
    const other = Buffer.alloc(32, 9).toString('base64');
    const without = await startServerProcess({ ...settings, KEYRANK_SECRET_KEY: other });
    const fault = async () => (await bench.database.operator.query('SELECT fault FROM connections')).rows[0]?.fault;
    await until(async () => (await fault()) !== null);
    expect(await fault()).toMatch(/^The secrets are sealed with the key .* keyrank connection rotate NAME$/);
    const keyless = await without.stop();
    const retried = await run(['connection', 'retry', '--marketplace', 'US', '--json']);
    expect(JSON.parse(retried.stdout)).toEqual({ retried: 1 });

    const first = await startServerProcess(settings);
    await until(async () => (await find(`state IN ('ready', 'downloaded', 'imported')`)) !== 0);
    expect(await fault()).toBeNull();
    const killed = await first.stop('SIGKILL');
    await using second = await startServerProcess(settings);
    // The leases of the dead server would end within two minutes.
    await bench.database.operator.query('UPDATE downloads SET leased_until = now() WHERE lease IS NOT NULL');
    await until(async () => (await find(`state = 'imported'`)) === 1);
    const status = await run(['connection', 'status', '--all', '--json']);
    const [week] = weeks;
    expect(JSON.parse(status.stdout)).toEqual([
      expect.objectContaining({ marketplace: 'US', period: week && periodKey(week), state: 'imported', revision: 1 }),
    ]);
    expect((await bench.manifest()).periods).toHaveLength(1);
    expect(await readdir(join(bench.dataDirectory, 'downloads'))).toEqual([]);
    const metrics = await (await fetch(`${second.adminUrl}/metrics`)).text();
    expect(metrics).toContain('keyrank_downloads{state="imported"} 1');
    expect(metrics).toContain('keyrank_connections_held 0');
    expect(metrics).toContain('keyrank_periods_late 0');
    const seen = keyless.stderr + killed.stderr + second.log() + status.stdout + metrics;
    for (const secret of [...amazon.secrets, key]) expect(seen).not.toContain(secret);
    expect(amazon.asked.createReport).toBeUndefined();
  });
});

describe('what a server fetched', () => {
  it('is nothing but the report that its name says, whatever else it could be read as', async () => {
    const [right, other] = ['US_weekly_10-2026.sp-api.json', 'CA_weekly_11-2026.sp-api.json'];
    const of = { marketplaceId: 'ATVPDKIKX0DER', start: '2026-03-01', end: '2026-03-07', version: 1, terms: 5 };
    await writeFile(join(bench.reports, right), reportJson(of));
    await writeFile(join(bench.reports, other), 'period_type,period,search_term,rank\nweekly,28-2026,forged,1\n');
    const paths = [right, other].map((name) => join(bench.reports, name));
    const { code, stdout } = await run(['import', '--fetched', ...paths, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ file: paths[0], status: 'done' }),
      expect.objectContaining({ file: paths[1], status: 'failed', error: expect.objectContaining({ line: 1 }) }),
    ]);
    const misnamed = await run(['import', '--fetched', join(bench.reports, 'secret')]);
    expect(misnamed.stderr).toContain('is not named as a server names what it fetched');
  });
});

describe('keyrank connection, later', () => {
  it('is disabled, enabled and removed', async () => {
    expect((await run(['connection', 'disable', 'acme'])).stdout).toBe('Nothing is fetched any more for "acme".\n');
    expect((await run(['connection', 'list'])).stdout).toContain('disabled');
    expect((await run(['connection', 'enable', 'acme'])).stdout).toBe('Reports are fetched again for "acme".\n');
    expect((await run(['connection', 'remove', 'acme'])).stdout).toBe('Removed "acme".\n');
    expect((await bench.database.owner.query('SELECT FROM connections')).rowCount).toBe(0);
    const { rows } = await bench.database.owner.query(
      `SELECT action FROM audit_log WHERE action LIKE 'connection.%' ORDER BY occurred_at`,
    );
    expect(rows.map(({ action }) => action)).toEqual(
      ['add', 'rotate', 'rotate-key', 'rotate-key', 'retry', 'disable', 'enable', 'remove'].map(
        (name) => `connection.${name}`,
      ),
    );
  });
});
