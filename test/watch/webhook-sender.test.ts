import { randomBytes, randomUUID } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../src/domain/account.ts';
import { isPublicAddress } from '../../src/watch/public-address.ts';
import { guardedLookup, WebhookSender, type WebhookSenderOptions } from '../../src/watch/webhook-sender.ts';
import { findUrlFault } from '../../src/watch/webhook-url.ts';
import { openNameServer } from '../support/name-server.ts';
import { openWebhookReceiver } from '../support/webhook-receiver.ts';

const secret = randomBytes(32);
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

function openSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const sender = new WebhookSender({ allowPrivate: false, userAgent: 'keyrank/test', onError: () => {}, ...options });
  opened.push(sender);
  return sender;
}

function attemptTo(url: string) {
  return {
    deliveryId: randomUUID(),
    webhookId: randomUUID(),
    organizationId: randomUUID() as OrganizationId,
    url,
    secret,
    payload: JSON.stringify({ type: 'period.published', text: 'ünïcode 🎄' }),
    attempt: 1,
  };
}

describe('addresses', () => {
  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '100.127.255.255', '198.18.0.1', '192.0.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1'],
    ...['64:ff9b::808:808', '64:ff9b:1::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
    ...['2001::1', '2002:7f00:1::', '2001:db8::1', 'fd00:ec2::254', '100::1', 'localhost', '', '1.2.3', '0x7f.1'],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '172.15.255.255', '100.63.255.255', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ['http://example.com/', 'is not an https address'],
    ['https://127.0.0.1/', 'is not a public address'],
    // All of these are 127.0.0.1 in the end.
    ['https://2130706433/', 'is not a public address'],
    ['https://0x7f.1/', 'is not a public address'],
    ['https://017700000001/', 'is not a public address'],
    ['https://[::1]/', 'is not a public address'],
    ['https://[::ffff:127.0.0.1]/', 'is not a public address'],
    ['https://localhost/', 'is not a public address'],
    ['https://api.localhost./', 'is not a public address'],
    ['https://169.254.169.254/latest/meta-data/', 'is not a public address'],
    ['https://example.com/', undefined],
    ['https://8.8.8.8/', undefined],
  ])('%s: %s', (url, fault) => {
    expect(findUrlFault(url, { allowPrivate: false })).toBe(fault);
    expect(findUrlFault(url, { allowPrivate: true })).toBeUndefined();
  });
});

