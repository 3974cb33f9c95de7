// Work that cannot be done is given up after its last attempt, is told to the operator once, and stands in nobody's way.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { MAX_ATTEMPTS, RETRY_DELAYS_MS } from '../../src/domain/webhook.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import {
  listWaitingPublications,
  openPublicationQueue,
  retryPublications,
  type SetAsidePublication,
} from '../../src/postgres/publications.ts';
import { openDeliveryQueue, type SetAsideDelivery } from '../../src/postgres/webhook-deliveries.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const ANY = { limit: 10, busyWebhookIds: [] };

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Acme', subscription });
  const user = { organization: 'Acme', userEmail: 'ada@example.com' };
  await createApiKey(database.operator, { ...user, scopes: SCOPES, expiresAt: null });
  await database.owner.query(
    `INSERT INTO webhooks (organization_id, user_id, url, events, secret)
     SELECT organization_id, user_id, 'https://hooks.example.com/', ARRAY['period.published'], $1 FROM memberships`,
    [randomBytes(32)],
  );
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.owner.query('TRUNCATE webhook_deliveries, publications'));

async function queueDelivery(key: string): Promise<void> {
  await database.owner.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT organization_id, id, 'period.published', $1, '{}' FROM webhooks`,
    [key],
  );
}

async function queuePublication(month: number): Promise<void> {
  await database.owner.query(
    `INSERT INTO publications (marketplace, source, frequency, year, number, revision, start_date, end_date, keywords,
       published_at, manifest_version)
     VALUES ('US', 'search', 'monthly', 2026, $1, 1, '2026-01-01', '2026-01-31', 1, now(), 1)`,
    [month],
  );
}

/** As if the longest pause had passed. */
async function passTime(): Promise<void> {
  await database.owner.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'pending'`);
  await database.owner.query('UPDATE publications SET next_attempt_at = now()');
}

describe('a delivery whose server dies in every attempt', () => {
  it('is claimed nine times, at growing distances, and then stands in the log as failed', async () => {
    await queueDelivery('poison');
    const setAside: SetAsideDelivery[] = [];
    const queue = openDeliveryQueue(database.operator, (delivery) => void setAside.push(delivery));
    const pausesMs: number[] = [];
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      expect(await queue.claim(ANY)).toMatchObject([{ attempt }]);
      // Nobody settles it.
      expect(await queue.claim(ANY)).toEqual([]);
      const { rows } = await database.owner.query(
        'SELECT extract(epoch FROM next_attempt_at - last_attempt_at)::float8 * 1000 AS pause FROM webhook_deliveries',
      );
      pausesMs.push(rows[0]?.pause);
      await passTime();
    }
    // The pauses of failed attempts, but no shorter than the lease, and spread.
    for (const [i, plannedMs] of RETRY_DELAYS_MS.entries()) {
      const shortestMs = Math.max(30_000, plannedMs);
      expect(pausesMs[i]).toBeGreaterThanOrEqual(shortestMs - 1);
      expect(pausesMs[i]).toBeLessThan(shortestMs * 1.25);
    }
    expect(setAside).toEqual([]);
    // The next one of the same webhook is not kept waiting.
    await queueDelivery('healthy');
    expect(await queue.claim(ANY)).toMatchObject([{ attempt: 1 }]);
    expect(setAside).toMatchObject([{ error: 'given up: the server stopped during its last attempts' }]);
    await passTime();
    expect(await queue.claim(ANY)).toMatchObject([{ attempt: 2 }]);
    expect(setAside).toHaveLength(1);
    const { rows } = await database.owner.query(
      `SELECT status, attempts, error FROM webhook_deliveries WHERE event_key = 'poison'`,
    );
    expect(rows).toEqual([{ status: 'failed', attempts: MAX_ATTEMPTS, error: setAside[0]?.error }]);
  });
});

describe('a publication', () => {
  const take = (work: () => Promise<boolean>, setAside: SetAsidePublication[] = []) =>
    openPublicationQueue(database.operator, (publication) => void setAside.push(publication)).takeNext(1, work);
  const readAttempts = async () => (await database.owner.query('SELECT attempts FROM publications')).rows;

  it('has its attempt counted while it is worked on, so that it counts when the process dies', async () => {
    await queuePublication(1);
    let die: ((reason: Error) => void) | undefined;
    const dying = take(
      () =>
        new Promise((_resolve, reject) => {
          die = reject;
        }),
    ).catch((error: unknown) => error);
    while (!die) await sleep(5);
    expect(await readAttempts()).toEqual([{ attempts: 1 }]);
    // Another server does not touch it, however long it takes.
    expect(await take(() => expect.unreachable())).toBe(false);
    await database.owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    die(new Error('the process is gone'));
    expect(await dying).toBeInstanceOf(Error);
    expect(await readAttempts()).toEqual([{ attempts: 1 }]);
    await passTime();
    let told = 0;
    expect(await take(async () => ++told > 0)).toBe(true);
    expect(await readAttempts()).toEqual([]);
  });

  it('that fails is tried nine times, is then set aside with its reason, and others are told meanwhile', async () => {
    await queuePublication(1);
    const setAside: SetAsidePublication[] = [];
    const fail = () => Promise.reject(new Error('3 could not be told', { cause: new Error('no\0 luck') }));
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await expect(take(fail, setAside)).rejects.toThrow('3 could not be told');
      await queuePublication(1 + attempt);
      expect(await take(async () => true, setAside)).toBe(true);
      expect(await readAttempts()).toEqual([{ attempts: attempt }]);
      await passTime();
    }
    expect(setAside).toEqual([]);
    expect(await take(() => expect.unreachable(), setAside)).toBe(true);
    expect(setAside).toMatchObject([
      { attempts: MAX_ATTEMPTS, error: '3 could not be told: no luck', news: { period: { year: 2026, number: 1 } } },
    ]);
    await passTime();
    expect(await take(() => expect.unreachable(), setAside)).toBe(false);
    expect(setAside).toHaveLength(1);
    // The operator sees it, and may have it tried again.
    expect(await listWaitingPublications(database.operator)).toMatchObject([
      { attempts: MAX_ATTEMPTS, error: '3 could not be told: no luck', setAsideAt: expect.any(Date) },
    ]);
    expect(await retryPublications(database.operator)).toBe(1);
    expect(await retryPublications(database.operator)).toBe(0);
    expect(await take(async () => true, setAside)).toBe(true);
    expect(await listWaitingPublications(database.operator)).toEqual([]);
    const { rows } = await database.owner.query(`SELECT details FROM audit_log WHERE action = 'publications.retry'`);
    expect(rows).toEqual([{ details: { publications: [setAside[0]?.publicationId] } }]);
  });

  it('that was not finished because the server stopped has lost no attempt', async () => {
    await queuePublication(1);
    for (let stop = 0; stop < MAX_ATTEMPTS + 1; stop += 1) expect(await take(async () => false)).toBe(true);
    expect(await readAttempts()).toEqual([{ attempts: 0 }]);
    expect(await take(async () => true)).toBe(true);
  });
});
