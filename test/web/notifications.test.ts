// Where a reader is told, and what the open page hears by itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Notice } from '../../src/domain/notice.ts';
import { renderMail } from '../../src/watch/notice-mail.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { plainReport, untilTold } from '../support/publications.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { inspectAtEverySize, violationsOf } from './inspect.ts';
import { DESKTOP, openWebWorld, PHONE, type WebWorld } from './web-world.ts';

let world: WebWorld;
let chat: WebhookReceiver;
let mailServer: MailServer;
beforeAll(async () => {
  mailServer = await openMailServer();
  chat = await openWebhookReceiver(({ path }, response) => {
    response.writeHead(path === '/broken' ? 404 : 200).end();
  });
  world = await openWebWorld((service) => publish(service, '08-2026'), {
    KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true',
    SMTP_URL: mailServer.url,
    KEYRANK_MAIL_FROM: 'keyrank <ranks@example.com>',
  });
}, 300_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await chat[Symbol.asyncDispose]();
  await mailServer[Symbol.asyncDispose]();
});

async function publish(service: WebWorld['service'], period: string): Promise<void> {
  await service.publish(`${period}.csv`, plainReport({ frequency: 'monthly', period }, { shoes: 7, boots: 9 }));
  await untilTold(service.database);
}

describe('notifications', () => {
  it('are added, tried out, changed and deleted, and say what went wrong', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    await using watched = await world.open('/account', { key, ...DESKTOP });
    const { page, problems } = watched;
    await page.getByText('Nobody tells you yet').waitFor();
    await page.getByLabel('Address of its incoming webhook').fill(`${chat.url}/services/1234`);
    await page.getByRole('button', { name: 'Add chat' }).click();
    await page.getByText('Nothing was sent yet.').waitFor();
    const name = `Slack ${new URL(chat.url).host}/…1234`;
    await page.getByRole('button', { name: `Test ${name}` }).click();
    await page.getByText(/Last message: sent/).waitFor();
    expect(chat.messages[0]?.json.text).toBe('Test message from keyrank');
    await page
      .getByRole('group', { name: `How often ${name} is told` })
      .getByRole('button', { name: 'Weekly' })
      .click();
    await page.getByLabel('Late periods').uncheck();
    await page.getByRole('button', { name: `Switch off ${name}` }).click();
    await page.getByText('Switched off: nothing is sent.').waitFor();
    const { json } = await world.service.request('/v1/notification-channels', { key });
    expect(json.data).toMatchObject([{ frequency: 'weekly', events: ['digest', 'alert'], is_active: false }]);

    await page.getByRole('combobox', { name: 'Chat' }).selectOption('Discord');
    await page.getByLabel('Address of its incoming webhook').fill(`${chat.url}/broken`);
    await page.getByRole('button', { name: 'Add chat' }).click();
    await page.getByRole('button', { name: /^Test Discord/ }).click();
    await page.getByText(/answered 404\. It is tried again\./).waitFor();
    await inspectAtEverySize(watched);

    await page.getByRole('button', { name: 'Rule for everything tracked' }).click();
    await page.getByLabel('Value').fill('50');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('climbs by 50 or more').waitFor();
    for (const kind of ['Slack', 'Discord']) {
      await page.getByRole('button', { name: new RegExp(`^Delete ${kind}`) }).click();
      await page.getByRole('button', { name: new RegExp(`^Delete ${kind}`) }).waitFor({ state: 'detached' });
    }
    await page.getByText('Nobody tells you yet').waitFor();
    expect(problems).toEqual([]);
  });

  it('by mail are switched on, tried out, and ended by the link in a mail', async () => {
    const user = 'ada@example.com';
    const key = await world.service.makeKey({ user, subscription: { plan: 'studio' } });
    await using watched = await world.open('/account', { key, ...PHONE });
    const { page, problems } = watched;
    await page.getByRole('button', { name: `Tell me by mail to ${user}` }).click();
    await page.getByRole('button', { name: `Test E-mail ${user}` }).click();
    await page.getByText(/Last message: sent/).waitFor();
    const [mail] = mailServer.mails;
    expect([mail?.to, mail?.headers.get('subject')]).toEqual([[user], 'Test message from keyrank']);
    await page.goto(mail?.headers.get('list-unsubscribe')?.slice(1, -1) ?? '');
    await page.getByRole('heading', { name: 'Stop mails from keyrank?' }).waitFor();
    await inspectAtEverySize(watched);
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'No more mails' }).waitFor();
    await inspectAtEverySize(watched);
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.getByText('Unsubscribed by the link in a mail: nothing is sent.').waitFor();
    await inspectAtEverySize(watched);
    await page.getByRole('button', { name: `Switch on E-mail ${user}` }).click();
    await page.getByText('Unsubscribed by the link').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  it('as a mail can be read on a phone, in the dark, and by those who hear it', async () => {
    await using watched = await world.open('/account', { key: null, ...PHONE });
    const keyword = { term: 'wireless earbuds '.repeat(12), rank: 1234, rankChange: -56, rule: null };
    const section: Notice['sections'][number] = {
      ...{
        kind: 'period',
        organization: 'Acme',
        marketplace: 'US',
        type: 'monthly',
        period: '10-2026',
        hasDigest: true,
      },
      ...{ keywordCount: 12, climbed: 7, fell: 3, alertCount: 1, movers: [keyword], productCount: 1 },
      alerts: [{ ...keyword, rankChange: 99, rule: { field: 'latest_rank', operator: 'lt', value: 2000 } }],
      products: [{ asin: 'B0CHX1W1XY', title: 'Earbuds', entered: 3, left: 1 }],
    };
    const links = { pageUrl: world.service.url, unsubscribeUrl: `${world.service.url}/unsubscribe?token=t` };
    const to = { to: 'ada@example.com', messageId: '<1@ranks.example.com>' };
    const { html = '' } = renderMail({ kind: 'at_once', sections: [section], moreCount: 2 }, links, to);
    // Where no policy of ours forbids styles.
    await watched.page.goto('about:blank');
    await watched.page.setContent(html);
    // Mail programs have landmarks of their own around it.
    const rules = { region: { enabled: false }, 'landmark-one-main': { enabled: false } };
    for (const { viewport } of [PHONE, DESKTOP]) {
      await watched.page.setViewportSize(viewport);
      for (const colorScheme of ['dark', 'light'] as const) {
        await watched.page.emulateMedia({ colorScheme });
        expect(await violationsOf(watched, { rules })).toEqual([]);
      }
      expect(await watched.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(viewport.width);
    }
  });
});

