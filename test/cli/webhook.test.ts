import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runKeyrank, startKeyrank } from '../support/process.ts';
import { plainReport } from '../support/publications.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true' });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

/** `keyrank webhook listen`, and what it prints. */
async function listen(...args: readonly string[]) {
  const child = startKeyrank(['webhook', 'listen', '--port', '0', ...args]);
  let stdout = '';
  child.stdout.on('data', (chunk: string) => (stdout += chunk));
  const [greeting] = (await once(child.stderr, 'data')) as [string];
  const url = /http:\/\/127\.0\.0\.1:[0-9]+\//.exec(greeting)?.[0] ?? '';
  const untilPrinted = async (text: string) => {
    while (!stdout.includes(text)) await once(child.stdout, 'data');
    return stdout;
  };
  const stop = async () => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    const [code] = await ended;
    return code as number;
  };
  return { url, untilPrinted, stop };
}

function sign(secret: string, payload: string, at = new Date()) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, payload),
  };
}

describe('keyrank webhook listen', () => {
  it('prints what the service sends', async () => {
    const key = await service.makeKey();
    const unchecked = await listen();
    const body = JSON.stringify({ url: unchecked.url });
    await service.request('/v1/webhooks', { method: 'POST', key, body });
    await service.publish('a.csv', plainReport({ frequency: 'monthly', period: '05-2026' }, { tea: 1 }));
    const printed = await unchecked.untilPrinted('"revision": 1');
    expect(printed).toContain('POST /');
    expect(printed).toMatch(/webhook-id {2}[0-9a-f-]{36}\n/);
    expect(printed).toContain('signature   not checked (give --secret)');
    expect(printed).toContain('"type": "period.published"');
    expect(await unchecked.stop()).toBe(0);
  });

  it('says whether a signature is valid', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const listener = await listen('--secret', secret, '--json');
    const payload = '{"type":"x"}';
    const send = (headers: Record<string, string>, body = payload) =>
      fetch(listener.url, { method: 'POST', headers, body });
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    expect((await send(sign(secret, payload))).status).toBe(204);
    await send(sign(other, payload));
    await send(sign(secret, payload), '{"type":"y"}');
    await send(sign(secret, payload, new Date(Date.now() - 3_600_000)));
    await send({});
    await send({
      ...sign(secret, payload),
      'webhook-signature': `v1,AAAA ${sign(secret, payload)['webhook-signature']}`,
    });
    expect(await listener.stop()).toBe(0);
    const printed = (await listener.untilPrinted('valid')).trim().split('\n');
    expect(printed.map((line) => JSON.parse(line).signature)).toEqual([
      'valid',
      'NOT VALID: webhook-signature does not match',
      'NOT VALID: webhook-signature does not match',
      'NOT VALID: webhook-timestamp is more than five minutes off',
      'NOT VALID: webhook-timestamp is not a Unix time',
      'valid',
    ]);
    expect(JSON.parse(printed[0] ?? '')).toMatchObject({ id: 'msg_1', payload: { type: 'x' } });
  });

  it('prints no control characters', async () => {
    const listener = await listen();
    await fetch(listener.url, { method: 'POST', body: 'bell \u0007 escape \u001b[31m end' });
    expect(await listener.untilPrinted('end')).toContain('bell \uFFFD escape \uFFFD[31m end');
    expect(await listener.stop()).toBe(0);
  });

  it.each([
    [['--port', '70000'], 'Use a whole number from 0 to 65535.'],
    [['--secret', 'whsec_???'], 'Use the secret that POST /v1/webhooks answered with'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await runKeyrank(['webhook', 'listen', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
