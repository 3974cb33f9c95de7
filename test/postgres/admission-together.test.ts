// Searches of many organizations that are decided in one statement.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OrganizationId, Subscription, Tenant } from '../../src/domain/account.ts';
import type { SearchAttempt } from '../../src/domain/rate-limit.ts';
import { AdmissionQueue } from '../../src/postgres/admission-queue.ts';
import { KnownRefusals } from '../../src/postgres/known-refusals.ts';
import { Listener } from '../../src/postgres/listener.ts';
import { openPool } from '../../src/postgres/pool.ts';
import { admitTogether } from '../../src/postgres/rate-log.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember } from '../support/members.ts';

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
/** Searches per hour of the plans. */
const [PRO, STUDIO] = [100, 500];

let database: TestDatabase;
let listener: Listener;
let queue: AdmissionQueue;
let questions: number;
beforeAll(async () => {
  database = await makeDatabase();
  listener = await Listener.open({ server: database.server, onError: () => {} });
  database.service.on('acquire', () => {
    questions += 1;
  });
});
afterAll(async () => {
  await listener[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.owner.query('DELETE FROM organizations; DELETE FROM users');
  queue = new AdmissionQueue(database.service, await KnownRefusals.open(listener));
});

async function makeMembers(count: number, subscription: Partial<Subscription> = {}): Promise<Tenant[]> {
  const members: Tenant[] = [];
  for (let n = 0; n < count; n += 1) members.push(await makeMember(database, subscription));
  questions = 0;
  return members;
}

function attemptOf(tenant: Tenant, change: Partial<SearchAttempt> = {}): SearchAttempt {
  return { id: randomUUID(), tenant, meter: 'search', endpoint: '/', parameters: {}, ...change };
}

function decide(attempts: readonly SearchAttempt[]) {
  const byOrganization = new Map<OrganizationId, SearchAttempt[]>();
  for (const attempt of attempts) {
    const { organizationId } = attempt.tenant;
    byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), attempt]);
  }
  return admitTogether(database.service, byOrganization);
}

async function logSearches({ organizationId }: Tenant, ageMs: number, count = 1): Promise<void> {
  await database.owner.query(
    `INSERT INTO rate_log SELECT $1, clock_timestamp() - $2 * interval '1 ms' FROM generate_series(1, $3::integer)`,
    [organizationId, ageMs, count],
  );
}

async function countRows(table: string, { organizationId }: Tenant): Promise<number> {
  const { rows } = await database.owner.query(
    `SELECT count(*)::integer AS count FROM ${table} WHERE organization_id = $1`,
    [organizationId],
  );
  return rows[0].count;
}

