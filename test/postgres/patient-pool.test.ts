import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { outsidePostgres } from '../../src/postgres/connection.ts';
import { inTransaction, isDatabaseUnavailable, openRequestPool, type Pool } from '../../src/postgres/pool.ts';
import { type ChaosProxy, openChaosProxy } from '../support/chaos-proxy.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let proxy: ChaosProxy;
let pool: Pool;

beforeAll(async () => {
  database = await makeDatabase();
  proxy = await openChaosProxy(inject('postgres'));
  const url = new URL(`postgres://keyrank_owner@127.0.0.1:${proxy.port}${database.url.pathname}`);
  const settings = { role: 'keyrank_service', maxConnections: 4, onIdleError: () => {} } as const;
  pool = openRequestPool(outsidePostgres(url), settings);
});
afterAll(async () => {
  // What the proxy swallowed would never say goodbye.
  await proxy[Symbol.asyncDispose]();
  await pool.end();
  await database[Symbol.asyncDispose]();
});

async function useAllConnections(): Promise<void> {
  await Promise.all(Array.from({ length: 4 }, () => pool.query('SELECT pg_sleep(0.05)')));
}

describe('a pool for requests', () => {
  it.each([
    ['a statement', () => pool.query('SELECT 1')],
    ['a transaction', () => inTransaction(pool, (transaction) => transaction.query('SELECT 1'))],
  ])('gives up %s when everything is swallowed, and is well at once when it is not', async (_what, work) => {
    await useAllConnections();
    proxy.setWeather({ kind: 'black-hole' });
    const failure = await work().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(isDatabaseUnavailable(failure)).toBe(true);
    proxy.setWeather({ kind: 'fair' });
    // None of the connections that lay idle in the black hole is lent again.
    for (let n = 0; n < 8; n += 1) await work();
  });

  it('has a statement that takes too long undone by the server', async () => {
    await expect(pool.query('SELECT pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
    await pool.query('SELECT 1');
  });
});
