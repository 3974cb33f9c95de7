import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OrganizationId, Tenant } from '../../src/domain/account.ts';
import { type Admission, type RateLimitState, retryAfterSeconds } from '../../src/domain/rate-limit.ts';
import { AdmissionQueue } from '../../src/postgres/admission-queue.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { KnownRefusals } from '../../src/postgres/known-refusals.ts';
import { Listener } from '../../src/postgres/listener.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { endListeners, makeDatabase, type TestDatabase } from '../support/database.ts';

const LIMIT = 100;
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let listener: Listener;
let queue: AdmissionQueue;
let known: KnownRefusals;
/** Of what is known of refusals; it stands still unless it is set on. */
let clockMs = 0;
let organizations = 0;
let name: string;
let tenant: Tenant;

beforeAll(async () => {
  database = await makeDatabase();
  listener = await Listener.open({ server: database.server, onError: () => {} });
  known = await KnownRefusals.open(listener, () => clockMs);
  queue = new AdmissionQueue(database.service, known);
});
afterAll(async () => {
  await listener[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  organizations += 1;
  name = `Organization ${organizations}`;
  tenant = await makeTenant(name);
});

describe('an organization that has used up its hour', () => {
  it('is refused without the database, with the time that is left', async () => {
    const refused = await useUp();
    await using _lock = await holdDecisions();
    clockMs += 300;
    const again = stateOf(await admit());
    expect(again).toEqual({ ...refused, now: new Date(refused.now.getTime() + 300) });
    expect(retryAfterSeconds(again)).toBeLessThanOrEqual(3_600);
  });

  it('is refused without waiting for a decision that is under way elsewhere', async () => {
    await useUp();
    clockMs += 1_000;
    await using _lock = await lockWindow();
    // Whoever waited would wait for the end of this test.
    const { limit, counted } = stateOf(await admit());
    expect({ limit, counted }).toEqual({ limit: LIMIT, counted: LIMIT });
  });

  it('is asked about again after a second at most', async () => {
    await useUp();
    await database.owner.query('DELETE FROM rate_log WHERE organization_id = $1', [tenant.organizationId]);
    clockMs += 999;
    expect((await admit())?.admitted).toBe(false);
    clockMs += 1;
    expect((await admit())?.admitted).toBe(true);
  });

  it('gets a slot at the moment it frees, and not before', async () => {
    await useUp();
    // By the true clock, because the database decides by its own.
    const timed = new AdmissionQueue(database.service, await KnownRefusals.open(listener));
    const { resetsAt } = await untilSoonFree(timed);
    const outcomes: { readonly admitted: boolean | undefined; readonly beforeMs: number; readonly afterMs: number }[] =
      [];
    while (!outcomes.at(-1)?.admitted) {
      const beforeMs = Date.now();
      outcomes.push({ admitted: (await admit(timed))?.admitted, beforeMs, afterMs: Date.now() });
      await sleep(5);
    }
    // Database and test share a clock; the slot frees somewhere in the millisecond that is told.
    const early = outcomes.filter(({ admitted, afterMs }) => admitted && afterMs < resetsAt.getTime());
    const late = outcomes.filter(({ admitted, beforeMs }) => !admitted && beforeMs > resetsAt.getTime());
    expect({ early, late }).toEqual({ early: [], late: [] });
  });

  it('is helped by a larger plan as soon as that is heard of', async () => {
    await useUp();
    await database.owner.query(`UPDATE subscriptions SET plan = 'studio' WHERE organization_id = $1`, [
      tenant.organizationId,
    ]);
    // Nothing but the news can help: the clock stands still.
    while (!(await admit())?.admitted) await sleep(5);
  });

  it('is asked about again when a change of its plan was heard of during the decision', async () => {
    const refused = await useUp();
    clockMs += 1_000;
    const lock = await holdDecisions();
    const waiting = admit();
    const witness = randomUUID() as OrganizationId;
    known.beginDecision()(witness, [{ admitted: false, rateLimit: refused }]);
    await database.owner.query('UPDATE subscriptions SET updated_at = now() WHERE organization_id = $1', [
      tenant.organizationId,
    ]);
    // All that is known is forgotten when a change is heard of.
    while (known.find(witness)) await sleep(5);
    await lock[Symbol.asyncDispose]();
    expect((await waiting)?.admitted).toBe(false);
    await database.owner.query('DELETE FROM rate_log WHERE organization_id = $1', [tenant.organizationId]);
    expect((await admit())?.admitted).toBe(true);
  });

  it('is asked about each time while changes cannot be heard of', async () => {
    await useUp();
    await database.owner.query('DELETE FROM rate_log WHERE organization_id = $1', [tenant.organizationId]);
    await endListeners(database);
    while (listener.isConnected) await sleep(1);
    expect((await admit())?.admitted).toBe(true);
    while (!listener.isConnected) await sleep(10);
  });
});

function admit(by = queue): Promise<Admission | undefined> {
  return by.admit({ id: randomUUID(), tenant, meter: 'search', endpoint: '/v1/search/keywords', parameters: {} });
}

/** The state with which the first search above the limit is refused. */
async function useUp(): Promise<RateLimitState> {
  const outcomes = await Promise.all(Array.from({ length: LIMIT }, () => admit()));
  expect(outcomes.every((outcome) => outcome?.admitted)).toBe(true);
  const refused = stateOf(await admit());
  const leftMs = refused.resetsAt.getTime() - refused.now.getTime();
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
  return refused;
}

/** The state shortly before a slot frees, however long it takes to get there. */
async function untilSoonFree(by: AdmissionQueue): Promise<RateLimitState> {
  for (;;) {
    await database.owner.query(
      `UPDATE rate_log SET admitted_at = clock_timestamp() - interval '1 hour' + interval '600 milliseconds'
        WHERE organization_id = $1`,
      [tenant.organizationId],
    );
    const admission = await admit(by);
    if (!admission?.admitted) return stateOf(admission);
  }
}

function stateOf(admission: Admission | undefined): RateLimitState {
  expect(admission?.admitted).toBe(false);
  if (!admission) throw new Error('there is no active subscription');
  return admission.rateLimit;
}

/** Whoever admits a search waits for it. */
function lockWindow(): Promise<AsyncDisposable> {
  return holdLock(`SELECT FROM rate_windows WHERE organization_id = '${tenant.organizationId}' FOR UPDATE`);
}

/** Nobody can even look how full the hour is. */
function holdDecisions(): Promise<AsyncDisposable> {
  return holdLock('LOCK TABLE rate_log IN ACCESS EXCLUSIVE MODE');
}

async function holdLock(statement: string): Promise<AsyncDisposable> {
  const client = await database.owner.connect();
  await client.query('BEGIN');
  await client.query(statement);
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

async function makeTenant(organization: string): Promise<Tenant> {
  await createOrganization(database.operator, {
    name: organization,
    subscription: { plan: 'pro', status: 'active', periodEnd: null },
  });
  await createApiKey(database.operator, { organization, userEmail: 'a@b', scopes: [], expiresAt: null });
  const { rows } = await database.operator.query<Tenant>(
    `SELECT organization_id AS "organizationId", user_id AS "userId"
      FROM memberships JOIN organizations ON organizations.id = organization_id WHERE name = $1`,
    [organization],
  );
  const [made] = rows;
  if (!made) throw new Error('there is no member');
  return made;
}