/** A transaction of somebody else that holds what the statement locks, until it is disposed of. */
async function hold(sql: string, { organizationId }: Tenant): Promise<AsyncDisposable> {
  const client = await database.owner.connect();
  await client.query('BEGIN');
  await client.query(sql, [organizationId]);
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

const WINDOW = 'SELECT FROM rate_windows WHERE organization_id = $1 FOR UPDATE';
const MEMBERSHIP = 'SELECT FROM memberships WHERE organization_id = $1 FOR UPDATE';

describe('a decision on several organizations', () => {
  it('admits, counts, meters and notes the searches of each by its own plan', async () => {
    const [ada, bob] = [await makeMember(database), await makeMember(database, { plan: 'studio' })];
    const eve = await makeMember(database, { colleague: bob });
    await logSearches(bob, HOUR_MS + MINUTE_MS, 3);
    await logSearches(bob, MINUTE_MS, 2);
    await logSearches(bob, 2 * MINUTE_MS);
    const attempts = [
      attemptOf(ada, { parameters: { query: ['a'] } }),
      attemptOf(bob, { meter: 'asin', endpoint: '/asin' }),
      attemptOf(eve),
      attemptOf(bob),
    ];
    const decided = await decide(attempts);
    const statesOf = ({ organizationId }: Tenant) =>
      decided.get(organizationId)?.map(({ admitted, rateLimit: { limit, counted, resetsAt, now } }) => ({
        admitted,
        limit,
        counted,
        freeInMinutes: Math.round((resetsAt.getTime() - now.getTime()) / MINUTE_MS),
      }));
    expect(statesOf(ada)).toEqual([{ admitted: true, limit: PRO, counted: 1, freeInMinutes: 60 }]);
    const theirs = { admitted: true, limit: STUDIO, freeInMinutes: 58 };
    expect(statesOf(bob)).toEqual([4, 5, 6].map((counted) => ({ ...theirs, counted })));
    expect([await countRows('rate_log', ada), await countRows('rate_log', bob)]).toEqual([1, 6]);
    const { rows } = await database.owner.query(
      'SELECT id, organization_id, user_id, endpoint, parameters FROM search_history',
    );
    for (const { id, tenant, endpoint, parameters } of attempts) {
      const entry = { id, organization_id: tenant.organizationId, user_id: tenant.userId, endpoint, parameters };
      expect(rows).toContainEqual(entry);
    }
    for (let twice = 0; twice < 2; twice += 1) await decide([attemptOf(bob)]);
    for (const table of ['usage_counts', 'usage_days']) {
      const sql = `SELECT meter, count FROM ${table} WHERE organization_id = $1 ORDER BY meter`;
      expect((await database.owner.query(sql, [ada.organizationId])).rows).toEqual([{ meter: 'search', count: 1 }]);
      expect((await database.owner.query(sql, [bob.organizationId])).rows).toEqual([
        { meter: 'asin', count: 1 },
        { meter: 'search', count: 4 },
      ]);
    }
  });

  it('passes over whoever is no plain case, and leaves it as it was', async () => {
    const full = await makeMember(database);
    await logSearches(full, MINUTE_MS, PRO);
    const nearlyFull = await makeMember(database);
    await logSearches(nearlyFull, MINUTE_MS, PRO - 1);
    const ahead = await makeMember(database);
    await logSearches(ahead, -MINUTE_MS);
    const inactive = await makeMember(database, { status: 'inactive' });
    const ended = await makeMember(database, { periodEnd: new Date(Date.now() - 1) });
    const locked = await makeMember(database);
    const without = await makeMember(database);
    await database.owner.query('DELETE FROM rate_windows WHERE organization_id = $1', [without.organizationId]);
    const unsubscribed = await makeMember(database);
    await database.owner.query('DELETE FROM subscriptions WHERE organization_id = $1', [unsubscribed.organizationId]);
    const last = await makeMember(database);
    await logSearches(last, MINUTE_MS, PRO - 2);
    const others = [full, nearlyFull, ahead, inactive, ended, locked, without, unsubscribed];
    const before = await Promise.all(others.map((each) => countRows('rate_log', each)));
    await using _lock = await hold(WINDOW, locked);
    const decided = await decide([...others, last].flatMap((each) => [attemptOf(each), attemptOf(each)]));
    expect([...decided.keys()]).toEqual([last.organizationId]);
    expect(decided.get(last.organizationId)?.map(({ rateLimit }) => rateLimit.counted)).toEqual([PRO - 1, PRO]);
    expect(await Promise.all(others.map((each) => countRows('rate_log', each)))).toEqual(before);
    for (const each of others) {
      expect(await countRows('search_history', each)).toBe(0);
      expect(await countRows('usage_counts', each)).toBe(0);
    }
  });

  it('holds the windows of all of them until it is committed', async () => {
    const members = await makeMembers(3);
    const client = await database.service.connect();
    try {
      await client.query('BEGIN');
      const organizations = `{${members.map(({ organizationId }) => organizationId).join()}}`;
      await client.query(`SELECT * FROM admit_together($1, '[]')`, [organizations]);
      const free = await database.owner.query('SELECT FROM rate_windows FOR UPDATE SKIP LOCKED');
      expect(free.rowCount).toBe(0);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('fails soon when it would have to wait, and leaves nothing behind', async () => {
    const [ada, bob] = (await makeMembers(2)) as [Tenant, Tenant];
    await using _lock = await hold(MEMBERSHIP, bob);
    await expect(decide([attemptOf(ada), attemptOf(bob)])).rejects.toMatchObject({ code: '55P03' });
    expect(await countRows('rate_log', ada)).toBe(0);
  });

  it('sees no more than it names, and names nobody afterwards', async () => {
    const [ada, bob, eve] = (await makeMembers(3)) as [Tenant, Tenant, Tenant];
    await decide([ada, bob, eve].map((each) => attemptOf(each)));
    const client = await database.service.connect();
    const idsIn = async (table: string) =>
      (await client.query<{ id: OrganizationId }>(`SELECT organization_id AS id FROM ${table} ORDER BY 1`)).rows.map(
        ({ id }) => id,
      );
    try {
      const named = [ada.organizationId, bob.organizationId].sort();
      await client.query('BEGIN');
      await client.query(`SELECT * FROM admit_together($1, '[]')`, [`{${named.join()}}`]);
      for (const table of ['rate_windows', 'rate_log', 'subscriptions', 'usage_counts', 'usage_days']) {
        expect(await idsIn(table), table).toEqual(named);
      }
      for (const table of ['search_history', 'memberships', 'api_keys', 'shares']) {
        expect(await idsIn(table), table).toEqual([]);
      }
      await client.query('SAVEPOINT before');
      const smuggled = client.query('INSERT INTO rate_log VALUES ($1, now())', [eve.organizationId]);
      await expect(smuggled).rejects.toThrow('row-level security');
      await client.query('ROLLBACK TO before');
      const ahead = client.query('UPDATE rate_log SET admitted_at = now()');
      expect((await ahead).rowCount).toBe(0);
      await client.query('COMMIT');
      expect(await idsIn('rate_log')).toEqual([]);
    } finally {
      client.release(true);
    }
  });
});

describe('searches of several organizations that arrive together', () => {
  const admit = (tenant: Tenant) => queue.admit(attemptOf(tenant));

  it('are decided in one question behind those that came first', async () => {
    const members = await makeMembers(12);
    const decided = await Promise.all(members.map(admit));
    expect(decided).toMatchObject(members.map(() => ({ admitted: true, rateLimit: { counted: 1 } })));
    // The first two alone, at once.
    expect(questions).toBe(3);
  });

  it('are gathered for a moment while the threads that search have others to do', async () => {
    let waitMs = Number.POSITIVE_INFINITY;
    queue = new AdmissionQueue(database.service, await KnownRefusals.open(listener), () => waitMs);
    const members = await makeMembers(12);
    const sinceMs = performance.now();
    const decided = await Promise.all(members.map(admit));
    expect(performance.now() - sinceMs).toBeGreaterThan(9);
    expect(decided).toMatchObject(members.map(() => ({ admitted: true, rateLimit: { counted: 1 } })));
    expect(questions).toBe(1);
    const waiting = Promise.all(members.map(admit));
    waitMs = 0;
    expect(await waiting).toMatchObject(members.map(() => ({ rateLimit: { counted: 2 } })));
    expect(questions).toBe(2);
  });

  it('have mixed fates, each its own', async () => {
    const members = await makeMembers(3);
    const full = await makeMember(database);
    await logSearches(full, MINUTE_MS, PRO);
    const nearlyFull = await makeMember(database);
    await logSearches(nearlyFull, MINUTE_MS, PRO - 1);
    const inactive = await makeMember(database, { status: 'inactive' });
    const searching = [...members, nearlyFull, full, inactive, nearlyFull, full, ...(await makeMembers(1))];
    const decided = await Promise.all(searching.map(admit));
    const fates = decided.map((each) => each && [each.admitted, each.rateLimit.counted]);
    const first = [true, 1];
    expect(fates.slice(0, 6)).toEqual([first, first, first, [true, PRO], [false, PRO], undefined]);
    expect(fates.slice(6)).toEqual([[false, PRO], [false, PRO], first]);
  });

  it.each([
    ['window', WINDOW],
    ['membership', MEMBERSHIP],
  ])('do not wait for one of them whose %s is locked', async (_what, sql) => {
    const members = await makeMembers(7);
    const [locked] = members.splice(3, 1) as [Tenant];
    const lock = await hold(sql, locked);
    const waiting: ReturnType<typeof admit>[] = [];
    try {
      for (let round = 1; round <= 3; round += 1) {
        const others = members.map((each, n) => {
          if (n === 3) waiting.push(admit(locked));
          return admit(each);
        });
        // Whoever waited would wait for the end of this test.
        const decided = await Promise.all(others);
        expect(decided).toMatchObject(members.map(() => ({ admitted: true, rateLimit: { counted: round } })));
      }
    } finally {
      await lock[Symbol.asyncDispose]();
    }
    expect(await Promise.all(waiting)).toMatchObject([1, 2, 3].map((counted) => ({ rateLimit: { counted } })));
  });

  it('do not fail with one of them', async () => {
    const members = await makeMembers(6);
    const [stranger] = members.splice(3, 1) as [Tenant];
    await database.owner.query('DELETE FROM memberships WHERE organization_id = $1', [stranger.organizationId]);
    for (let round = 1; round <= 2; round += 1) {
      const [failed, ...decided] = await Promise.allSettled([
        ...members.slice(0, 2).map(admit),
        admit(stranger),
        ...members.slice(2).map(admit),
      ]).then((outcomes) => [outcomes[2], ...outcomes.filter((_, n) => n !== 2)]);
      expect(failed).toMatchObject({ status: 'rejected', reason: { code: '23503' } });
      expect(decided).toMatchObject(members.map(() => ({ value: { admitted: true, rateLimit: { counted: round } } })));
    }
  });

  it('are decided apart from one with many, which gets no more than its hour has', async () => {
    const members = await makeMembers(4);
    const busy = await makeMember(database);
    const decided = await Promise.all([
      ...members.map(admit),
      ...Array.from({ length: PRO + 1 }, () => admit(busy)),
      ...members.map(admit),
    ]);
    const theirs = decided.slice(members.length, -members.length);
    expect(theirs.filter((each) => each?.admitted)).toHaveLength(PRO);
    expect(theirs.at(-1)).toMatchObject({ admitted: false });
    expect(decided.slice(-members.length)).toMatchObject(members.map(() => ({ rateLimit: { counted: 2 } })));
  });

  it('are sent away together when the database takes no more, and decided on later', async () => {
    const members = await makeMembers(8);
    const client = await database.owner.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE rate_windows IN ACCESS EXCLUSIVE MODE');
    const waiting = Promise.allSettled(members.map(admit));
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'keyrank keyrank_service' AND wait_event_type = 'Lock'`;
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    while (!isOver) await database.owner.query(cut);
    await client.query('ROLLBACK');
    client.release();
    const outcomes = await waiting;
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await Promise.all(members.map(admit))).toMatchObject(members.map(() => ({ admitted: true })));
  });
});

it('two servers that decide on the same organizations at once admit what each hour has room for, exactly', async () => {
  const ROOM = 12;
  const members = await makeMembers(10);
  for (const each of members) await logSearches(each, MINUTE_MS, PRO - ROOM);
  const pool = openPool(database.server, { role: 'keyrank_service', maxConnections: 4, onIdleError: () => {} });
  try {
    const elsewhere = new AdmissionQueue(pool, await KnownRefusals.open(listener));
    const search = async (by: AdmissionQueue, tenants: readonly Tenant[]): Promise<number> => {
      let admitted = 0;
      for (let round = 0; round < ROOM; round += 1) {
        const decided = await Promise.all(tenants.map((each) => by.admit(attemptOf(each))));
        admitted += decided.filter((each) => each?.admitted).length;
      }
      return admitted;
    };
    // In opposite orders, in which locks that wait for each other would never end.
    const admitted = await Promise.all([search(queue, members), search(elsewhere, members.toReversed())]);
    expect(admitted[0] + admitted[1]).toBe(members.length * ROOM);
    for (const each of members) {
      expect(await countRows('rate_log', each)).toBe(PRO);
      expect(await countRows('search_history', each)).toBe(ROOM);
    }
  } finally {
    await pool.end();
  }
});
