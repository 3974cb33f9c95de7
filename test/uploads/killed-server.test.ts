import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openWorkbench } from '../ingest/workbench.ts';
import { serviceLogin, startServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';

// Imports run at low priority, so on a busy machine they take their time.
vi.setConfig({ testTimeout: 300_000 });

const ROWS = Array.from({ length: 20_000 }, (_, i) => `weekly,20-2026,term ${i},${i + 1}\n`).join('');
const REPORT = `period_type,period,search_term,rank\n${ROWS}`;

it('a server that is killed while a file comes, and again while it is checked, goes on with it', async () => {
  await using bench = await openWorkbench();
  const { operator } = bench.database;
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(operator, { name: 'Acme', subscription });
  const grant = { organization: 'Acme', userEmail: 'ada@acme.example', scopes: ['import'], expiresAt: null } as const;
  const { key } = await createApiKey(operator, grant);
  await operator.query('UPDATE users SET is_operator = true');
  const DATABASE_URL = bench.database.url.href;
  const settings = { DATABASE_URL, ...serviceLogin({ DATABASE_URL }), KEYRANK_DATA_DIR: bench.dataDirectory };

  const first = await startServerProcess(settings);
  const made = await sendRequest(`${first.url}/v1/imports`, {
    ...{ method: 'POST', key },
    body: JSON.stringify({ file_name: 'US_ranks.csv', size_bytes: REPORT.length }),
  });
  const path = `/v1/imports/${made.json.data.id}`;
  const send = (url: string, from: number, to?: number) =>
    sendRequest(`${url}${path}/content`, {
      ...{ method: 'PATCH', key, headers: { 'upload-offset': String(from) } },
      body: REPORT.slice(from, to),
    });
  const read = async (url: string) => (await sendRequest(url + path, { key })).json.data;
  expect((await send(first.url, 0, 100_000)).status).toBe(200);
  await first.stop('SIGKILL');

  const second = await startServerProcess(settings);
  expect((await read(second.url)).uploaded_bytes).toBe(100_000);
  expect((await send(second.url, 100_000)).status).toBe(200);
  while ((await read(second.url)).state !== 'checking') await sleep(5);
  await second.stop('SIGKILL');

  // The lease of a server that died ends by itself, in a minute.
  await operator.query('UPDATE imports SET leased_until = now()');
  await using third = await startServerProcess(settings);
  await expect.poll(async () => (await read(third.url)).state, { timeout: 120_000 }).toBe('checked');
  expect((await read(third.url)).report).toMatchObject({ rows: 20_000, periods: [{ keywords: 20_000 }] });
});
