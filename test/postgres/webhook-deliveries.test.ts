import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AttemptOutcome, DeliveryQueue } from '../../src/domain/webhook.ts';
import {
  listDeliveries,
  openDeliveryQueue,
  type SetAsideDelivery,
  settlePaused,
  sweepDeliveries,
} from '../../src/postgres/webhook-deliveries.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember, makeWebhook } from '../support/members.ts';

const MINUTE_MS = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.owner.query('DELETE FROM organizations; DELETE FROM users'));

/** What stands in the table, in the order of its keys. */
async function readAll(columns: string) {
  return (await database.owner.query(`SELECT ${columns} FROM webhook_deliveries ORDER BY event_key, webhook_id`)).rows;
}

/** A delivery that is due, unless it is changed. */
async function queue(webhookId: string, key: string, change = ''): Promise<string> {
  const { rows } = await database.owner.query<{ id: string }>(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT organization_id, id, 'period.published', $2, '{"key":"' || $2 || '"}' FROM webhooks WHERE id = $1 RETURNING id`,
    [webhookId, key],
  );
  const id = rows[0]?.id ?? '';
  if (change) await database.owner.query(`UPDATE webhook_deliveries SET ${change} WHERE id = $1`, [id]);
  return id;
}

function openQueue(setAside: SetAsideDelivery[] = []): DeliveryQueue {
  return openDeliveryQueue(database.operator, (delivery) => void setAside.push(delivery));
}

describe('a claim', () => {
  it('hands out the delivery that waits longest, one for each webhook that is not busy, up to the limit', async () => {
    const tenant = await makeMember(database);
    const [first, second, third] = [
      await makeWebhook(database, tenant),
      await makeWebhook(database, tenant),
      await makeWebhook(database, tenant),
    ];
    await queue(first, 'later', `next_attempt_at = now() - interval '1 s'`);
    const sooner = await queue(first, 'sooner', `next_attempt_at = now() - interval '2 s', attempts = 3`);
    await queue(first, 'not due', `next_attempt_at = now() + interval '1 hour'`);
    await queue(first, 'settled', `status = 'failed', next_attempt_at = now() - interval '1 h'`);
    await queue(second, 'settled', `status = 'failed'`);
    await queue(second, 'not due', `next_attempt_at = now() + interval '1 hour'`);
    await queue(third, 'busy');
    const claimed = await openQueue().claim({ limit: 10, busyWebhookIds: [third] });
    const { rows } = await database.owner.query('SELECT secret FROM webhooks WHERE id = $1', [first]);
    expect(claimed).toEqual([
      {
        deliveryId: sooner,
        webhookId: first,
        organizationId: tenant.organizationId,
        userId: tenant.userId,
        kind: 'webhook',
        url: 'https://hooks.example.com/',
        secret: rows[0]?.secret,
        payload: '{"key":"sooner"}',
        attempt: 4,
        error: null,
      },
    ]);
    await database.owner.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'pending'`);
    expect(await openQueue().claim({ limit: 2, busyWebhookIds: [] })).toHaveLength(2);
  });

  it('counts the attempt, and puts the next one off by the lease or by the pause of a failure, and up to a fifth more', async () => {
    const id = await makeWebhook(database, await makeMember(database));
    const before = new Date();
    for (const [attempts, pauseMs] of [
      [0, 30_000],
      [1, 60_000],
      [3, 30 * MINUTE_MS],
    ] as const) {
      await database.owner.query('TRUNCATE webhook_deliveries');
      await queue(id, 'key', `attempts = ${attempts}, error = 'answered 503'`);
      await openQueue().claim({ limit: 1, busyWebhookIds: [] });
      const [row] = await readAll('status, attempts, error, last_attempt_at, next_attempt_at');
      expect(row).toMatchObject({ status: 'pending', attempts: attempts + 1, error: 'answered 503' });
      expect(row.last_attempt_at.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1_000);
      const pausedMs = row.next_attempt_at.getTime() - row.last_attempt_at.getTime();
      expect(pausedMs).toBeGreaterThanOrEqual(pauseMs - 1);
      expect(pausedMs).toBeLessThanOrEqual(1.2 * pauseMs + 1_000);
    }
  });

  it('sets aside what has had its attempts, leaves it as it was last tried, and goes on to the next at once', async () => {
    const tenant = await makeMember(database);
    const id = await makeWebhook(database, tenant);
    const poison = await queue(
      id,
      'a',
      `attempts = 9, last_attempt_at = '2026-01-01', next_attempt_at = now() - interval '1 h'`,
    );
    const next = await queue(id, 'b', 'attempts = 8');
    const setAside: SetAsideDelivery[] = [];
    const claimed = await openQueue(setAside).claim({ limit: 10, busyWebhookIds: [] });
    expect(claimed).toMatchObject([{ deliveryId: next, attempt: 9 }]);
    const error = 'given up: the server stopped during its last attempts';
    const { organizationId } = tenant;
    expect(setAside).toEqual([{ deliveryId: poison, webhookId: id, organizationId, error }]);
    expect(await readAll('status, attempts, error, last_attempt_at')).toMatchObject([
      { status: 'failed', attempts: 9, error, last_attempt_at: new Date('2026-01-01T00:00:00Z') },
      { status: 'pending', attempts: 9, error: null },
    ]);
  });

  it('loses nothing that was claimed beside what is set aside', async () => {
    const tenant = await makeMember(database);
    await queue(await makeWebhook(database, tenant), 'a', 'attempts = 9');
    const healthy = await queue(await makeWebhook(database, tenant), 'b');
    expect(await openQueue().claim({ limit: 10, busyWebhookIds: [] })).toMatchObject([
      { deliveryId: healthy, attempt: 1 },
    ]);
    expect(await readAll('attempts')).toEqual([{ attempts: 9 }, { attempts: 1 }]);
  });

  it.each([
    ['operator', 'not sent: the operator paused the webhook'],
    ['no_key', 'not sent: the webhook is paused, because the user who registered it has no usable key'],
  ])('sets aside all that waits for a webhook that is paused (%s)', async (reason, error) => {
    const id = await makeWebhook(database, await makeMember(database));
    await database.owner.query('UPDATE webhooks SET paused_at = now(), paused_reason = $2 WHERE id = $1', [id, reason]);
    for (const key of ['a', 'b']) await queue(id, key);
    const setAside: SetAsideDelivery[] = [];
    expect(await openQueue(setAside).claim({ limit: 10, busyWebhookIds: [] })).toEqual([]);
    expect(setAside.map((each) => each.error)).toEqual([error, error]);
    expect(await readAll('status, attempts, error, last_attempt_at')).toEqual(
      ['a', 'b'].map(() => ({ status: 'failed', attempts: 0, error, last_attempt_at: null })),
    );
  });

  it('does not wait for what another server is claiming', async () => {
    const tenant = await makeMember(database);
    const [locked, free] = [await makeWebhook(database, tenant), await makeWebhook(database, tenant)];
    await queue(locked, 'a');
    await queue(free, 'b');
    const client = await database.owner.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1 FOR UPDATE', [locked]);
      expect(await openQueue().claim({ limit: 10, busyWebhookIds: [] })).toMatchObject([{ webhookId: free }]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('is made by one of many servers', async () => {
    const tenant = await makeMember(database);
    for (let i = 0; i < 10; i += 1) await queue(await makeWebhook(database, tenant), 'key');
    const claims = await Promise.all(
      Array.from({ length: 4 }, () => openQueue().claim({ limit: 10, busyWebhookIds: [] })),
    );
    const ids = claims.flat().map(({ deliveryId }) => deliveryId);
    expect(new Set(ids).size).toBe(ids.length);
    // Each with the secret of its own webhook.
    const { rows } = await database.owner.query('SELECT id, secret FROM webhooks');
    for (const { webhookId, secret } of claims.flat()) {
      expect(rows.find(({ id }) => id === webhookId)?.secret).toEqual(secret);
    }
  });
});

describe('what became of an attempt', () => {
  const REFUSED: AttemptOutcome = { kind: 'refused', responseStatus: 503, error: 'answered 503' };
  const UNREACHABLE: AttemptOutcome = { kind: 'unreachable', error: 'the connection was cut' };
  const ACCEPTED: AttemptOutcome = { kind: 'accepted', responseStatus: 204 };

  it.each<readonly [AttemptOutcome, number | undefined, object]>([
    [ACCEPTED, undefined, { status: 'delivered', response_status: 204, error: null }],
    [REFUSED, 3_600_000, { status: 'pending', response_status: 503, error: 'answered 503' }],
    [REFUSED, undefined, { status: 'failed', response_status: 503, error: 'answered 503' }],
    [UNREACHABLE, 3_600_000, { status: 'pending', response_status: null, error: 'the connection was cut' }],
  ])('is written: %j', async (outcome, retryAfterMs, expected) => {
    const id = await makeWebhook(database, await makeMember(database));
    await queue(id, 'a', 'response_status = 500');
    await queue(id, 'b', `next_attempt_at = now() + interval '1 h'`);
    const [attempt] = await openQueue().claim({ limit: 1, busyWebhookIds: [] });
    if (!attempt) return expect.unreachable();
    await openQueue().settle(attempt, { outcome, retryAfterMs });
    const [row, other] = await readAll(
      `status, response_status, error, attempts, extract(epoch FROM next_attempt_at - now())::float8 * 1000 AS "pauseMs"`,
    );
    expect(row).toEqual({ ...expected, attempts: 1, pauseMs: expect.any(Number) });
    expect(row.pauseMs).toBeLessThanOrEqual(retryAfterMs ?? 0);
    expect(row.pauseMs).toBeGreaterThan((retryAfterMs ?? 0) - MINUTE_MS);
    expect(other).toMatchObject({ status: 'pending', attempts: 0, error: null });
  });

  it('counts only if it is of the newest attempt, or a success; and not once it is settled', async () => {
    const id = await makeWebhook(database, await makeMember(database));
    const deliveryId = await queue(id, 'a');
    const [attempt] = await openQueue().claim({ limit: 1, busyWebhookIds: [] });
    if (!attempt) return expect.unreachable();
    const settle = (outcome: AttemptOutcome, retryAfterMs?: number) =>
      openQueue().settle(attempt, { outcome, retryAfterMs });
    const change = (columns: string) =>
      database.owner.query(`UPDATE webhook_deliveries SET ${columns} WHERE id = $1`, [deliveryId]);
    // Another server has taken over.
    await change('attempts = 2');
    await settle(REFUSED);
    expect(await readAll('status, response_status')).toEqual([{ status: 'pending', response_status: null }]);
    await settle(ACCEPTED);
    expect(await readAll('status, response_status')).toEqual([{ status: 'delivered', response_status: 204 }]);
    await change(`status = 'failed', attempts = 1`);
    for (const outcome of [ACCEPTED, REFUSED]) await settle(outcome, 5_000);
    expect(await readAll('status, response_status')).toEqual([{ status: 'failed', response_status: 204 }]);
  });
});

describe('the log of deliveries', () => {
  it('has those of one webhook of the organization, newest first, page by page, with what is still planned', async () => {
    const tenant = await makeMember(database);
    const [id, other] = [await makeWebhook(database, tenant), await makeWebhook(database, tenant)];
    await queue(other, 'other');
    const ids: string[] = [];
    for (const [i, status] of ['delivered', 'failed', 'pending'].entries()) {
      ids.push(
        await queue(
          id,
          status,
          `status = '${status}', attempts = ${i}, created_at = '2026-01-0${i + 1}', last_attempt_at = '2026-02-01',
           next_attempt_at = '2026-03-01', response_status = 20${i}, error = 'error ${i}'`,
        ),
      );
    }
    const list = (query: { readonly offset: number; readonly limit: number }) =>
      listDeliveries(database.service, tenant, { webhookId: id, ...query });
    const entry = (i: number, status: string) => ({
      id: ids[i],
      event: 'period.published',
      status,
      attempts: i,
      createdAt: new Date(`2026-01-0${i + 1}T00:00:00Z`),
      lastAttemptAt: new Date('2026-02-01T00:00:00Z'),
      nextAttemptAt: status === 'pending' ? new Date('2026-03-01T00:00:00Z') : null,
      responseStatus: 200 + i,
      error: `error ${i}`,
    });
    expect(await list({ offset: 0, limit: 2 })).toEqual({
      deliveries: [entry(2, 'pending'), entry(1, 'failed')],
      totalCount: 3,
    });
    expect(await list({ offset: 2, limit: 2 })).toEqual({ deliveries: [entry(0, 'delivered')], totalCount: 3 });
  });

  it('is empty for a webhook that was sent nothing, and not there for one of somebody else, or of none', async () => {
    const [tenant, elsewhere] = [await makeMember(database), await makeMember(database)];
    const id = await makeWebhook(database, tenant);
    const query = { webhookId: id, offset: 0, limit: 10 };
    expect(await listDeliveries(database.service, tenant, query)).toEqual({ deliveries: [], totalCount: 0 });
    expect(await listDeliveries(database.service, elsewhere, query)).toBeUndefined();
    // Row-level security is not all that stands between tenants.
    expect(await listDeliveries(database.operator, elsewhere, query)).toBeUndefined();
  });

  it('keeps what is settled for thirty days', async () => {
    const id = await makeWebhook(database, await makeMember(database));
    await queue(id, 'a old', `status = 'delivered', created_at = now() - interval '30 days 1 minute'`);
    await queue(id, 'b young', `status = 'failed', created_at = now() - interval '29 days 23 hours'`);
    await queue(id, 'c waiting', `created_at = now() - interval '40 days'`);
    await sweepDeliveries(database.operator);
    expect((await readAll('event_key')).map((row) => row.event_key)).toEqual(['b young', 'c waiting']);
  });

  it('says of what waited for a paused webhook why it was not sent', async () => {
    const tenant = await makeMember(database);
    const [paused, other] = [await makeWebhook(database, tenant), await makeWebhook(database, tenant)];
    await queue(paused, 'a');
    await queue(paused, 'b', `status = 'delivered'`);
    await queue(other, 'c');
    await settlePaused(database.operator, { webhookIds: [paused], reason: 'operator' });
    expect(await readAll('status, error')).toEqual([
      { status: 'failed', error: 'not sent: the operator paused the webhook' },
      { status: 'delivered', error: null },
      { status: 'pending', error: null },
    ]);
  });
});
