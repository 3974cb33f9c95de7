import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withFreeImportLock, withImportLock } from '../../src/postgres/import-lock.ts';
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

describe('the lock of imports', () => {
  it('lets one work at a time; the next says once that it waits, and works as soon as it can', async () => {
    const first = holdLock();
    await first.held;
    const steps: string[] = [];
    const second = withImportLock(database.operator, { onWait: () => steps.push('waits') }, async () => {
      steps.push('works');
      return 2;
    });
    await sleep(700);
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
    await first.release();
    expect(steps).toEqual([]);
  });

  it('is free again at once, also when the work fails', async () => {
    const failing = withImportLock(database.operator, { onWait: () => {} }, async () => {
      throw new Error('work failed');
    });
    await expect(failing).rejects.toThrow('work failed');
    expect(await withFreeImportLock(database.operator, async () => 'free')).toBe('free');
    expect(await withFreeImportLock(database.operator, async () => 'free again')).toBe('free again');
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
