// The last line of defence: what a server does about a defect that nobody handled, and about a tenant who looks for one.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { plainReport, untilTold } from '../support/publications.ts';
import { sendRequest } from '../support/service.ts';

const FIXTURE = new URL('../support/stray-faults-on-signal.mjs', import.meta.url).href;

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
}, 120_000);
afterAll(() => bench[Symbol.asyncDispose]());

function start(planted: string): Promise<ServerProcess> {
  return startServerProcess({
    DATABASE_URL: bench.database.url.href,
    KEYRANK_DATA_DIR: bench.dataDirectory,
    KEYRANK_WORKERS: '1',
    NODE_OPTIONS: `--import ${FIXTURE}`,
    PLANTED: planted,
  });
}

async function untilLogged(server: ServerProcess, text: string): Promise<void> {
  while (!server.log().includes(text)) await sleep(20);
}

const metricsOf = async ({ adminUrl }: ServerProcess) => (await sendRequest(`${adminUrl}/metrics`)).text;

describe('a server', () => {
  it.each(['error', 'nothing'])(
    'goes on after a rejection that nobody handles (%s), and tells of it',
    async (planted) => {
      await using server = await start(planted);
      expect(await metricsOf(server)).toContain('keyrank_process_faults_total{fault="unhandled_rejection"} 0');
      server.child.kill('SIGUSR2');
      await untilLogged(server, 'a promise was rejected and nobody handled it');
      if (planted === 'error') expect(server.log()).toContain('planted rejection');
      expect(await metricsOf(server)).toContain('keyrank_process_faults_total{fault="unhandled_rejection"} 1');
      expect((await sendRequest(`${server.url}/readyz`)).status).toBe(200);
      expect((await server.stop('SIGTERM')).code).toBe(0);
    },
  );

  it('stops gracefully after an exception that nobody catches, and exits with 1', async () => {
    await using server = await start('exception');
    server.child.kill('SIGUSR2');
    const [code] = await new Promise<readonly [number | null]>((resolve) =>
      server.child.once('close', (...args) => resolve(args as unknown as [number])),
    );
    expect(server.log()).toContain('planted exception');
    expect(server.log()).toContain('"msg":"stopped"');
    expect(code).toBe(1);
  });

  it('survives a webhook whose name is an alias without records, and says so in the log of deliveries', async () => {
    const { operator } = bench.database;
    const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
    await createOrganization(operator, { name: 'Acme', subscription });
    const user = { organization: 'Acme', userEmail: 'ada@example.com' };
    const { key } = await createApiKey(operator, { ...user, scopes: SCOPES, expiresAt: null });
    await using server = await start('error');
    const body = JSON.stringify({ url: 'https://alias.example.com/' });
    const made = await sendRequest(`${server.url}/v1/webhooks`, { method: 'POST', key, body });
    expect(made.status).toBe(201);
    const file = join(bench.reports, 'month.csv');
    await writeFile(file, plainReport({ frequency: 'monthly', period: '01-2026' }, { anything: 1 }));
    expect((await bench.importOne(file)).status).toBe('done');
    await untilTold(bench.database);
    const log = async () =>
      (await sendRequest(`${server.url}/v1/webhooks/${made.json.data.id}/deliveries`, { key })).json.data;
    while ((await log())[0]?.error === null) await sleep(20);
    expect(await log()).toMatchObject([{ status: 'pending', attempts: 1, error: 'the name has no address' }]);
    expect(server.log()).not.toContain('nobody handled');
    expect((await server.stop('SIGTERM')).code).toBe(0);
  });
});
