import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseApiKey } from '../../src/domain/api-key.ts';
import { Accounts } from '../../src/postgres/accounts.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { Listener } from '../../src/postgres/listener.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const NOW = new Date();

let database: TestDatabase;

beforeAll(async () => {
  database = await makeDatabase();
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Acme', subscription });
});
afterAll(() => database[Symbol.asyncDispose]());

/** How often a key is looked up for many requests that come at once; its use is written once beside. */
async function countLookUps(isListening: boolean): Promise<number> {
  const { key } = await createApiKey(database.operator, {
    organization: 'Acme',
    userEmail: 'a@b',
    scopes: [],
    expiresAt: null,
  });
  const listener = await Listener.open({ server: database.server, onError: () => {} });
  const accounts = await Accounts.open({ pool: database.service, listener, onError: () => {} });
  if (!isListening) await listener[Symbol.asyncDispose]();
  const parsed = parseApiKey(key);
  if (!parsed) throw new Error('the key just made is none');
  let connections = 0;
  const count = (): void => {
    connections += 1;
  };
  database.service.on('acquire', count);
  const found = await Promise.all(Array.from({ length: 100 }, () => accounts.find(parsed, NOW)));
  expect(found.every((account) => account !== undefined)).toBe(true);
  await accounts[Symbol.asyncDispose]();
  database.service.off('acquire', count);
  if (isListening) await listener[Symbol.asyncDispose]();
  return connections - 1;
}

describe('keys of requests that come at once', () => {
  it('are looked up once while changes can be heard of', async () => {
    expect(await countLookUps(true)).toBe(1);
  });

  it('are looked up once more while they cannot: whoever came during the first shares the next', async () => {
    expect(await countLookUps(false)).toBe(2);
  });
});
