// The functions in the database that decide on searches and exports, with a clock that stands still.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tenant } from '../../src/domain/account.ts';
import type { SearchAttempt } from '../../src/domain/rate-limit.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { admitSearches, readRateLimit } from '../../src/postgres/rate-log.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember } from '../support/members.ts';

/** The last moments of a month, in the middle of a millisecond. */
const NOW = '2026-04-30T23:59:00.123456Z';
const NOW_MS = Date.parse('2026-04-30T23:59:00.123Z');
const [MINUTE_MS, HOUR_MS, LIMIT] = [60_000, 3_600_000, 100];

let database: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  database = await makeDatabase();
  await database.owner.query('CREATE TABLE test_clock (now timestamptz NOT NULL)');
  await database.owner.query('GRANT SELECT ON test_clock TO keyrank_service');
  await database.owner.query('INSERT INTO test_clock VALUES ($1)', [NOW]);
  await database.owner.query(`CREATE OR REPLACE FUNCTION rate_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$ SELECT now FROM test_clock $$`);
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(async () => {
  await database.owner.query('DELETE FROM organizations; DELETE FROM users');
  tenant = await makeMember(database);
});

function attemptOf(change: Partial<SearchAttempt> = {}): SearchAttempt {
  return { id: randomUUID(), tenant, meter: 'search', endpoint: '/v1/search/keywords', parameters: {}, ...change };
}

function admit(count = 1, pool: Pool = database.service) {
  return admitSearches(
    pool,
    tenant.organizationId,
    Array.from({ length: count }, () => attemptOf()),
  );
}

const read = (pool: Pool = database.service) => readRateLimit(pool, tenant.organizationId);

/** Searches that were admitted so long ago; negative ones lie ahead. */
async function logSearches(ageMicroseconds: number, count = 1, { organizationId } = tenant): Promise<void> {
  await database.owner.query(
    `INSERT INTO rate_log SELECT $1, $2::timestamptz - $3 * interval '1 microsecond' FROM generate_series(1, $4::integer)`,
    [organizationId, NOW, ageMicroseconds, count],
  );
}

/** Ages of what is logged, in microseconds, oldest first. */
async function readLog({ organizationId } = tenant): Promise<readonly number[]> {
  const { rows } = await database.owner.query<{ age: number }>(
    `SELECT round(extract(epoch FROM $2::timestamptz - admitted_at) * 1000000)::bigint AS age
     FROM rate_log WHERE organization_id = $1 ORDER BY admitted_at`,
    [organizationId, NOW],
  );
  return rows.map(({ age }) => age);
}

async function readRows(sql: string) {
  return (await database.owner.query(sql)).rows;
}

/** What is decided when a search of the log frees the next slot in so many milliseconds. */
function stateOf(counted: number, freeInMs: number) {
  return { limit: LIMIT, counted, resetsAt: new Date(NOW_MS + 1 + freeInMs), now: new Date(NOW_MS) };
}

async function whileHolding<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const holder = await database.owner.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    return await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

const WINDOW = 'SELECT FROM rate_windows FOR UPDATE';

/** Whether work waits for a lock that is held, or comes to its end meanwhile; it does afterwards in any case. */
async function isWaiting(lock: string, work: () => Promise<unknown>): Promise<boolean> {
  let isDone = false;
  let done: Promise<unknown> = Promise.resolve();
  const waited = await whileHolding(lock, async () => {
    done = work().then(() => {
      isDone = true;
    });
    for (;;) {
      const { rows } = await database.owner.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (isDone || rows.length > 0) return !isDone;
      await sleep(5);
    }
  });
  await done;
  return waited;
}