describe('a sender', () => {
  it('uses connections again, however long the answers are', async () => {
    const sockets = new Set<unknown>();
    await using receiver = await openWebhookReceiver((_message, response) => {
      sockets.add(response.socket);
      // In two pieces: the first is read while the other is still to come.
      response.write('x'.repeat(30_000));
      setTimeout(() => response.end('x'.repeat(30_000)), 5);
    });
    const sender = openSender({ allowPrivate: true });
    for (let i = 0; i < 6; i += 1) await sender.send(attemptTo(receiver.url), new Date());
    expect(sockets.size).toBeLessThan(6);
  });

  it('looks names up as every program on this machine does, when private ones are allowed', async () => {
    await using receiver = await openWebhookReceiver();
    const sender = openSender({ allowPrivate: true });
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    expect(await sender.send(attemptTo(url), new Date())).toEqual({ kind: 'accepted', responseStatus: 204 });
    expect(await sender.send(attemptTo('http://nobody.invalid/'), new Date())).toMatchObject({
      kind: 'unreachable',
      error: expect.stringMatching(/^the name (does not exist|could not be looked up)$/),
    });
  });

  it('gives a socket all addresses that it asks for', async () => {
    const addresses = ['203.0.114.1', '2606:4700::1111'];
    const resolve = async () => addresses.map((address) => ({ address, family: 0 }));
    const lookup = guardedLookup({ allowPrivate: false, resolve, onError: () => {} });
    const found = await new Promise((done) => lookup('a.example.com', { all: true }, (_error, all) => done(all)));
    expect(found).toEqual([
      { address: '203.0.114.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('closes the connection of an answer that is too long to be read', async () => {
    const closed = new Promise((resolve) => {
      opened.push({ [Symbol.asyncDispose]: async () => resolve('only when the sender was') });
      void openWebhookReceiver((_message, response) => {
        response.on('close', () => resolve('at once'));
        const chunk = Buffer.alloc(64 * 1024);
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', write);
        write();
      }).then(async (receiver) => {
        opened.push(receiver);
        const sender = openSender({ allowPrivate: true, attemptTimeoutMs: 3_600_000 });
        await sender.send(attemptTo(receiver.url), new Date());
      });
    });
    expect(await closed).toBe('at once');
  });

  it('sends nothing once it is closed', async () => {
    await using receiver = await openWebhookReceiver();
    const sender = openSender({ allowPrivate: true });
    await sender[Symbol.asyncDispose]();
    expect(await sender.send(attemptTo(receiver.url), new Date())).toMatchObject({ kind: 'unreachable' });
    expect(receiver.messages).toEqual([]);
  });
});

describe('a sender that may not dial private addresses', () => {
  /** A listener that counts connections: nothing of ours may ever reach it. */
  async function openTrap(): Promise<{ readonly port: number; readonly sockets: readonly Socket[] }> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({ [Symbol.asyncDispose]: async () => void server.close() });
    return { port: (server.address() as AddressInfo).port, sockets };
  }

  it.each<readonly [string, readonly LookupAddress[]]>([
    ['a private address', [{ address: '127.0.0.1', family: 4 }]],
    ['a mapped one', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    [
      'a public and a private one',
      [
        { address: '127.0.0.1', family: 4 },
        { address: '203.0.114.1', family: 4 },
      ],
    ],
  ])('does not dial a name that means %s', async (_what, addresses) => {
    const trap = await openTrap();
    const sender = openSender({ resolve: async () => addresses });
    const outcome = await sender.send(attemptTo(`https://hooks.example.com:${trap.port}/`), new Date());
    expect(outcome).toEqual({ kind: 'unreachable', error: 'the address is not a public one' });
    expect(trap.sockets).toEqual([]);
  });

  it('judges a name by what it means when it is dialled, not by what it meant before', async () => {
    const meanings = ['203.0.114.1', '127.0.0.1'];
    const resolve = async () => [{ address: meanings.shift() ?? '', family: 4 }];
    const lookup = guardedLookup({ allowPrivate: false, resolve, onError: () => {} });
    // What a socket would dial; nothing is dialled here, because the first address belongs to somebody.
    const dialled = (all: boolean) =>
      new Promise((done) => lookup('rebind.example.com', { all }, (error, address) => done(error ?? address)));
    expect(await dialled(false)).toBe('203.0.114.1');
    expect(await dialled(true)).toBeInstanceOf(Error);
    const trap = await openTrap();
    const sender = openSender({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const outcome = await sender.send(attemptTo(`https://rebind.example.com:${trap.port}/`), new Date());
    expect(outcome).toEqual({ kind: 'unreachable', error: 'the address is not a public one' });
    expect(trap.sockets).toEqual([]);
  });

  it('dials no literal address either, and no plain http', async () => {
    const trap = await openTrap();
    const sender = openSender();
    for (const url of [`https://127.0.0.1:${trap.port}/`, `https://[::1]:${trap.port}/`, `http://example.com/`]) {
      expect(await sender.send(attemptTo(url), new Date())).toEqual({
        kind: 'unreachable',
        error: 'the address is not a public one',
      });
    }
    expect(trap.sockets).toEqual([]);
  });
});

describe('a name', () => {
  /** What a sender with the machine's own look-up says of a name that it may not dial, or cannot. */
  async function faultOf(...given: Parameters<typeof openNameServer>) {
    await using server = await openNameServer(...given);
    const outcome = await openSender().send(attemptTo('https://hooks.example/'), new Date());
    return { error: outcome.kind === 'unreachable' ? outcome.error : outcome.kind, questions: server.questions };
  }

  it.each([
    ['a private address', { v4: ['127.0.0.1'] }],
    ['a private address of version 6', { v6: ['::1'] }],
    ['a public one, and a private one of version 6', { v4: ['203.0.114.1'], v6: ['::1'] }],
    ['a public one of version 6, and a private one', { v4: ['10.0.0.1'], v6: ['2606:4700::1111'] }],
  ])('that means %s to the name servers is not dialled', async (_what, answer) => {
    const { error, questions } = await faultOf(() => answer);
    expect(error).toBe('the address is not a public one');
    expect(new Set(questions.map(({ type }) => type))).toEqual(new Set([1, 28]));
    expect(new Set(questions.map(({ name }) => name))).toEqual(new Set(['hooks.example']));
  });

  it.each([
    ['does not exist', { code: 'NXDOMAIN' }, 'the name does not exist'],
    ['has no address', {}, 'the name has no address'],
    ['the name servers have trouble with', { code: 'SERVFAIL' }, 'the name could not be looked up'],
  ] as const)('that %s is reported as such', async (_what, answer, error) => {
    expect((await faultOf(() => answer)).error).toBe(error);
  });

  it('is asked for twice when there is no answer', async () => {
    const { error, questions } = await faultOf(() => undefined, { patience: 0.01 });
    expect(error).toBe('the name could not be looked up');
    expect(questions.map(({ type }) => type).sort()).toEqual([1, 1, 28, 28]);
  });
});

describe('a message', () => {
  it('carries a signature that the Standard Webhooks library accepts', async () => {
    await using receiver = await openWebhookReceiver();
    const attempt = attemptTo(`${receiver.url}/path?a=1`);
    const now = new Date();
    expect(await openSender({ allowPrivate: true }).send(attempt, now)).toEqual({
      kind: 'accepted',
      responseStatus: 204,
    });
    const [message] = receiver.messages;
    expect(message).toMatchObject({
      path: '/path?a=1',
      body: attempt.payload,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'keyrank/test',
        'webhook-id': attempt.deliveryId,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      },
    });
    const library = new Webhook(`whsec_${secret.toString('base64')}`);
    const headers = message?.headers as Record<string, string>;
    expect(library.verify(message?.body ?? '', headers)).toEqual(JSON.parse(attempt.payload));
    const other = new Webhook(`whsec_${randomBytes(32).toString('base64')}`);
    expect(() => other.verify(message?.body ?? '', headers)).toThrow('No matching signature');
  });

  it('is not sent on after a redirect', async () => {
    await using target = await openWebhookReceiver();
    await using receiver = await openWebhookReceiver((_message, response) => {
      response.writeHead(307, { location: target.url }).end();
    });
    expect(await openSender({ allowPrivate: true }).send(attemptTo(receiver.url), new Date())).toEqual({
      kind: 'refused',
      responseStatus: 307,
      error: 'answered 307',
    });
    expect(target.messages).toEqual([]);
  });

  it('ends with the status, however long the answer is', async () => {
    await using receiver = await openWebhookReceiver((_message, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    });
    expect(await openSender({ allowPrivate: true }).send(attemptTo(receiver.url), new Date())).toEqual({
      kind: 'accepted',
      responseStatus: 200,
    });
  });

  it('is given up when there is no answer in time', async () => {
    await using receiver = await openWebhookReceiver(() => {});
    const sender = openSender({ allowPrivate: true, attemptTimeoutMs: 300 });
    expect(await sender.send(attemptTo(receiver.url), new Date())).toEqual({
      kind: 'unreachable',
      error: 'no answer within 0.3 s',
    });
  });

  it('says what went wrong with the connection', async () => {
    const sender = openSender({ allowPrivate: true });
    const errorAt = async (url: string) => {
      const outcome = await sender.send(attemptTo(url), new Date());
      return outcome.kind === 'unreachable' ? outcome.error : outcome;
    };
    const receiver = await openWebhookReceiver();
    await receiver[Symbol.asyncDispose]();
    expect(await errorAt(receiver.url)).toBe('the connection was refused');
    await using cutting = await openWebhookReceiver((_message, response) => void response.socket?.destroy());
    expect(await errorAt(cutting.url)).toBe('the connection was cut');
  });
});
