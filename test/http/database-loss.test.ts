import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';

let database: TestDatabase;
let server: ServerProcess;
let key: string;

beforeAll(async () => {
  database = await makeDatabase();
  const subscription = { plan: 'studio', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Acme', subscription });
  const request = { organization: 'Acme', userEmail: 'ada@acme.example', scopes: SCOPES, expiresAt: null };
  key = (await createApiKey(database.operator, request)).key;
  server = await startServerProcess({ DATABASE_URL: database.url.href });
});
afterAll(async () => {
  await server.stop();
  await database[Symbol.asyncDispose]();
});

describe('a service whose database connections break all the time', () => {
  it('answers 200 or 503 with Retry-After, never dies, and is well as soon as they hold', async () => {
    let isBreaking = true;
    const statuses = new Map<number, number>();
    const paths = ['/v1/usage', '/v1/search/history', '/v1/search/keywords?query=tea', '/v1/meters'];
    const client = async (path: string) => {
      while (isBreaking) {
        const answer = await sendRequest(server.url + path, { key });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('1');
      }
    };
    const clients = [...paths, ...paths].map(client);
    for (let round = 0; round < 30; round += 1) {
      await database.owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name LIKE 'keyrank%' AND pid <> pg_backend_pid()
           AND application_name NOT IN ('keyrank keyrank_owner', 'keyrank keyrank_operator')`,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    isBreaking = false;
    await Promise.all(clients);
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503 && status !== 429)).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(0);
    await expect.poll(async () => (await sendRequest(`${server.url}/v1/usage`, { key })).status).toBe(200);
  });
});
