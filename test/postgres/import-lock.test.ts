import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IMPORT_LOCK, withFreeImportLock, withImportLock } from '../../src/postgres/import-lock.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
const holders: ReturnType<typeof holdLock>[] = [];
afterEach(async () => {
  for (const { release } of holders.splice(0)) await release();
});

/** Holds the lock until it is told to let go. */
function holdLock(): { readonly held: Promise<void>; release(): Promise<string> } {
  let letGo = () => {};
  let done: Promise<string> = Promise.resolve('');
  const held = new Promise<void>((resolve) => {
    done = withImportLock(database.operator, { onWait: () => {} }, async () => {
      resolve();
      await new Promise<void>((end) => {
        letGo = end;
      });
      return 'done';
    });
  });
  const holder = {
    held,
    release: async () => {
      letGo();
      return await done;
    },
  };
  holders.push(holder);
  return holder;
}

/** Its connections do what is given in place of what node-postgres does. */
function poolWith(changes: (client: pg.PoolClient) => Partial<Pick<pg.PoolClient, 'query' | 'release'>>): Pool {
  const connect = async () => {
    const client = await database.operator.connect();
    const usual = { query: client.query.bind(client), release: client.release.bind(client) };
    return Object.assign(Object.create(client), { ...usual, ...changes(client) });
  };
  return Object.create(database.operator, { connect: { value: connect } });
}

/** Whether any session has the lock. */
async function isHeld(): Promise<boolean> {
  const { rowCount } = await database.owner.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [IMPORT_LOCK],
  );
  return rowCount === 1;
}

const WAYS = [
  ['an import', (pool: Pool) => withImportLock(pool, { onWait: () => {} }, async () => 'done')],
  ['work that needs not be done', (pool: Pool) => withFreeImportLock(pool, async () => 'done')],
] as const;

describe('the lock of imports', () => {
  it('lets one work at a time; the next says once that it waits, and works as soon as it can', async () => {
    const first = holdLock();
    await first.held;
    const steps: string[] = [];
    let looks = 0;
    const looking = poolWith((client) => ({
      query: (async (...given: Parameters<typeof client.query>) => {
        if (String(given[0]).includes('pg_try_advisory_lock')) looks += 1;
        return await client.query(...given);
      }) as typeof client.query,
    }));
    const startMs = performance.now();
    const second = withImportLock(looking, { onWait: () => steps.push('waits') }, async () => {
      steps.push('works');
      return 2;
    });
    while (looks < 4) await sleep(5);
    // It looks again after a pause, so that others can work meanwhile.
    expect(performance.now() - startMs).toBeGreaterThan(3 * 190);
    expect(steps).toEqual(['waits']);
    expect(await first.release()).toBe('done');
    expect(await second).toBe(2);
    expect(steps).toEqual(['waits', 'works']);
  });

  it('is waited for by nobody who finds it free', async () => {
    const steps: string[] = [];
    await withImportLock(database.operator, { onWait: () => steps.push('waits') }, async () => steps.push('works'));
    expect(steps).toEqual(['works']);
  });

  it('is given up by one who is told to stop, without having worked', async () => {
    const first = holdLock();
    await first.held;
    const steps: string[] = [];
    const controller = new AbortController();
    const second = withImportLock(
      database.operator,
      { onWait: () => controller.abort(new Error('stopped')), signal: controller.signal },
      async () => steps.push('works'),
    );
    await expect(second).rejects.toThrow('stopped');
    const { signal } = controller;
    const third = withImportLock(database.operator, { onWait: () => steps.push('waits'), signal }, async () => {});
    await expect(third).rejects.toThrow('stopped');
    await first.release();
    expect(steps).toEqual(['waits']);
  });

  it('is free again at once, also when the work fails', async () => {
    const failing = withImportLock(database.operator, { onWait: () => {} }, async () => {
      throw new Error('work failed');
    });
    await expect(failing).rejects.toThrow('work failed');
    expect(await withFreeImportLock(database.operator, async () => 'free')).toBe('free');
    expect(await withFreeImportLock(database.operator, async () => 'free again')).toBe('free again');
  });

  it.each(WAYS)('is given back by %s before its connection is closed', async (_who, work) => {
    const open: pg.PoolClient[] = [];
    const keeping = poolWith((client) => ({ release: () => void open.push(client) }));
    expect(await work(keeping)).toBe('done');
    expect(await isHeld()).toBe(false);
    for (const client of open) client.release(true);
  });

  it.each(WAYS)('is given back by %s with its connection when nothing else can', async (_who, work) => {
    const failing = poolWith((client) => ({
      query: (async (...given: Parameters<typeof client.query>) => {
        if (String(given[0]).includes('unlock')) throw new Error('no unlocking');
        return await client.query(...given);
      }) as typeof client.query,
    }));
    expect(await work(failing)).toBe('done');
    while (await isHeld()) await sleep(5);
  });

  it('keeps work that needs not be done from being done meanwhile', async () => {
    const first = holdLock();
    await first.held;
    const steps: string[] = [];
    expect(await withFreeImportLock(database.operator, async () => steps.push('works'))).toBeUndefined();
    expect(steps).toEqual([]);
    await first.release();
  });

  it('lets statements take as long as they need, on a connection that nobody gets afterwards', async () => {
    const timeoutOf = async (connection: { query: typeof database.operator.query }) =>
      (await connection.query<{ statement_timeout: string }>('SHOW statement_timeout')).rows[0]?.statement_timeout;
    const usual = await timeoutOf(database.operator);
    const seen = await withImportLock(database.operator, { onWait: () => {} }, async (connection) => {
      const { rows } = await connection.query<{ statement_timeout: string }>('SHOW statement_timeout');
      return rows[0]?.statement_timeout;
    });
    expect(seen).toBe('0');
    expect(usual).not.toBe('0');
    const after = await Promise.all(Array.from({ length: 4 }, () => timeoutOf(database.operator)));
    expect(new Set(after)).toEqual(new Set([usual]));
  });
});
