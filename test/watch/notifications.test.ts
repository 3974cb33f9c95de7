import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../../src/boot.ts';
import { queueNotices, queueWeeklyNotices } from '../../src/postgres/notices.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { plainReport, untilTold } from '../support/publications.ts';
import { COMPILED, startTestService, type TestService, testConfig } from '../support/service.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let mailServer: MailServer;
let chat: WebhookReceiver;
let service: TestService;
let second: RunningService;
let acme: string;
let other: string;

beforeAll(async () => {
  mailServer = await openMailServer();
  // The first attempt at one chat fails. Links in messages differ, because no address of the page is configured.
  const seen = new Set<string>();
  chat = await openWebhookReceiver(({ path, json }, response) => {
    const message = `${path} ${json.text}`;
    const isFirst = !seen.has(message);
    seen.add(message);
    response.writeHead(path === '/gone' ? 410 : isFirst && path === '/slow' ? 500 : 200).end();
  });
  const settings = {
    SMTP_URL: mailServer.url,
    KEYRANK_MAIL_FROM: 'keyrank <ranks@example.com>',
    KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  service = await startTestService(settings);
  const config = testConfig(service.database, { ...settings, KEYRANK_DATA_DIR: service.dataDirectory });
  second = await startService(config, COMPILED);
  // One person in two organizations, and a colleague.
  acme = await service.makeKey({ organization: 'Acme', user: 'ada@example.com', subscription: {} });
  other = await service.makeKey({ organization: 'Other <i>', user: 'ada@example.com', subscription: {} });
  await service.makeKey({ organization: 'Acme', user: 'bob@example.com' });
});
afterAll(async () => {
  await second[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await chat[Symbol.asyncDispose]();
  await mailServer[Symbol.asyncDispose]();
});

async function api(key: string, method: string, path: string, body?: object) {
  const answer = await service.request(path, { method, key, ...(body && { body: JSON.stringify(body) }) });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.json.data;
}

const addChannel = (key: string, body: object) => api(key, 'POST', '/v1/notification-channels', body);

/** Resolves when nothing waits to be sent. */
async function untilSent(): Promise<void> {
  const pending = async () =>
    (await service.database.operator.query(`SELECT FROM webhook_deliveries WHERE status = 'pending'`)).rowCount;
  // What failed once is tried again at once: its pause is the queue's business, and its own tests'.
  const { operator } = service.database;
  while (await pending()) {
    await operator.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now() WHERE status = 'pending' AND attempts = 1 AND error IS NOT NULL`,
    );
    await sleep(20);
  }
}

async function publish(period: string, ranks: Readonly<Record<string, number>>): Promise<void> {
  await service.publish(
    `${period}-${Object.values(ranks).join('-')}.csv`,
    plainReport({ frequency: 'monthly', period }, ranks),
  );
  await untilTold(service.database);
  await untilSent();
}

describe('a publication', () => {
  it('is told once to each person by mail, and to each chat, by two servers and in spite of failures', {
    timeout: 120_000,
  }, async () => {
    for (const key of [acme, other]) {
      await api(key, 'POST', '/v1/tracked-keywords', { search_term: 'running shoes' });
      await addChannel(key, { kind: 'email' });
    }
    await api(acme, 'PATCH', '/v1/notifications', {
      default_priority_rule: { field: 'latest_rank', operator: 'lt', value: 100 },
    });
    await addChannel(acme, { kind: 'slack', url: `${chat.url}/slow`, events: ['alert'] });
    await addChannel(acme, { kind: 'teams', url: `${chat.url}/teams` });
    await addChannel(other, { kind: 'discord', url: `${chat.url}/discord`, events: ['digest'] });
    await addChannel(other, { kind: 'discord', url: `${chat.url}/alerts-only`, events: ['alert'] });
    await publish('08-2026', { 'running shoes': 900 });
    const before = mailServer.mails.length;
    const chatBefore = chat.messages.length;
    await publish('09-2026', { 'running shoes': 50 });
    const mails = mailServer.mails.slice(before);
    expect(mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
    const headers = mails[0]?.headers;
    expect(headers?.get('subject')).toContain('September 2026');
    expect(headers?.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(headers?.get('message-id')).toMatch(/^<[0-9a-f-]{36}@127\.0\.0\.1>$/);
    // Of both organizations; a rule for everything tracked was one member's alone.
    expect(mails[0]?.source).toContain('Acme');
    expect(mails[0]?.source.replaceAll('=\r\n', '')).toContain('Other &lt;i&gt;');
    const paths = chat.messages.slice(chatBefore).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(['/discord', '/slow', '/slow', '/teams']);
    const slack = chat.messages.findLast(({ path }) => path === '/slow')?.json;
    expect(slack.text).toBe('1 alert: keyword ranks of September 2026');
    // Whoever tells again, tells nobody anything new.
    const { rows } = await service.database.operator.query(`SELECT DISTINCT event_key AS key FROM notices`);
    await Promise.all(rows.flatMap(({ key }) => [1, 2].map(() => queueNotices(service.database.operator, key))));
    await untilSent();
    expect(mailServer.mails.length).toBe(before + 1);
    expect(chat.messages.length).toBe(chatBefore + 4);
  });

  it('is told in a revision only where that brings an alert', async () => {
    const before = mailServer.mails.length;
    await publish('09-2026', { 'running shoes': 40 });
    expect(mailServer.mails.length).toBe(before);
  });

  it('stands in one summary of the week for whoever wants it so', async () => {
    const channels = await api(acme, 'GET', '/v1/notification-channels');
    for (const { id } of channels) await api(acme, 'PATCH', `/v1/notification-channels/${id}`, { frequency: 'weekly' });
    for (const { id } of await api(other, 'GET', '/v1/notification-channels')) {
      await api(other, 'PATCH', `/v1/notification-channels/${id}`, { frequency: 'weekly' });
    }
    const before = [mailServer.mails.length, chat.messages.length];
    await publish('10-2026', { 'running shoes': 30 });
    expect([mailServer.mails.length, chat.messages.length]).toEqual(before);
    const nextWeek = new Date(Date.now() + 7 * 86_400_000);
    const { operator } = service.database;
    await Promise.all([1, 2, 3].map(() => queueWeeklyNotices(operator, nextWeek)));
    await untilSent();
    await queueWeeklyNotices(operator, nextWeek);
    await untilSent();
    const mails = mailServer.mails.slice(before[0]);
    expect(mails.map(({ headers }) => headers.get('subject'))).toEqual(['Your week in keyword ranks']);
    expect(mails[0]?.source).toContain('October 2026');
    expect(chat.messages.slice(before[1]).filter(({ path }) => path === '/teams')).toHaveLength(1);
    // The week before has nothing, and neither has the one after.
    await queueWeeklyNotices(operator, new Date(Date.now() - 14 * 86_400_000));
    await queueWeeklyNotices(operator, new Date(Date.now() + 21 * 86_400_000));
    expect((await operator.query(`SELECT FROM webhook_deliveries WHERE status = 'pending'`)).rowCount).toBe(0);
  });
});

describe('a channel', () => {
  it('gets a test message, and says what became of it', async () => {
    const key = await service.makeKey();
    const { id } = await addChannel(key, { kind: 'slack', url: `${chat.url}/gone` });
    const added = await api(key, 'POST', `/v1/notification-channels/${id}/test`);
    expect(added.last_message).toMatchObject({ status: 'pending', error: null });
    await untilSent();
    const [channel] = await api(key, 'GET', '/v1/notification-channels');
    expect(channel.last_message).toMatchObject({ status: 'failed', error: 'answered 410' });
    expect(chat.messages.findLast(({ path }) => path === '/gone')?.json.text).toBe('Test message from keyrank');
    for (let i = 1; i < 5; i += 1) await api(key, 'POST', `/v1/notification-channels/${id}/test`);
    const sixth = await service.request(`/v1/notification-channels/${id}/test`, { method: 'POST', key });
    expect([sixth.status, sixth.json.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  });

  it('of mail ends with the link of a mail, without signing in, and only by POST', async () => {
    const url = mailServer.mails.at(-1)?.headers.get('list-unsubscribe')?.slice(1, -1) ?? '';
    const ask = (method: string, target = url) =>
      fetch(target, {
        method,
        ...(method === 'POST' && { body: 'List-Unsubscribe=One-Click' }),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const stateOf = async () => (await api(acme, 'GET', '/v1/notification-channels'))[0];
    const page = await ask('GET');
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<button>Unsubscribe</button>')]);
    expect(await stateOf()).toMatchObject({ kind: 'email', is_active: true });
    for (const wrong of [
      url.slice(0, -2),
      `${url}x`,
      url.replace(/\?.*/, ''),
      url.replace(/=.*/, `=${'A'.repeat(64)}`),
    ]) {
      expect((await ask('POST', wrong)).status).toBe(404);
    }
    expect(await stateOf()).toMatchObject({ is_active: true });
    for (let i = 0; i < 2; i += 1) expect((await ask('POST')).status).toBe(200);
    expect(await stateOf()).toMatchObject({ is_active: false, paused_reason: 'unsubscribed' });
    expect((await api(other, 'GET', '/v1/notification-channels'))[0]).toMatchObject({ is_active: false });
    expect((await ask('DELETE')).status).toBe(405);
    const { id } = await stateOf();
    const resumed = await api(acme, 'PATCH', `/v1/notification-channels/${id}`, { is_active: true });
    expect(resumed).toMatchObject({ is_active: true, paused_reason: null });
  });
});