describe('searches of an hour with room', () => {
  it('are admitted, counted, metered by kind and month, and written to the history', async () => {
    const attempts = [
      attemptOf({ parameters: { query: ['a'] } }),
      attemptOf({ meter: 'asin', endpoint: '/v1/search/asin' }),
      attemptOf(),
    ];
    const decided = await admitSearches(database.service, tenant.organizationId, attempts);
    expect(decided).toEqual([1, 2, 3].map((n) => ({ admitted: true, rateLimit: stateOf(n, HOUR_MS) })));
    expect(await readLog()).toEqual([0, 0, 0]);
    await admit(2);
    expect(await readRows('SELECT month::text, meter, count FROM usage_counts ORDER BY meter')).toEqual([
      { month: '2026-04-01', meter: 'asin', count: 1 },
      { month: '2026-04-01', meter: 'search', count: 4 },
    ]);
    const { organizationId, userId } = tenant;
    const history = await readRows(
      `SELECT id, organization_id, user_id, searched_at::text = '${NOW}'::timestamptz::text AS is_now, endpoint, parameters
       FROM search_history`,
    );
    expect(history).toHaveLength(5);
    for (const { id, endpoint, parameters } of attempts) {
      const entry = { id, organization_id: organizationId, user_id: userId, is_now: true, endpoint, parameters };
      expect(history).toContainEqual(entry);
    }
  });

  it('free the next slot when the oldest of them turns an hour old, to the microsecond', async () => {
    await logSearches(1_000 * HOUR_MS, 5);
    await logSearches(1_000 * HOUR_MS - 1);
    await logSearches(1_000 * MINUTE_MS);
    expect(await read()).toEqual(stateOf(2, 0));
    expect(await admit()).toEqual([{ admitted: true, rateLimit: stateOf(3, 0) }]);
    // Only what counts no more is gone.
    expect(await readLog()).toEqual([1_000 * HOUR_MS - 1, 1_000 * MINUTE_MS, 0]);
  });

  it('free the next slot in the millisecond that is told, also when they are young', async () => {
    // On a whole millisecond, half a minute ago.
    await logSearches(456 + 1_000 * 30_000);
    const resetsAt = new Date(NOW_MS + HOUR_MS - 30_000);
    expect(await read()).toEqual({ ...stateOf(1, 0), resetsAt });
  });

  it('leave no tenant on the connection', async () => {
    const client = await database.service.connect();
    try {
      const { organizationId } = tenant;
      await client.query('RESET keyrank.organization_id');
      await client.query(`SELECT * FROM admit_searches($1, '[]')`, [organizationId]);
      const tenantOf = async () => (await client.query('SELECT current_organization() AS id')).rows;
      expect(await tenantOf()).toEqual([{ id: null }]);
      await client.query(`SELECT * FROM read_rate_limit($1)`, [organizationId]);
      expect(await tenantOf()).toEqual([{ id: null }]);
      await client.query(`SELECT begin_export($1, gen_random_uuid(), 2, interval '1 s')`, [organizationId]);
      expect(await tenantOf()).toEqual([{ id: null }]);
    } finally {
      client.release(true);
    }
  });

  it('are none before the first', async () => {
    expect(await read()).toEqual(stateOf(0, 0));
    expect(await readLog()).toEqual([]);
  });

  it('are admitted in their order until it is full', async () => {
    await logSearches(1_000 * MINUTE_MS, LIMIT - 2);
    const rateLimit = stateOf(LIMIT, HOUR_MS - MINUTE_MS);
    expect(await admit(4)).toEqual([
      { admitted: true, rateLimit: { ...rateLimit, counted: LIMIT - 1 } },
      { admitted: true, rateLimit },
      { admitted: false, rateLimit },
      { admitted: false, rateLimit },
    ]);
    expect(await readLog()).toHaveLength(LIMIT);
    expect(await readRows('SELECT count FROM usage_counts')).toEqual([{ count: 2 }]);
    expect(await readRows('SELECT id FROM search_history')).toHaveLength(2);
  });

  it('wait for a decision that is under way', async () => {
    expect(await isWaiting(WINDOW, () => admit())).toBe(true);
    expect(await readLog()).toEqual([0]);
  });

  it('are decided on under the lock of the window', async () => {
    const client = await database.service.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT * FROM admit_searches($1, $2)', [tenant.organizationId, '[]']);
      const other = database.owner.query('SELECT FROM rate_windows FOR UPDATE NOWAIT');
      await expect(other).rejects.toMatchObject({ code: '55P03' });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

describe('an hour that is full', () => {
  const refused = (counted: number, freeInMs: number) => ({ admitted: false, rateLimit: stateOf(counted, freeInMs) });

  it('admits nothing and writes nothing, and frees a slot when the count falls below the limit', async () => {
    await logSearches(1_000 * 30 * MINUTE_MS, 2);
    await logSearches(1_000 * 20 * MINUTE_MS);
    await logSearches(1_000 * MINUTE_MS, LIMIT - 1);
    await logSearches(1_000 * (HOUR_MS + MINUTE_MS));
    // Two more than the limit, as after a downgrade.
    const freeInMs = HOUR_MS - 20 * MINUTE_MS;
    expect(await read()).toEqual(stateOf(LIMIT + 2, freeInMs));
    expect(await admit(2)).toEqual([refused(LIMIT + 2, freeInMs), refused(LIMIT + 2, freeInMs)]);
    expect(await readLog()).toHaveLength(LIMIT + 3);
    expect(await readRows('SELECT FROM search_history')).toEqual([]);
    expect(await readRows('SELECT FROM usage_counts')).toEqual([]);
  });

  it('is seen while another decision is under way', async () => {
    await logSearches(1_000 * MINUTE_MS, LIMIT);
    const decided = await whileHolding(WINDOW, () => admit(2));
    expect(decided).toEqual(Array(2).fill(refused(LIMIT, HOUR_MS - MINUTE_MS)));
  });

  it('is that of the plan', async () => {
    await database.owner.query(`UPDATE subscriptions SET plan = 'studio'`);
    await logSearches(1_000 * MINUTE_MS, LIMIT);
    expect(await read()).toMatchObject({ limit: 500, counted: LIMIT });
    expect(await admit()).toMatchObject([{ admitted: true, rateLimit: { limit: 500, counted: LIMIT + 1 } }]);
    expect(await isWaiting(WINDOW, () => admit())).toBe(true);
  });
});

describe('the functions that servers of the version before call', () => {
  it('go by the plan, whatever limits the server names', async () => {
    await logSearches(1_000 * MINUTE_MS, LIMIT);
    const { organizationId } = tenant;
    const limits = JSON.stringify({ pro: 1 });
    const state = await database.service.query('SELECT * FROM read_rate_limit($1, $2)', [organizationId, limits]);
    expect(state.rows).toMatchObject([{ rate_limit: LIMIT, counted: LIMIT }]);
    const attempts = JSON.stringify([{}]);
    const values = [organizationId, limits, attempts];
    const decided = await database.service.query('SELECT * FROM admit_searches($1, $2, $3)', values);
    expect(decided.rows).toMatchObject([{ admitted: false, rate_limit: LIMIT }]);
  });
});

describe('without an active subscription', () => {
  it.each([
    ['an inactive one', `status = 'inactive'`, false],
    ['one that ends now', `period_end = '${NOW}'`, false],
    ['one that ends in a moment', `period_end = '${NOW}'::timestamptz + interval '1 microsecond'`, true],
  ])('nothing is decided: %s', async (_what, change, isActive) => {
    await database.owner.query(`UPDATE subscriptions SET ${change}`);
    expect((await read()) !== undefined).toBe(isActive);
    expect((await admit()) !== undefined).toBe(isActive);
    await logSearches(1_000 * MINUTE_MS, LIMIT);
    // Who has none is not told of a full hour either, but waits for the decision.
    expect(await isWaiting(WINDOW, () => admit())).toBe(!isActive);
    expect(await readRows('SELECT FROM search_history')).toHaveLength(isActive ? 1 : 0);
  });

  it('nor without a window to lock', async () => {
    await database.owner.query('DELETE FROM rate_windows');
    await expect(admit()).rejects.toThrow(`organization ${tenant.organizationId} has no rate window to lock`);
  });
});

describe('searches that are dated ahead', () => {
  it('are taken for now by whoever looks, when they lie more than a minute ahead', async () => {
    await logSearches(-1_000 * MINUTE_MS);
    await logSearches(-1_000 * MINUTE_MS - 1);
    expect(await read()).toEqual(stateOf(2, HOUR_MS));
    expect(await readLog()).toEqual([0, -1_000 * MINUTE_MS]);
  });

  it('are taken for now by a decision, however little ahead', async () => {
    await logSearches(-1);
    await logSearches(-1_000 * HOUR_MS);
    await logSearches(1);
    await admit();
    expect(await readLog()).toEqual([1, 0, 0, 0]);
  });

  it('free their slot within the hour also while another decision is under way', async () => {
    await logSearches(-1_000 * MINUTE_MS, 1);
    await logSearches(-1_000 * MINUTE_MS - 1, LIMIT - 1);
    const [refusal] = (await whileHolding(WINDOW, () => admit())) ?? [];
    expect(refusal).toMatchObject({ admitted: false, rateLimit: stateOf(LIMIT, HOUR_MS) });
  });
});

describe('another organization', () => {
  it('is neither looked at nor touched, also where row-level security shows it', async () => {
    const other = await makeMember(database, { plan: 'studio' });
    for (const age of [2 * HOUR_MS, MINUTE_MS, -HOUR_MS]) await logSearches(1_000 * age, 1, other);
    const before = await readLog(other);
    expect(await read(database.owner)).toEqual(stateOf(0, 0));
    expect(await admit(1, database.owner)).toEqual([{ admitted: true, rateLimit: stateOf(1, HOUR_MS) }]);
    expect(await readLog(other)).toEqual(before);
    const theirs = `SELECT FROM rate_windows WHERE organization_id = '${other.organizationId}' FOR UPDATE`;
    expect(await isWaiting(theirs, () => admit(1, database.owner))).toBe(false);
    await logSearches(1_000 * MINUTE_MS, LIMIT - 2);
    const ours = `SELECT FROM rate_windows WHERE organization_id = '${tenant.organizationId}' FOR UPDATE`;
    const decided = await whileHolding(ours, () => admit(1, database.owner));
    expect(decided).toMatchObject([{ admitted: false, rateLimit: { limit: LIMIT, counted: LIMIT } }]);
    await database.owner.query('DELETE FROM subscriptions WHERE organization_id = $1', [tenant.organizationId]);
    expect(await read(database.owner)).toBeUndefined();
    expect(await admit(1, database.owner)).toBeUndefined();
    await database.owner.query('DELETE FROM rate_windows WHERE organization_id = $1', [tenant.organizationId]);
    await expect(admit(1, database.owner)).rejects.toThrow('has no rate window to lock');
  });
});

describe('places for exports', () => {
  const begin = async (pool: Pool = database.service, places = 2) => {
    const { rows } = await pool.query<{ entered: boolean }>(
      `SELECT begin_export($1, gen_random_uuid(), $2, interval '60 s') AS entered`,
      [tenant.organizationId, places],
    );
    return rows[0]?.entered;
  };
  const addLease = (seconds: number, { organizationId } = tenant) =>
    database.owner.query(
      `INSERT INTO export_leases VALUES (gen_random_uuid(), $1, clock_timestamp() + make_interval(secs => $2))`,
      [organizationId, seconds],
    );
  const listSecondsLeft = async () =>
    (
      await readRows(
        'SELECT round(extract(epoch FROM expires_at - clock_timestamp()))::int AS left FROM export_leases ORDER BY 1',
      )
    ).map(({ left }) => left);

  it('are taken until there are none, on the meter of the month', async () => {
    expect([await begin(), await begin(), await begin()]).toEqual([true, true, false]);
    expect(await listSecondsLeft()).toEqual([60, 60]);
    const isThisMonth = `month = date_trunc('month', now() AT TIME ZONE 'UTC')::date AS is_this_month`;
    const counts = await readRows(`SELECT meter, count, ${isThisMonth} FROM usage_counts`);
    expect(counts).toEqual([{ meter: 'exports', count: 2, is_this_month: true }]);
  });

  it('are free again when their lease has ended, and none is kept for longer than a lease that begins now', async () => {
    await addLease(-1);
    await addLease(20);
    await addLease(3_600);
    expect(await begin(database.service, 3)).toBe(true);
    expect(await listSecondsLeft()).toEqual([20, 60, 60]);
  });

  it('are taken one after the other', async () => {
    expect(await isWaiting(WINDOW, () => begin())).toBe(true);
  });

  it('of another organization are neither counted nor touched, also where row-level security shows them', async () => {
    const other = await makeMember(database);
    for (const seconds of [-100, 20, 3_600]) await addLease(seconds, other);
    expect(await begin(database.owner)).toBe(true);
    expect(await listSecondsLeft()).toEqual([-100, 20, 60, 3_600]);
    const theirs = `SELECT FROM rate_windows WHERE organization_id = '${other.organizationId}' FOR UPDATE`;
    expect(await isWaiting(theirs, () => begin(database.owner))).toBe(false);
  });
});
