import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../src/domain/account.ts';
import type { Admission } from '../../src/domain/rate-limit.ts';
import { CHANGES_CHANNEL } from '../../src/postgres/account-changes.ts';
import { KnownRefusals } from '../../src/postgres/known-refusals.ts';
import { Listener } from '../../src/postgres/listener.ts';
import { endListeners, makeDatabase, type TestDatabase } from '../support/database.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const MAX_ORGANIZATIONS = 10_000;

let database: TestDatabase;
let listener: Listener;
let known: KnownRefusals;
let clockMs = 0.7;
let organizationId: OrganizationId;

beforeAll(async () => {
  database = await makeDatabase();
  listener = await Listener.open({ server: database.server, onError: () => {} });
});
afterAll(async () => {
  await listener[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  known = await KnownRefusals.open(listener, () => clockMs);
  organizationId = makeId();
});

function makeId(): OrganizationId {
  return randomUUID() as OrganizationId;
}

function decision(admitted: boolean, freeInMs = 60_000): Admission {
  return { admitted, rateLimit: { limit: 2, counted: 2, now: NOW, resetsAt: new Date(NOW.getTime() + freeInMs) } };
}

describe('a refusal', () => {
  it('is known as soon as the last of the decisions is one', () => {
    expect(known.find(organizationId)).toBeUndefined();
    known.beginDecision()(organizationId, [decision(true), decision(false)]);
    expect(known.find(organizationId)).toMatchObject({ admitted: false, rateLimit: { limit: 2, counted: 2 } });
    expect(known.find(makeId())).toBeUndefined();
    const other = makeId();
    known.beginDecision()(other, [decision(false)]);
    expect([known.find(organizationId), known.find(other)]).toEqual([expect.anything(), expect.anything()]);
  });

  it('is not known of one who was admitted, or has no subscription', () => {
    known.beginDecision()(organizationId, [decision(false), decision(true)]);
    known.beginDecision()(organizationId, undefined);
    known.beginDecision()(organizationId, []);
    expect(known.find(organizationId)).toBeUndefined();
  });

  it('is told with a clock that goes on, and never runs ahead', () => {
    known.beginDecision()(organizationId, [decision(false)]);
    clockMs += 50.9;
    const told = known.find(organizationId)?.rateLimit.now.getTime() ?? 0;
    expect(told - NOW.getTime()).toBe(50);
  });

  it('is known for a second at most', () => {
    clockMs = 1_000;
    known.beginDecision()(organizationId, [decision(false)]);
    clockMs += 999;
    expect(known.find(organizationId)).toBeDefined();
    clockMs += 1;
    expect(known.find(organizationId)).toBeUndefined();
  });

  it('ends by the clock of the process when no other is given', async () => {
    const timed = await KnownRefusals.open(listener);
    timed.beginDecision()(organizationId, [decision(false, 100)]);
    while (timed.find(organizationId)) await sleep(5);
  });

  it('is not known any more when the slot frees', () => {
    known.beginDecision()(organizationId, [decision(false, 200)]);
    clockMs += 198;
    expect(known.find(organizationId)).toBeDefined();
    clockMs += 1.5;
    expect(known.find(organizationId)).toBeUndefined();
    known.beginDecision()(organizationId, [decision(false, 1)]);
    expect(known.find(organizationId)).toBeUndefined();
  });

  it('is forgotten with every change of accounts, and so is one that was decided meanwhile', async () => {
    known.beginDecision()(organizationId, [decision(false)]);
    const note = known.beginDecision();
    await database.operator.query('SELECT pg_notify($1, $2)', [CHANGES_CHANNEL, '']);
    while (known.find(organizationId)) await sleep(5);
    note(organizationId, [decision(false)]);
    expect(known.find(organizationId)).toBeUndefined();
    known.beginDecision()(organizationId, [decision(false)]);
    expect(known.find(organizationId)).toBeDefined();
  });

  it('is forgotten when changes cannot be heard of any more, and known again when they can', async () => {
    known.beginDecision()(organizationId, [decision(false)]);
    const note = known.beginDecision();
    await endListeners(database);
    while (known.find(organizationId)) await sleep(5);
    note(organizationId, [decision(false)]);
    expect(known.find(organizationId)).toBeUndefined();
    while (!listener.isConnected) await sleep(5);
    known.beginDecision()(organizationId, [decision(false)]);
    expect(known.find(organizationId)).toBeDefined();
  });

  it(`is one of ${MAX_ORGANIZATIONS} at most`, () => {
    for (let i = 1; i < MAX_ORGANIZATIONS; i += 1) known.beginDecision()(makeId(), [decision(false)]);
    known.beginDecision()(organizationId, [decision(false)]);
    expect(known.find(organizationId)).toBeDefined();
    const last = makeId();
    known.beginDecision()(last, [decision(false)]);
    expect([known.find(organizationId), known.find(last)]).toEqual([undefined, expect.anything()]);
  });
});
