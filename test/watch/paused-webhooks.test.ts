// Whoever has no key any more must hear nothing any more: the webhooks that they registered are paused with their last key.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, disableApiKey, rotateApiKey } from '../../src/postgres/api-keys.ts';
import { disableWebhook, enableWebhook, removeWebhook } from '../../src/postgres/webhook-pauses.ts';
import { plainReport, untilTold } from '../support/publications.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openWebhookReceiver } from '../support/webhook-receiver.ts';

const NO_KEY = 'not sent: the webhook is paused, because the user who registered it has no usable key';

let service: TestService;
let month = 0;
let people = 0;

beforeAll(async () => {
  service = await startTestService({ KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true' });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

/** An organization with one who registers a webhook and one who looks on. */
async function makePair(url: string) {
  people += 1;
  const organization = `Pair ${people}`;
  const user = `ada${people}@example.com`;
  const key = await service.makeKey({ organization, subscription: {}, user });
  const witness = await service.makeKey({ organization, user: `bob${people}@example.com` });
  const answer = await service.request('/v1/webhooks', { method: 'POST', key, body: JSON.stringify({ url }) });
  expect(answer.json.data).toMatchObject({ is_active: true, paused_reason: null });
  const list = async () => (await service.request('/v1/webhooks', { key: witness })).json.data;
  const log = async () =>
    (await service.request(`/v1/webhooks/${answer.json.data.id}/deliveries`, { key: witness })).json.data;
  return { organization, user, key, id: answer.json.data.id as string, list, log };
}

/** Far back, so that there is room for many before the present. */
function newestPeriod(): string {
  return `${String(1 + (month % 12)).padStart(2, '0')}-${1950 + Math.floor(month / 12)}`;
}

async function publish(): Promise<void> {
  month += 1;
  const period = newestPeriod();
  await service.publish(`${period}.csv`, plainReport({ frequency: 'monthly', period }, { anything: 1 }));
  await untilTold(service.database);
}

/** Makes a key that was let in until now one that is not, by the clock. */
async function expireKeys(user: string): Promise<void> {
  await service.database.owner.query(
    `UPDATE api_keys SET expires_at = now() - interval '1 second'
     WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
    [user],
  );
}

describe('webhooks of a user', () => {
  it('are paused with the last key, with what waits for them, and stay so when there is a new key', async () => {
    let status = 500;
    await using receiver = await openWebhookReceiver((_message, response) => void response.writeHead(status).end());
    const { organization, user, key, id, list, log } = await makePair(receiver.url);
    const { operator } = service.database;
    const request = { organization, userEmail: user, scopes: ['search'] as const, expiresAt: null };
    const second = await createApiKey(operator, request);
    expect(second.pausedWebhooks).toBe(0);
    await publish();
    await receiver.untilReceived(1);

    await disableApiKey(operator, key);
    expect(await list(), 'there is another key').toMatchObject([{ id, is_active: true, paused_reason: null }]);
    await disableApiKey(operator, second.key);
    expect(await list()).toMatchObject([{ id, is_active: false, paused_reason: 'no_key' }]);
    expect(await log()).toMatchObject([{ status: 'failed', next_attempt_at: null, error: NO_KEY }]);

    status = 204;
    await publish();
    expect(await log(), 'nothing is queued while it is paused').toHaveLength(1);
    const third = await createApiKey(operator, request);
    expect(third.pausedWebhooks).toBe(1);
    expect(await list()).toMatchObject([{ is_active: false, paused_reason: 'no_key' }]);
    const before = receiver.messages.length;
    await publish();
    expect(await log()).toHaveLength(1);

    await enableWebhook(operator, id);
    expect(await list()).toMatchObject([{ is_active: true, paused_reason: null }]);
    await publish();
    await receiver.untilReceived(before + 1);
    expect(receiver.messages.at(-1)?.json.data.period).toBe(newestPeriod());
  });

  it('are paused when the last key expires, and noticed then by whatever comes first', async () => {
    await using receiver = await openWebhookReceiver((_message, response) => void response.writeHead(500).end());
    const { organization, user, id, list, log } = await makePair(receiver.url);
    const { operator, owner } = service.database;
    await publish();
    await receiver.untilReceived(1);
    await expireKeys(user);
    expect(await list()).toMatchObject([{ is_active: false, paused_reason: 'no_key' }]);
    // The next attempt is not made.
    await expect
      .poll(async () => {
        await owner.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1', [id]);
        return await log();
      })
      .toMatchObject([{ status: 'failed', error: NO_KEY }]);
    await publish();
    expect(await log()).toHaveLength(1);
    await expect(enableWebhook(operator, id)).rejects.toThrow(`${user} has no usable key in "${organization}"`);
    // A new key does not resume it either, although nothing was stored when the old one expired.
    const made = await createApiKey(operator, { organization, userEmail: user, scopes: ['account'], expiresAt: null });
    expect(made.pausedWebhooks).toBe(1);
    expect(await list()).toMatchObject([{ is_active: false, paused_reason: 'no_key' }]);
  });

  it('go on when a key is rotated', async () => {
    await using receiver = await openWebhookReceiver();
    const { key, list } = await makePair(receiver.url);
    expect((await rotateApiKey(service.database.operator, key)).pausedWebhooks).toBe(0);
    expect(await list()).toMatchObject([{ is_active: true, paused_reason: null }]);
  });

  it('go with the membership of the user, with all that waits for them', async () => {
    await using receiver = await openWebhookReceiver((_message, response) => void response.writeHead(500).end());
    const { user, list, id } = await makePair(receiver.url);
    await publish();
    await receiver.untilReceived(1);
    const { owner } = service.database;
    await owner.query('DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = $1)', [user]);
    expect(await list()).toEqual([]);
    expect((await owner.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [id])).rowCount).toBe(0);
  });
});

describe('an operator', () => {
  it('pauses, resumes and removes a webhook, with a line in the audit log each', async () => {
    await using receiver = await openWebhookReceiver((_message, response) => void response.writeHead(500).end());
    const { organization, key, id, list, log } = await makePair(receiver.url);
    const { operator } = service.database;
    await publish();
    await receiver.untilReceived(1);
    expect(await disableWebhook(operator, id)).toMatchObject({ pausedReason: 'operator', pending: 0, failed: 1 });
    expect(await list()).toMatchObject([{ is_active: false, paused_reason: 'operator' }]);
    expect(await log()).toMatchObject([{ status: 'failed', error: 'not sent: the operator paused the webhook' }]);
    await publish();
    expect(await log()).toHaveLength(1);
    // Whoever has lost the last key since then is paused for both reasons; the first one stays.
    await disableApiKey(operator, key);
    expect(await list()).toMatchObject([{ paused_reason: 'operator' }]);
    await expect(enableWebhook(operator, id)).rejects.toThrow('no usable key');
    expect(await list()).toMatchObject([{ paused_reason: 'operator' }]);
    await removeWebhook(operator, id.toUpperCase());
    expect(await list()).toEqual([]);
    for (const change of [disableWebhook, enableWebhook, removeWebhook]) {
      await expect(change(operator, id)).rejects.toThrow(`There is no webhook "${id}".`);
      await expect(change(operator, 'nonsense')).rejects.toThrow('There is no webhook "nonsense".');
    }
    const { rows } = await operator.query(
      `SELECT action, details ->> 'webhook' AS webhook FROM audit_log a JOIN organizations o ON o.id = a.organization_id
       WHERE o.name = $1 AND action LIKE 'webhook.%' ORDER BY occurred_at`,
      [organization],
    );
    expect(rows).toEqual([
      { action: 'webhook.create', webhook: id },
      { action: 'webhook.disable', webhook: id },
      { action: 'webhook.remove', webhook: id },
    ]);
  });
});
