import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { createApiKey, disableApiKey, listApiKeys, rotateApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { endListeners, makeDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';

let database: TestDatabase;
let servers: readonly ServerProcess[];

beforeAll(async () => {
  database = await makeDatabase();
  const settings = { DATABASE_URL: database.url.href, LOG_LEVEL: 'trace' };
  servers = await Promise.all([startServerProcess(settings), startServerProcess(settings)]);
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Acme', subscription });
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database[Symbol.asyncDispose]();
});

describe('a key', () => {
  it('is refused by every process with the first request after it was disabled', async () => {
    for (let round = 0; round < 20; round += 1) {
      const key = await makeKey();
      expect(await statuses(key)).toEqual([200, 200]);
      expect(await statuses(key)).toEqual([200, 200]);
      await disableApiKey(database.operator, key);
      expect(await statuses(key)).toEqual([401, 401]);
    }
  });

  it('is replaced in one step by rotation', async () => {
    const old = await makeKey();
    expect(await statuses(old)).toEqual([200, 200]);
    const { key } = await rotateApiKey(database.operator, old);
    expect(await statuses(key)).toEqual([200, 200]);
    expect(await statuses(old)).toEqual([401, 401]);
  });

  it('is not remembered while changes cannot be heard of', async () => {
    const key = await makeKey();
    expect(await statuses(key)).toEqual([200, 200]);
    // Cut the connections that listen, and disable the key before they can be back.
    await endListeners(database);
    await disableApiKey(database.operator, key);
    expect(await statuses(key)).toEqual([401, 401]);
  });

  it('has its last use recorded', async () => {
    const key = await makeKey();
    const before = Date.now() - 1000;
    await statuses(key);
    await expect
      .poll(async () => {
        const record = (await listApiKeys(database.operator)).find(({ prefix }) => key.startsWith(prefix));
        return record?.lastUsedAt?.getTime() ?? 0;
      })
      .toBeGreaterThan(before);
  });

  it('leaves one line in the log for each request, with the id of the answer', async () => {
    const key = await makeKey();
    const answer = await sendRequest(`${servers[0]?.url}/v1/meters?zzz=1`, { key });
    const id = answer.headers.get('x-request-id');
    await expect.poll(() => servers[0]?.log()).toContain(`"requestId":"${id}"`);
    const lines = (servers[0]?.log() ?? '').split('\n').filter((line) => line.includes(String(id)));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      msg: 'request',
      method: 'GET',
      route: '/v1/meters',
      status: 400,
      durationMs: expect.any(Number),
      organization: expect.any(String),
    });
  });

  it('never stands in the log or in the database, only its hash', async () => {
    const key = await makeKey();
    await sendRequest(`${servers[0]?.url}/v1/${key}?query=${key}`, { key });
    await sendRequest(`${servers[0]?.url}/v1/search/keywords?query=${key}`, { key });
    expect(servers.map((server) => server.log()).join('')).not.toContain(key.slice(10));
    const { rows } = await database.owner.query(
      `SELECT encode(hash, 'hex') AS hash, api_keys::text AS row FROM api_keys`,
    );
    expect(JSON.stringify(rows)).not.toContain(key.slice(10));
    expect(rows[0].hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

async function makeKey(): Promise<string> {
  const request = { organization: 'Acme', userEmail: 'ada@acme.example', scopes: SCOPES, expiresAt: null };
  return (await createApiKey(database.operator, request)).key;
}

async function statuses(key: string): Promise<readonly number[]> {
  return await Promise.all(
    servers.map(async (server) => (await sendRequest(`${server.url}/v1/meters`, { key })).status),
  );
}
