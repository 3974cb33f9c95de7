// Searches of one organization that arrive while a decision is under way.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tenant } from '../../src/domain/account.ts';
import { AdmissionQueue } from '../../src/postgres/admission-queue.ts';
import { DatabaseBusyError } from '../../src/postgres/fair-pool.ts';
import { KnownRefusals } from '../../src/postgres/known-refusals.ts';
import { Listener } from '../../src/postgres/listener.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember } from '../support/members.ts';

const LIMIT = 500;

let database: TestDatabase;
let listener: Listener;
let queue: AdmissionQueue;
let tenant: Tenant;
let questions: number;
const locks: AsyncDisposable[] = [];
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
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.owner.query('DELETE FROM organizations; DELETE FROM users');
  tenant = await makeMember(database, { plan: 'studio' });
  // Whoever is asked about has not just been heard of.
  queue = new AdmissionQueue(database.service, await KnownRefusals.open(listener));
  questions = 0;
});

function admit(count: number, of = tenant) {
  return Array.from({ length: count }, () =>
    queue.admit({ id: randomUUID(), tenant: of, meter: 'search', endpoint: '/', parameters: {} }),
  );
}

/** Decisions wait until this is disposed of. */
async function holdDecisions(): Promise<AsyncDisposable> {
  const client = await database.owner.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE rate_log IN ACCESS EXCLUSIVE MODE');
  let isHeld = true;
  const lock = {
    [Symbol.asyncDispose]: async () => {
      if (!isHeld) return;
      isHeld = false;
      await client.query('ROLLBACK');
      client.release();
    },
  };
  locks.push(lock);
  return lock;
}

const messageOf = ({ reason }: PromiseRejectedResult) => (reason as Error).message;
const fateOf = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' ? messageOf(result) : result.status;

describe('searches that arrive during a decision', () => {
  it('are decided together, up to 200 at a time, each with its own count', async () => {
    const lock = await holdDecisions();
    const waiting = admit(1 + 200 + 1);
    const [elsewhere] = admit(1, await makeMember(database));
    await expect.poll(() => questions).toBe(2);
    await lock[Symbol.asyncDispose]();
    const decided = await Promise.all(waiting);
    expect(decided.every((each) => each?.admitted)).toBe(true);
    expect(decided.map((each) => each?.rateLimit.counted)).toEqual(Array.from({ length: 202 }, (_, i) => i + 1));
    expect((await elsewhere)?.rateLimit.counted).toBe(1);
    expect(questions).toBe(4);
    // And the next one alone.
    expect((await admit(1)[0])?.rateLimit.counted).toBe(203);
    expect(questions).toBe(5);
  });

  it('are refused with the first one that was, without another question', async () => {
    await database.owner.query(
      `INSERT INTO rate_log SELECT $1, clock_timestamp() FROM generate_series(1, $2::integer)`,
      [tenant.organizationId, LIMIT],
    );
    const lock = await holdDecisions();
    const waiting = admit(3);
    await lock[Symbol.asyncDispose]();
    const decided = await Promise.all(waiting);
    expect(decided).toMatchObject(Array(3).fill({ admitted: false, rateLimit: { limit: LIMIT, counted: LIMIT } }));
    expect(questions).toBe(1);
    expect(await admit(1)[0]).toMatchObject({ admitted: false });
    expect(questions).toBe(1);
  });

  it('are told that there is no subscription', async () => {
    await database.owner.query('DELETE FROM subscriptions');
    expect(await Promise.all(admit(2))).toEqual([undefined, undefined]);
  });

  it('fail with it when the database is not there, and are decided on later ones', async () => {
    const lock = await holdDecisions();
    const waiting = Promise.allSettled(admit(3));
    const endWaiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'keyrank keyrank_service' AND wait_event_type = 'Lock'`;
    while ((await database.owner.query(endWaiting)).rowCount === 0) await sleep(5);
    const outcomes = await waiting;
    await lock[Symbol.asyncDispose]();
    expect(new Set(outcomes.map(fateOf))).toEqual(new Set(['terminating connection due to administrator command']));
    expect(questions).toBe(1);
    expect(await admit(1)[0]).toMatchObject({ admitted: true });
  });

  it('are asked about on their own when the decision failed for another reason', async () => {
    await database.owner.query('DELETE FROM rate_windows');
    const waiting = admit(2);
    const outcomes = await Promise.allSettled(waiting);
    const fault = `organization ${tenant.organizationId} has no rate window to lock`;
    expect(outcomes.map(fateOf)).toEqual([fault, fault]);
    expect(questions).toBe(2);
  });

  it('are sent away when they have waited as long as a request may', async () => {
    const other = await makeMember(database);
    const lock = await holdDecisions();
    const [early, alone] = [admit(2), admit(2, other)];
    // By the clock of the event loop, which a busy process slows down.
    for (let i = 0; i < 30; i += 1) await sleep(50);
    const [late] = admit(1);
    await lock[Symbol.asyncDispose]();
    const outcomes = await Promise.allSettled([...early, late, ...alone]);
    const sentAway = new DatabaseBusyError().message;
    expect(outcomes.map(fateOf)).toEqual(['fulfilled', sentAway, 'fulfilled', 'fulfilled', sentAway]);
    expect(outcomes[2]).toMatchObject({ value: { admitted: true } });
  });
});
