import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { outsidePostgres } from '../../src/postgres/connection.ts';
import { LISTENER_NAME, Listener } from '../../src/postgres/listener.ts';
import { openChaosProxy } from '../support/chaos-proxy.ts';
import { endListeners, makeDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe('a listening connection that is lost', () => {
  it('fails nobody who subscribes before anyone noticed, and the next one hears what is said', async () => {
    const lost: unknown[] = [];
    await using listener = await Listener.open({ server: database.server, onError: (error) => lost.push(error) });
    await endListeners(database);
    holdEventLoop(200);
    const heard: unknown[] = [];
    await listener.subscribe({
      channel: 'news',
      onNotification: async ({ payload }) => {
        heard.push(payload);
      },
    });
    expect(lost).toHaveLength(1);
    await expect.poll(() => listener.isConnected).toBe(true);
    await database.service.query(`SELECT pg_notify('news', 'again')`);
    await expect.poll(() => heard).toEqual(['again']);
  });

  it('is not made again for one that was closed while it connected', async () => {
    await using proxy = await openChaosProxy(inject('postgres'));
    const url = new URL(`postgres://keyrank_owner@127.0.0.1:${proxy.port}${database.url.pathname}`);
    const listener = await Listener.open({ server: outsidePostgres(url), onError: () => {} });
    proxy.setWeather({ kind: 'latency', ms: 300 });
    await endListeners(database);
    await expect.poll(() => listener.isConnected).toBe(false);
    // The server knows the new connection before its greeting is back.
    await expect.poll(countListeners).toBe(1);
    expect(listener.isConnected).toBe(false);
    await listener[Symbol.asyncDispose]();
    await expect.poll(countListeners).toBe(0);
  });
});

/** As in a process with too much to do: what the system says meanwhile is heard only afterwards. */
function holdEventLoop(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

async function countListeners(): Promise<number> {
  const { rows } = await database.owner.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`,
    [LISTENER_NAME],
  );
  return rows[0]?.count ?? 0;
}
