import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OrganizationId, Tenant, UserId } from '../../src/domain/account.ts';
import { outsidePostgres } from '../../src/postgres/connection.ts';
import { type Errand, FairPool } from '../../src/postgres/fair-pool.ts';
import { changeInTenant, inTransaction, isDatabaseUnavailable, openRequestPool } from '../../src/postgres/pool.ts';
import { type ChaosProxy, openChaosProxy } from '../support/chaos-proxy.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let proxy: ChaosProxy;
let pool: FairPool;

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

const reading = (organization: string): Errand => ({ organization, kind: 'reading' });

describe('a pool for requests', () => {
  it.each([
    ['a statement', () => pool.query('SELECT 1')],
    ['a transaction', () => inTransaction(pool, (transaction) => transaction.query('SELECT 1'))],
  ])('gives up %s when everything is swallowed, and is well at once when it is not', async (_what, work) => {
    await pool.open(4);
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

describe('connections are lent in turns', () => {
  const MAX_CONNECTIONS = 4;
  let patient: FairPool;
  beforeAll(async () => {
    // So long that nothing is cut on a machine that is busy otherwise.
    patient = openTestPool(600_000);
    await patient.open(MAX_CONNECTIONS);
  });
  afterAll(() => patient.end());

  function openTestPool(limitMs: number): FairPool {
    return new FairPool({ ...database.server.connection('keyrank_service'), max: MAX_CONNECTIONS }, limitMs);
  }

  /** Which of these are lent at once, one after the other; all are given back in the end. */
  async function listLent(errands: readonly Errand[]): Promise<readonly boolean[]> {
    const lent: pg.PoolClient[] = [];
    const borrowed: Promise<unknown>[] = [];
    const isLent: boolean[] = [];
    for (const errand of errands) {
      const before = lent.length;
      borrowed.push(patient.borrow(errand).then((client) => lent.push(client)));
      // Connections are open: a loan that is not held back needs no message from outside.
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      isLent.push(lent.length > before);
    }
    for (let given = 0; given < errands.length; given += 1) {
      while (lent.length === 0) await new Promise((resolve) => setImmediate(resolve));
      lent.shift()?.release();
    }
    await Promise.all(borrowed);
    return isLent;
  }

  it('so that one organization never has all of them', async () => {
    const errands: readonly Errand[] = [
      reading('a'),
      reading('a'),
      reading('a'),
      { organization: 'a', kind: 'changing' },
      { organization: 'a', kind: 'admitting' },
      reading('b'),
    ];
    expect(await listLent(errands)).toEqual([true, true, false, true, false, true]);
  });

  it('so that whoever asks for one waits for one turn of whoever asks for many', async () => {
    const order: string[] = [];
    const busy = await Promise.all(['w', 'x', 'y', 'z'].map((organization) => patient.borrow(reading(organization))));
    const use = async (organization: string): Promise<void> => {
      const client = await patient.borrow(reading(organization));
      order.push(organization);
      await client.query('SELECT 1');
      client.release();
    };
    const flood = Array.from({ length: 50 }, () => use('flood'));
    const calm = use('calm');
    for (const client of busy) client.release();
    await calm;
    expect(order.indexOf('calm')).toBeLessThanOrEqual(2);
    await Promise.all(flood);
  });

  it('so that only those who ask for too much are told to come again', async () => {
    const hasty = openTestPool(200);
    await hasty.open(MAX_CONNECTIONS);
    const held = await Promise.all([hasty.borrow(reading('flood')), hasty.borrow(reading('flood'))]);
    const flood = Array.from({ length: 5 }, () => hasty.borrow(reading('flood')));
    const outcomes = await Promise.allSettled([...flood, hasty.borrow(reading('calm'))]);
    const refused = { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 } };
    expect(outcomes).toMatchObject([refused, refused, refused, refused, refused, { status: 'fulfilled' }]);
    for (const client of held) client.release(true);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value.release(true);
    await hasty.end();
  });

  it('so that changes of one organization wait for its locks in the process, not on a connection', async () => {
    const tenant: Tenant = {
      organizationId: '00000000-0000-4000-8000-000000000001' as OrganizationId,
      userId: '00000000-0000-4000-8000-000000000002' as UserId,
    };
    const countWaiting = async (): Promise<number> => {
      const { rows } = await database.owner.query<{ count: number }>(
        `SELECT count(*) AS count FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0]?.count ?? 0;
    };
    const holder = await database.owner.connect();
    await holder.query('SELECT pg_advisory_lock(1)');
    const changes = Array.from({ length: 10 }, () =>
      changeInTenant(patient, tenant, (transaction) => transaction.query('SELECT pg_advisory_xact_lock(1)')),
    );
    while ((await countWaiting()) === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await countWaiting()).toBe(1);
    await holder.query('SELECT pg_advisory_unlock(1)');
    holder.release();
    await Promise.all(changes);
  });
});
