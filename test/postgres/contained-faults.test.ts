// The timers and listeners beside requests: whatever a statement or a subscriber throws, they go on, and nothing reaches the
// process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { Accounts } from '../../src/postgres/accounts.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { ExportLeases } from '../../src/postgres/export-leases.ts';
import { Listener } from '../../src/postgres/listener.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { ResultCounts } from '../../src/postgres/result-counts.ts';
import { endListeners, makeDatabase, type TestDatabase } from '../support/database.ts';
import { FAULT_KINDS, FaultPlan } from '../support/fault-plan.ts';
import { untilReported, watchStrayFaults } from '../support/stray-faults.ts';

let database: TestDatabase;
let stray: ReturnType<typeof watchStrayFaults>;
beforeAll(async () => {
  database = await makeDatabase();
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Acme', subscription });
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => {
  stray = watchStrayFaults();
});
afterEach(async () => {
  await untilReported();
  stray[Symbol.dispose]();
  vi.useRealTimers();
  expect(stray.faults).toEqual([]);
});

/** Whoever is told of a failure may fail too. */
function throwing(): never {
  throw new Error('the log is full');
}

async function makeKey() {
  const request = { organization: 'Acme', userEmail: 'ada@example.com', scopes: SCOPES, expiresAt: null };
  const { key } = await createApiKey(database.operator, request);
  const { rows } = await database.owner.query(
    'SELECT organization_id AS "organizationId", user_id AS "userId" FROM memberships',
  );
  return { key, tenant: rows[0] };
}

describe.each(FAULT_KINDS)('when a call %s', (kind) => {
  it('subscribers: the others hear, and the listener goes on, also after it was lost', async () => {
    await using listener = await Listener.open({ server: database.server, onError: throwing });
    const heard: string[] = [];
    const restored: string[] = [];
    for (let each = 1; each <= 3; each += 1) {
      const faults = new FaultPlan(kind, 1);
      const parts = {
        onNotification: async () => {},
        onRestored: async () => void restored.push('broken'),
        onLost: () => {},
      };
      const broken = faults.wrap(parts, { atOnce: ['onLost'] });
      const lost = new FaultPlan(kind, 1).wrap(parts, { atOnce: ['onLost'] });
      const again = new FaultPlan(kind, 1).wrap(parts, { atOnce: ['onLost'] });
      await listener.subscribe({
        channel: 'news',
        onNotification: () => broken.onNotification(),
        onLost: () => lost.onLost(),
        onRestored: () => again.onRestored(),
      });
    }
    await listener.subscribe({
      channel: 'news',
      onNotification: async ({ payload }) => void heard.push(payload ?? ''),
      onRestored: async () => void restored.push('sound'),
    });
    await database.service.query(`SELECT pg_notify('news', 'one')`);
    await expect.poll(() => heard).toEqual(['one']);
    await endListeners(database);
    await expect.poll(() => restored.includes('sound')).toBe(true);
    await database.service.query(`SELECT pg_notify('news', 'two')`);
    await expect.poll(() => heard).toEqual(['one', 'two']);
  });

  it('counts of results: what comes later is written', async () => {
    const { tenant } = await makeKey();
    const { rows } = await database.owner.query<{ id: string }>(
      `INSERT INTO search_history (organization_id, user_id, searched_at, endpoint, parameters)
       SELECT organization_id, user_id, now(), 'x', '{}' FROM memberships RETURNING id`,
    );
    const searchId = rows[0]?.id ?? '';
    await using counts = new ResultCounts(new FaultPlan(kind, 1).wrapPool(database.service), throwing);
    counts.record({ tenant, searchId, resultCount: 1 });
    await counts.flush();
    counts.record({ tenant, searchId, resultCount: 2 });
    await counts.flush();
    const written = await database.owner.query('SELECT result_count FROM search_history WHERE id = $1', [searchId]);
    expect(written.rows).toEqual([{ result_count: 2 }]);
  });

  it('leases of exports: they are renewed at the next turn, and given back without a failure', async () => {
    const { tenant } = await makeKey();
    for (let callNumber = 2; callNumber <= 5; callNumber += 1) {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const leases = new ExportLeases(new FaultPlan(kind, callNumber).wrapPool(database.service), throwing);
      const lease = await leases.enter(tenant);
      const expiry = async () =>
        (await database.owner.query('SELECT max(expires_at)::text AS at FROM export_leases')).rows[0]?.at;
      const before = await expiry();
      await expect
        .poll(async () => {
          vi.advanceTimersByTime(20_000);
          return await expiry();
        })
        .not.toBe(before);
      vi.useRealTimers();
      await lease?.[Symbol.asyncDispose]();
      await database.owner.query('TRUNCATE export_leases');
    }
  });

  it('accounts: a key is found, whatever becomes of the note of its use', async () => {
    const { key } = await makeKey();
    await using listener = await Listener.open({ server: database.server, onError: throwing });
    for (let callNumber = 2; callNumber <= 4; callNumber += 1) {
      const pool = new FaultPlan(kind, callNumber).wrapPool(database.service);
      await using accounts = await Accounts.open({ pool, listener, onError: throwing });
      expect(await accounts.find(key, new Date())).toBeDefined();
    }
  });
});
