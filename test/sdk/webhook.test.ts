import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type VerifyWebhookOptions, verifyWebhook } from '../../sdk/src/keyrank.ts';
import { plainReport } from '../support/publications.ts';
import { startTestService } from '../support/service.ts';
import { openWebhookReceiver } from '../support/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OLDER_SECRET = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
const NOW = new Date('2026-05-04T09:30:00Z');
const BODY = '{"type":"period.published","timestamp":"2026-05-04T09:30:00.000Z","data":{"period":"04-2026 é"}}';

/** A message as the reference library signs it. */
function signed({ secret = SECRET, at = NOW, body = BODY } = {}) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
}

function verify(options: Partial<VerifyWebhookOptions>) {
  return verifyWebhook({ secret: SECRET, headers: signed(), body: BODY, now: () => NOW, ...options });
}

async function refusalOf(options: Partial<VerifyWebhookOptions>): Promise<string> {
  const error = await verify(options).then(
    () => expect.fail('It was taken.'),
    (failure: unknown) => failure,
  );
  expect(error).toMatchObject({ name: 'KeyrankError', code: 'INVALID_WEBHOOK', hint: expect.any(String) });
  return String(error);
}

describe('a message is taken', () => {
  it.each<[string, Partial<VerifyWebhookOptions>]>([
    ['as text', {}],
    ['as bytes', { body: new TextEncoder().encode(BODY) }],
    ['as bytes of a larger buffer', { body: Buffer.from(`..${BODY}`).subarray(2) }],
    ['with the headers of fetch', { headers: new Headers(signed()) }],
    [
      'with headers in any case',
      { headers: Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value])) },
    ],
    ['with several secrets', { secret: [OLDER_SECRET, SECRET] }],
    [
      'with several signatures',
      {
        headers: {
          ...signed(),
          'webhook-signature': `v1a,x v1,!!! ${signed({ secret: OLDER_SECRET })['webhook-signature']} ${signed()['webhook-signature']}`,
        },
      },
    ],
    ['five minutes late', { now: () => new Date(NOW.getTime() + 300_000) }],
    ['five minutes early', { now: () => new Date(NOW.getTime() - 300_000) }],
    ['at any age that is allowed', { now: () => new Date(NOW.getTime() + 999_000), toleranceSeconds: 1000 }],
  ])('%s', async (_name, options) => {
    expect(await verify(options)).toEqual(JSON.parse(BODY));
  });
});

describe('a message is refused', () => {
  const { 'webhook-signature': signature } = signed();
  it.each<[string, Partial<VerifyWebhookOptions>, string]>([
    ['with another body', { body: BODY.replace('04', '05') }, 'signature'],
    ['with another secret', { secret: OLDER_SECRET }, 'signature'],
    ['with another id', { headers: { ...signed(), 'webhook-id': 'msg_2' } }, 'signature'],
    [
      'with another time',
      { headers: { ...signed(), 'webhook-timestamp': String(NOW.getTime() / 1000 + 1) } },
      'signature',
    ],
    [
      'with part of a signature',
      { headers: { ...signed(), 'webhook-signature': signature.slice(0, 23) } },
      'signature',
    ],
    ['with an empty signature', { headers: { ...signed(), 'webhook-signature': 'v1,' } }, 'signature'],
    [
      'of another version',
      { headers: { ...signed(), 'webhook-signature': signature.replace('v1', 'v2') } },
      'signature',
    ],
    [
      'without a signature',
      { headers: { ...signed(), 'webhook-signature': undefined } },
      'webhook-signature is missing',
    ],
    ['without an id', { headers: { ...signed(), 'webhook-id': '' } }, 'webhook-id is missing'],
    ['too late', { now: () => new Date(NOW.getTime() + 301_000) }, 'too old'],
    ['too early', { now: () => new Date(NOW.getTime() - 301_000) }, 'future'],
    ['with a time that is none', { headers: { ...signed(), 'webhook-timestamp': '1e9' } }, 'too old'],
    ['without a secret', { secret: undefined }, 'no secret'],
    ['with an empty list of secrets', { secret: [] }, 'no secret'],
    ['with an empty secret', { secret: 'whsec_' }, 'secret'],
    ['with a secret that is none', { secret: 'whsec_???' }, 'secret'],
  ])('%s', async (_name, options, reason) => {
    expect(await refusalOf(options)).toContain(reason);
  });
});

it('that the service sends is taken, and has the fields of its type', async () => {
  await using service = await startTestService({ KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true' });
  await using receiver = await openWebhookReceiver();
  const key = await service.makeKey();
  const post = async (path: string, body: object) =>
    (await service.request(path, { method: 'POST', key, body: JSON.stringify(body) })).json.data;
  const { secret } = await post('/v1/webhooks', { url: receiver.url });
  const priority_rule = { field: 'latest_rank', operator: 'lt', value: 100 };
  await post('/v1/tracked-keywords', { search_term: 'yoga mat', priority_rule });
  await service.publish('a.csv', plainReport({ frequency: 'monthly', period: '04-2026' }, { 'yoga mat': 30 }));
  const messages = await receiver.untilReceived(2);
  const verified = await Promise.all(messages.map(({ headers, body }) => verifyWebhook({ secret, headers, body })));
  for (const message of verified) {
    if (message.type === 'period.published') expect(message.data).toMatchObject({ period: '04-2026', keywords: 1 });
    else expect(message.data).toMatchObject({ search_term: 'yoga mat', latest_rank: 30, priority_rule });
  }
  expect(verified.map(({ type }) => type).sort()).toEqual(['period.published', 'tracked_keyword.priority_hit']);
});
