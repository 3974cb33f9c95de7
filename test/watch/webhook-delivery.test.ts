import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainReport, untilTold } from '../support/publications.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openWebhookReceiver, type ReceivedMessage } from '../support/webhook-receiver.ts';

const ALERT = { field: 'latest_rank', operator: 'lte', value: 1_000_000 } as const;

let service: TestService;
let month = 0;

beforeAll(async () => {
  service = await startTestService({ KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true' });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function register(key: string, url: string, events?: readonly string[]) {
  const body = JSON.stringify({ url, ...(events && { events }) });
  const answer = await service.request('/v1/webhooks', { method: 'POST', key, body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data as { readonly id: string; readonly secret: string };
}

async function track(key: string, ...terms: readonly string[]): Promise<readonly { readonly id: string }[]> {
  const keywords = terms.map((term) => ({ search_term: term, priority_rule: ALERT }));
  const body = JSON.stringify({ keywords });
  return (await service.request('/v1/tracked-keywords', { method: 'POST', key, body })).json.data;
}

/** Publishes the next month and returns its key. */
async function publish(ranks: Readonly<Record<string, number>>): Promise<string> {
  month += 1;
  const period = `${String(1 + (month % 12)).padStart(2, '0')}-${2020 + Math.floor(month / 12)}`;
  await service.publish(`${period}.csv`, plainReport({ frequency: 'monthly', period }, ranks));
  await untilTold(service.database);
  return period;
}

async function deliveries(key: string, id: string) {
  return (await service.request(`/v1/webhooks/${id}/deliveries`, { key })).json.data;
}

async function untilSettled(key: string, id: string) {
  for (;;) {
    const log = await deliveries(key, id);
    if (log.length > 0 && log.every(({ status }: { status: string }) => status !== 'pending')) return log;
    await sleep(50);
  }
}

function kindsOf(messages: readonly ReceivedMessage[]): string[] {
  return messages.map(({ json }) => json.type).sort();
}

describe('webhooks', () => {
  it('are told of periods and of the alerts of their owner, signed, and once', async () => {
    await using receiver = await openWebhookReceiver();
    const ada = await service.makeKey({ organization: 'Acme', subscription: {}, user: 'ada@acme.example' });
    const bob = await service.makeKey({ organization: 'Acme', user: 'bob@acme.example' });
    const { id, secret } = await register(ada, `${receiver.url}/ada`);
    await register(bob, `${receiver.url}/bob`);
    const [keyword] = await track(ada, 'Yoga Mat');
    const period = await publish({ 'yoga mat': 30 });
    const messages = await receiver.untilReceived(2, '/ada');
    await receiver.untilReceived(1, '/bob');
    await untilSettled(ada, id);
    expect(receiver.messages).toHaveLength(3);
    // What Ada tracks is nobody else's business, not even Bob's.
    expect(kindsOf(receiver.messages.filter(({ path }) => path === '/bob'))).toEqual(['period.published']);
    const library = new Webhook(secret);
    for (const { body, headers } of messages) library.verify(body, headers as Record<string, string>);
    expect(messages.map(({ json }) => json).sort((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      {
        type: 'period.published',
        timestamp: expect.stringMatching(/Z$/),
        data: {
          marketplace: 'US',
          source: 'search',
          type: 'monthly',
          period,
          start_date: expect.stringMatching(/^20..-..-01$/),
          end_date: expect.stringMatching(/^20..-..-..$/),
          keywords: 1,
          revision: 1,
        },
      },
      {
        type: 'tracked_keyword.priority_hit',
        timestamp: expect.stringMatching(/Z$/),
        data: {
          tracked_keyword_id: keyword?.id,
          search_term: 'Yoga Mat',
          marketplace: 'US',
          type: 'monthly',
          period,
          priority_rule: ALERT,
          latest_rank: 30,
          previous_rank: null,
          rank_change: null,
          best_rank: 30,
          worst_rank: 30,
          avg_rank: 30,
        },
      },
    ]);
    const log = await deliveries(ada, id);
    expect(log).toEqual(
      log.map(({ event }: { event: string }) => ({
        id: messages.find(({ json }) => json.type === event)?.headers['webhook-id'],
        event,
        status: 'delivered',
        attempts: 1,
        created_at: expect.stringMatching(/Z$/),
        last_attempt_at: expect.stringMatching(/Z$/),
        next_attempt_at: null,
        response_status: 204,
        error: null,
      })),
    );
    expect(log).toHaveLength(2);
  });

  it('are told of what they asked for, and of revisions', async () => {
    await using receiver = await openWebhookReceiver();
    const key = await service.makeKey();
    await register(key, `${receiver.url}/periods`, ['period.published']);
    await register(key, `${receiver.url}/alerts`, ['tracked_keyword.priority_hit']);
    await track(key, 'picky');
    await publish({ picky: 3 });
    month -= 1;
    await publish({ picky: 4 });
    const [first, second] = await receiver.untilReceived(2, '/periods');
    expect([first?.json.data.revision, second?.json.data.revision].sort()).toEqual([1, 2]);
    const alerts = await receiver.untilReceived(1, '/alerts');
    expect(kindsOf(alerts)).toEqual(['tracked_keyword.priority_hit']);
  });

  it('get a refused message again, the same under the same id, until they take it', async () => {
    let refusals = 2;
    await using receiver = await openWebhookReceiver((_message, response) => {
      refusals -= 1;
      response.writeHead(refusals >= 0 ? 503 : 200).end();
    });
    const key = await service.makeKey();
    const { id, secret } = await register(key, receiver.url, ['period.published']);
    await publish({ anything: 1 });
    await receiver.untilReceived(2);
    // The next attempt is planned when one begins, as if it failed, and again when it did.
    const pauseMsOf = (each: { next_attempt_at: string; last_attempt_at: string }) =>
      Date.parse(each.next_attempt_at) - Date.parse(each.last_attempt_at);
    let [entry] = await deliveries(key, id);
    while (entry.attempts < 2 || pauseMsOf(entry) <= 31_000) [entry] = await deliveries(key, id);
    expect(entry).toMatchObject({ status: 'pending', attempts: 2, response_status: 503, error: 'answered 503' });
    expect(pauseMsOf(entry)).toBeGreaterThan(55_000);
    // A minute is long for a test: the clock of this message is put forward, also after the second attempt was settled.
    while (receiver.messages.length < 3) {
      await service.database.operator.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id = $1', [
        entry.id,
      ]);
      await sleep(50);
    }
    expect(await untilSettled(key, id)).toMatchObject([{ status: 'delivered', attempts: 3, error: null }]);
    const [first, second, third] = receiver.messages;
    expect(new Set([first, second, third].map((each) => each?.headers['webhook-id'])).size).toBe(1);
    expect(new Set([first, second, third].map((each) => each?.body)).size).toBe(1);
    expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThan(4_000);
    for (const each of [first, second, third]) {
      new Webhook(secret).verify(each?.body ?? '', each?.headers as Record<string, string>);
    }
  });

  it('are given up after the last attempt, and at once when they are gone', async () => {
    await using receiver = await openWebhookReceiver(({ path }, response) => {
      response.writeHead(path === '/gone' ? 410 : 500).end();
    });
    const key = await service.makeKey();
    const gone = await register(key, `${receiver.url}/gone`, ['period.published']);
    const broken = await register(key, `${receiver.url}/broken`, ['period.published']);
    await publish({ anything: 1 });
    expect(await untilSettled(key, gone.id)).toMatchObject([
      { status: 'failed', attempts: 1, response_status: 410, next_attempt_at: null, error: 'answered 410' },
    ]);
    await receiver.untilReceived(1, '/broken');
    await service.database.operator.query(
      `UPDATE webhook_deliveries SET attempts = 8, next_attempt_at = now() WHERE webhook_id = $1`,
      [broken.id],
    );
    expect(await untilSettled(key, broken.id)).toMatchObject([
      { status: 'failed', attempts: 9, response_status: 500, next_attempt_at: null },
    ]);
  });

  it('that are slow or dead delay nobody else', async () => {
    const held: (() => void)[] = [];
    await using slow = await openWebhookReceiver((_message, response) => {
      held.push(() => response.writeHead(204).end());
    });
    await using fast = await openWebhookReceiver();
    const dead = await openWebhookReceiver();
    await dead[Symbol.asyncDispose]();
    const lagging = await service.makeKey();
    const prompt = await service.makeKey();
    for (let i = 0; i < 10; i += 1) await register(lagging, `${slow.url}/${i}`);
    for (let i = 0; i < 10; i += 1) await register(lagging, `${dead.url}/${i}`);
    await register(prompt, fast.url);
    const terms = Array.from({ length: 30 }, (_, i) => `lag ${i}`);
    await track(lagging, ...terms);
    await track(prompt, ...terms);
    await publish(Object.fromEntries(terms.map((term, i) => [term, i + 1])));
    // All of them arrive while every slow receiver still holds its very first message.
    const messages = await fast.untilReceived(31);
    expect(messages).toHaveLength(31);
    expect(slow.messages.length).toBeLessThanOrEqual(10);
    expect(slow.messages.length).toBeGreaterThan(0);
    for (const release of held) release();
  });

  it('that are deleted get nothing more', async () => {
    await using receiver = await openWebhookReceiver((_message, response) => response.writeHead(500).end());
    const key = await service.makeKey();
    const { id } = await register(key, receiver.url);
    await publish({ anything: 1 });
    await receiver.untilReceived(1);
    expect((await service.request(`/v1/webhooks/${id}`, { method: 'DELETE', key })).status).toBe(200);
    const { rowCount } = await service.database.operator.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [
      id,
    ]);
    expect(rowCount).toBe(0);
  });

  it('do not hear of a month that the plan cannot see', async () => {
    await using receiver = await openWebhookReceiver();
    const pro = await service.makeKey();
    const studio = await service.makeKey({ subscription: { plan: 'studio' } });
    month += 24;
    const months = Array.from({ length: 24 }, (_, i) => {
      const at = month - 23 + i;
      return `monthly,${String(1 + (at % 12)).padStart(2, '0')}-${2020 + Math.floor(at / 12)},anything,1\n`;
    });
    await service.publish('many.csv', `period_type,period,search_term,rank\n${months.join('')}`);
    await untilTold(service.database);
    await register(pro, `${receiver.url}/pro`);
    await register(studio, `${receiver.url}/studio`);
    await service.publish('old.csv', plainReport({ frequency: 'monthly', period: '01-2019' }, { anything: 1 }));
    await untilTold(service.database);
    const [message] = await receiver.untilReceived(1);
    expect(message).toMatchObject({ path: '/studio', json: { data: { period: '01-2019' } } });
    const { rows } = await service.database.operator.query(
      `SELECT w.url FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.payload LIKE '%01-2019%'
       AND w.url LIKE $1`,
      [`${receiver.url}%`],
    );
    expect(rows).toEqual([{ url: `${receiver.url}/studio` }]);
  });
});