describe('webhooks', () => {
  it('are added, tried out, keep a log of what was sent, and are deleted only for sure', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    await using watched = await world.open('/account', { key, ...DESKTOP });
    const { page, problems } = watched;
    const url = `${chat.url}/program`;
    await page.getByLabel('Address', { exact: true }).fill(url);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('Its secret, shown once').waitFor();
    await page.getByRole('button', { name: `Log of ${url}` }).click();
    await page.getByText('Nothing was sent yet.', { exact: true }).last().waitFor();
    await page.getByRole('button', { name: 'Send a test message' }).click();
    const log = page.getByRole('list', { name: `Deliveries to ${url}` });
    await log.getByText('1 attempt · answered 200').waitFor();
    await inspectAtEverySize(watched);
    const remove = page.getByRole('button', { name: `Delete ${url}` });
    await remove.click();
    await page.getByRole('button', { name: `Really delete ${url}?` }).click();
    await page.getByText('Have your own program told').waitFor();
    expect(problems).toEqual([]);
  });
});

describe('an open page', () => {
  it('says that there are new data and digests, without being asked', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    await world.service.request('/v1/tracked-keywords', { method: 'POST', key, body: '{"search_term":"shoes"}' });
    const heard = (page: { waitForResponse(test: (response: { url(): string }) => boolean): Promise<unknown> }) =>
      page.waitForResponse((response) => response.url().includes('/v1/events'));
    await using watched = await world.open('/trends', { key, hearsNews: true, ...PHONE });
    const { page, problems } = watched;
    const listening = heard(page);
    await page.reload();
    await listening;
    await page.getByRole('heading', { name: 'Trends' }).or(page.locator('main')).first().waitFor();
    await publish(world.service, '09-2026');
    await page.getByText('New data: Sep 2026').waitFor();
    await page.locator('.badge').getByText('1').waitFor();
    await inspectAtEverySize(watched);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('New data').waitFor({ state: 'detached' });
    // Read in another tab, or by a program.
    await world.service.request('/v1/tracked-keywords/digests/read-all', { method: 'POST', key });
    await page.locator('.topbar .badge').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});
