import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** More than are handed over at a time. */
const MAILS = 6;

const sockets = new Set<Socket>();
const mailServer = createServer((socket) => sockets.add(socket.on('error', () => {})));
let chat: WebhookReceiver;
let service: TestService;

beforeAll(async () => {
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
  chat = await openWebhookReceiver();
  service = await startTestService({
    SMTP_URL: `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`,
    KEYRANK_MAIL_FROM: 'ranks@example.com',
    KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true',
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  mailServer.close();
  await service[Symbol.asyncDispose]();
  await chat[Symbol.asyncDispose]();
});

async function addAndTest(key: string, body: object): Promise<void> {
  const path = '/v1/notification-channels';
  const { json } = await service.request(path, { method: 'POST', key, body: JSON.stringify(body) });
  expect((await service.request(`${path}/${json.data.id}/test`, { method: 'POST', key })).status).toBe(201);
}

it('keeps no message to a chat or a webhook waiting, however many mails wait for it', async () => {
  const keys = await Promise.all(Array.from({ length: MAILS }, () => service.makeKey()));
  for (const key of keys) await addAndTest(key, { kind: 'email' });
  await expect.poll(() => sockets.size).toBeGreaterThan(0);
  const key = await service.makeKey();
  await addAndTest(key, { kind: 'slack', url: `${chat.url}/chat` });
  await chat.untilReceived(1, '/chat');
  const { rows } = await service.database.operator.query(
    `SELECT DISTINCT d.status FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.kind = 'email'`,
  );
  expect(rows).toEqual([{ status: 'pending' }]);
});
