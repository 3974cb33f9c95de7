// Where a reader is told, and what the open page hears by itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainReport, untilTold } from '../support/publications.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { inspectAtEverySize } from './inspect.ts';
import { DESKTOP, openWebWorld, PHONE, type WebWorld } from './web-world.ts';

let world: WebWorld;
let chat: WebhookReceiver;
beforeAll(async () => {
  chat = await openWebhookReceiver(({ path }, response) => {
    response.writeHead(path === '/broken' ? 404 : 200).end();
  });
  world = await openWebWorld((service) => publish(service, '08-2026'), { KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true' });
}, 300_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await chat[Symbol.asyncDispose]();
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
    await page.getByText('This server sends no mail').waitFor();
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
