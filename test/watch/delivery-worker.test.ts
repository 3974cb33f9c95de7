import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AttemptOutcome, DeliveryAttempt } from '../../src/domain/webhook.ts';
import { openDeliveryQueue } from '../../src/postgres/webhook-deliveries.ts';
import { startDeliveryWorker } from '../../src/watch/delivery-worker.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember, makeWebhook } from '../support/members.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const ACCEPTED: AttemptOutcome = { kind: 'accepted', responseStatus: 204 };

let database: TestDatabase;
const started: AsyncDisposable[] = [];
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
afterEach(async () => {
  for (const each of started.splice(0)) await each[Symbol.asyncDispose]();
  vi.useRealTimers();
});
beforeEach(() => database.owner.query('DELETE FROM organizations; DELETE FROM users'));

/** A worker whose messages go to `send` instead of to the network. */
function startWorker(send: (attempt: DeliveryAttempt, now: Date) => Promise<AttemptOutcome>) {
  const errors: unknown[] = [];
  const claims: number[] = [];
  const queue = openDeliveryQueue(database.operator, () => expect.unreachable());
  const worker = startDeliveryWorker({
    queue: {
      ...queue,
      claim: (options) => {
        claims.push(options.limit);
        return queue.claim(options);
      },
    },
    sender: { send },
    now: () => NOW,
    random: () => 0.5,
    onError: (error, about) => void errors.push([error, about]),
  });
  started.push(worker);
  return { worker, errors, claims };
}

/** Nobody looks for what became due: all that happens has another cause. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
}

async function queueFor(webhookId: string, ...keys: readonly string[]): Promise<void> {
  await database.owner.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload, next_attempt_at)
     SELECT organization_id, id, 'period.published', k, k, now() - interval '1 hour' + n * interval '1 second'
     FROM webhooks, unnest($2::text[]) WITH ORDINALITY AS keys (k, n) WHERE id = $1`,
    [webhookId, keys],
  );
}

async function readAll(columns: string) {
  return (await database.owner.query(`SELECT ${columns} FROM webhook_deliveries ORDER BY event_key`)).rows;
}

const statuses = async () => (await readAll('status')).map(({ status }) => status);

describe('a delivery worker', () => {
  it('sends the messages of a webhook one after the other, as soon as the one before is done', async () => {
    stopTheClock();
    const id = await makeWebhook(database, await makeMember(database));
    await queueFor(id, 'a', 'b', 'c');
    const sent: unknown[] = [];
    let underWay = 0;
    const { worker, errors, claims } = startWorker(async ({ payload }, now) => {
      underWay += 1;
      worker.wake();
      await database.owner.query('SELECT pg_sleep(0.02)');
      sent.push([payload, now, underWay]);
      underWay -= 1;
      return ACCEPTED;
    });
    await expect.poll(statuses).toEqual(['delivered', 'delivered', 'delivered']);
    expect(sent).toEqual(['a', 'b', 'c'].map((payload) => [payload, NOW, 1]));
    await worker[Symbol.asyncDispose]();
    expect(errors).toEqual([]);
    // What is under way counts against the room for more.
    expect(new Set(claims)).toEqual(new Set([200, 199]));
  });

  it('looks for what has become due by the clock', async () => {
    const id = await makeWebhook(database, await makeMember(database));
    const { worker } = startWorker(async () => ACCEPTED);
    await database.owner.query('SELECT pg_sleep(0.1)');
    await queueFor(id, 'a');
    await expect.poll(statuses).toEqual(['delivered']);
    await worker[Symbol.asyncDispose]();
  });

  it('sends to other webhooks while one does not answer, and waits for it in the end', async () => {
    const tenant = await makeMember(database);
    const [slow, fast] = [await makeWebhook(database, tenant), await makeWebhook(database, tenant)];
    await queueFor(slow, 'a', 'b');
    await queueFor(fast, 'c', 'd');
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { worker } = startWorker(async ({ webhookId }) => {
      if (webhookId === slow) await released;
      return ACCEPTED;
    });
    await expect.poll(statuses).toEqual(['pending', 'pending', 'delivered', 'delivered']);
    let isEnded = false;
    const ended = worker[Symbol.asyncDispose]().then(() => {
      isEnded = true;
    });
    await database.owner.query('SELECT pg_sleep(0.05)');
    expect(isEnded).toBe(false);
    release();
    await ended;
    // It has begun nothing more.
    expect(await statuses()).toEqual(['delivered', 'pending', 'delivered', 'delivered']);
  });

  it('takes on nothing once it is stopped', async () => {
    const id = await makeWebhook(database, await makeMember(database));
    const { worker } = startWorker(async () => ACCEPTED);
    worker.stop();
    await database.owner.query('SELECT pg_sleep(0.05)');
    await queueFor(id, 'a');
    worker.wake();
    await database.owner.query('SELECT pg_sleep(0.05)');
    await worker[Symbol.asyncDispose]();
    expect(await statuses()).toEqual(['pending']);
  });

  it('plans another attempt after a failure, also after one that nobody foresaw, which it tells', async () => {
    const tenant = await makeMember(database);
    const [refusing, failing] = [await makeWebhook(database, tenant), await makeWebhook(database, tenant)];
    await queueFor(refusing, 'a');
    await queueFor(failing, 'b');
    const fault = new Error('nobody foresaw this');
    const { worker, errors } = startWorker(async ({ webhookId }) => {
      if (webhookId === failing) throw fault;
      return { kind: 'refused', responseStatus: 500, error: 'answered 500' };
    });
    const columns = `status, error, response_status, extract(epoch FROM next_attempt_at - last_attempt_at) < 25 AS settled`;
    const failed = { status: 'pending', settled: true };
    await expect
      .poll(() => readAll(columns))
      .toEqual([
        { ...failed, error: 'answered 500', response_status: 500 },
        { ...failed, error: 'the message could not be sent', response_status: null },
      ]);
    await worker[Symbol.asyncDispose]();
    const { organizationId } = tenant;
    expect(errors).toEqual([[fault, { deliveryId: expect.any(String), webhookId: failing, organizationId }]]);
  });

  it('has at most 200 attempts under way', async () => {
    const tenant = await makeMember(database);
    await database.owner.query(
      `WITH added AS (INSERT INTO webhooks (organization_id, user_id, url, events, secret)
         SELECT $1, $2, 'https://hooks.example.com/', '{}', 'secret' FROM generate_series(1, 202) RETURNING id, organization_id)
       INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
       SELECT organization_id, id, 'period.published', 'key', '' FROM added`,
      [tenant.organizationId, tenant.userId],
    );
    let begun = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { worker, claims } = startWorker(async () => {
      begun += 1;
      await released;
      return ACCEPTED;
    });
    await expect.poll(() => begun).toBe(200);
    worker.wake();
    await database.owner.query('SELECT pg_sleep(0.05)');
    expect(claims).toEqual([200]);
    expect(begun).toBe(200);
    release();
    await expect.poll(statuses).toEqual(Array(202).fill('delivered'));
    await worker[Symbol.asyncDispose]();
  });
});
