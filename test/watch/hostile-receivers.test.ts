// Whoever registers a webhook chooses the name that is looked up and the program that answers. Nothing that either of them
// does may be more than an attempt that failed.
import { randomBytes, randomUUID } from 'node:crypto';
import { promises as dns, type LookupAddress } from 'node:dns';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../src/domain/account.ts';
import type { AttemptOutcome } from '../../src/domain/webhook.ts';
import { guardedLookup, WebhookSender, type WebhookSenderOptions } from '../../src/watch/webhook-sender.ts';
import { openAliasServer } from '../support/alias-server.ts';
import { untilReported, watchStrayFaults } from '../support/stray-faults.ts';
import { openWebhookReceiver } from '../support/webhook-receiver.ts';

let stray: ReturnType<typeof watchStrayFaults>;
let opened: AsyncDisposable[];
let reported: unknown[];
beforeEach(() => {
  stray = watchStrayFaults();
  opened = [];
  reported = [];
});
afterEach(async () => {
  for (const each of opened.reverse()) await each[Symbol.asyncDispose]();
  await untilReported();
  stray[Symbol.dispose]();
  expect(stray.faults).toEqual([]);
});

function openSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const onError = (error: unknown) => void reported.push(error);
  const sender = new WebhookSender({ allowPrivate: true, userAgent: 'keyrank/test', onError, ...SHORT, ...options });
  opened.push(sender);
  return sender;
}

function send(sender: WebhookSender, url: string): Promise<AttemptOutcome> {
  const attempt = {
    deliveryId: randomUUID(),
    webhookId: randomUUID(),
    organizationId: randomUUID() as OrganizationId,
    url,
    secret: randomBytes(32),
    payload: '{"type":"period.published"}',
    attempt: 1,
  };
  return sender.send(attempt, new Date());
}

/** Nobody has to wait for ten seconds here. */
const SHORT = { attemptTimeoutMs: 1_000 };

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

describe('a name', () => {
  it.each<readonly [string, Resolve, string]>([
    ['has no address', async () => [], 'the name has no address'],
    ['has no address that is one', async () => [{ address: 'nonsense', family: 0 }], 'the name has no address'],
    ['fails with something that is no error', () => Promise.reject('no'), 'the connection failed'],
    ['fails with nothing', () => Promise.reject(undefined), 'the connection failed'],
    [
      'fails at once',
      () => {
        throw new Error('at once');
      },
      'the connection failed',
    ],
    ...Object.entries({
      ENOTFOUND: 'the name does not exist',
      EAI_AGAIN: 'the name could not be looked up',
      ESERVFAIL: 'the name could not be looked up',
      ETIMEOUT: 'the name could not be looked up',
      ECONNRESET: 'the connection was cut',
      EODD: 'the connection failed (EODD)',
    }).map(([code, text]): [string, Resolve, string] => [
      `fails with ${code}`,
      () => Promise.reject(Object.assign(new Error(code), { code })),
      text,
    ]),
    [
      'fails in several ways',
      () => Promise.reject(new AggregateError([Object.assign(new Error(), { code: 'ENOTFOUND' })])),
      'the name does not exist',
    ],
    ['fails in no way at all', () => Promise.reject(new AggregateError([])), 'the connection failed'],
    ['is answered with something that is no list', async () => undefined as never, 'the connection failed'],
    ['is never answered', () => new Promise(() => {}), 'no answer within 1 s'],
  ])('that %s is an attempt that failed', async (_what, resolve, error) => {
    for (const scheme of ['http', 'https']) {
      const outcome = await send(openSender({ resolve }), `${scheme}://hooks.example.com/`);
      expect(outcome).toEqual({ kind: 'unreachable', error });
    }
    expect(reported).toEqual([]);
  });

  it('without a public address is refused without being dialled', async () => {
    const outcome = await send(openSender({ allowPrivate: false, resolve: async () => [] }), 'https://a.example.com/');
    expect(outcome).toEqual({ kind: 'unreachable', error: 'the name has no address' });
    const bad = async () => [{ address: 'nonsense', family: 4 }];
    expect(await send(openSender({ allowPrivate: false, resolve: bad }), 'https://a.example.com/')).toEqual({
      kind: 'unreachable',
      error: 'the address is not a public one',
    });
  });

  it('whose answer the socket cannot stand is reported, and ends nothing', async () => {
    const fault = new Error('thrown by the socket');
    const lookup = guardedLookup({
      allowPrivate: true,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      onError: (error) => void reported.push(error),
    });
    lookup('hooks.example.com', {}, () => {
      throw fault;
    });
    const failing = guardedLookup({
      allowPrivate: true,
      resolve: () => Promise.reject(new Error('no such name')),
      onError: (error) => void reported.push(error),
    });
    failing('hooks.example.com', {}, () => {
      throw fault;
    });
    await expect.poll(() => reported).toEqual([fault, fault]);
  });

  it('with an alias that leads nowhere means no address, asked of a real name server', async () => {
    const server = await openAliasServer();
    opened.push(server);
    const resolver = new dns.Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`127.0.0.1:${server.port}`]);
    const resolve = (hostname: string) =>
      resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 })));
    const outcome = await send(openSender({ allowPrivate: false, resolve }), 'https://alias.example.com/');
    expect(outcome).toEqual({ kind: 'unreachable', error: 'the name has no address' });
  });
});

describe('a receiver', () => {
  const flood = (text: string) => (socket: Socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on('drain', write);
    write();
  };
  const drip = (head: string, text: string) => (socket: Socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(text), 20);
    socket.once('close', () => clearInterval(timer));
  };
  const OK = 'HTTP/1.1 200 OK\r\n';

  it.each<readonly [string, (socket: Socket) => void, object]>([
    ['sends noise', (socket) => socket.end(randomBytes(4096)), { kind: 'unreachable' }],
    ['sends a status of no meaning', (socket) => socket.end('HTTP/1.1 99999 X\r\n\r\n'), { kind: 'unreachable' }],
    ['sends two lengths', (socket) => socket.end(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`), {}],
    ['sends a length below zero', (socket) => socket.end(`${OK}content-length: -1\r\n\r\n`), { kind: 'unreachable' }],
    ['sends a chunk of no size', (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`), {}],
    ['sends headers without end', flood(`${OK}${'x: y\r\n'.repeat(1000)}`), { kind: 'unreachable' }],
    ['sends one header without end', drip(`${OK}x: `, 'y'.repeat(64)), { kind: 'unreachable' }],
    ['sends headers drop by drop', drip(OK, 'x'), { kind: 'unreachable', error: 'no answer within 1 s' }],
    ['floods with 1xx', flood('HTTP/1.1 103 Early Hints\r\n\r\n'), { kind: 'unreachable' }],
    ['answers 100 for ever', flood('HTTP/1.1 100 Continue\r\n\r\n'), { kind: 'unreachable' }],
    ['switches protocols', (socket) => socket.write('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'), {}],
    ['sends a body without end', flood(`${OK}\r\n${'x'.repeat(65_536)}`), { kind: 'accepted', responseStatus: 200 }],
    ['sends a body drop by drop', drip(`${OK}\r\n`, 'x'), { kind: 'accepted', responseStatus: 200 }],
    ['sends more than it announced', (socket) => socket.end(`${OK}content-length: 1\r\n\r\nabcdef`), {}],
    ['answers twice', (socket) => socket.end(`${OK}content-length: 0\r\n\r\n`.repeat(2)), { responseStatus: 200 }],
    ['answers 300', (socket) => socket.end('HTTP/1.1 300 X\r\ncontent-length: 0\r\n\r\n'), { kind: 'refused' }],
    ['closes at once', (socket) => socket.destroy(), { kind: 'unreachable' }],
    ['resets', (socket) => socket.resetAndDestroy(), { kind: 'unreachable' }],
    ['resets within its answer', (socket) => socket.write(OK, () => socket.resetAndDestroy()), { kind: 'unreachable' }],
    [
      'redirects to itself',
      (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n'),
      { kind: 'refused', responseStatus: 302 },
    ],
  ])('that %s is an attempt that ends, and the next receiver is served', async (_what, answer, outcome) => {
    const { port } = await openRawReceiver((socket) => socket.once('data', () => answer(socket)));
    const sender = openSender();
    expect(await send(sender, `http://127.0.0.1:${port}/`)).toMatchObject(outcome);
    await using good = await openWebhookReceiver();
    expect(await send(sender, good.url)).toEqual({ kind: 'accepted', responseStatus: 204 });
    expect(reported).toEqual([]);
  });

  it.each<readonly [string, (socket: Socket) => void]>([
    ['noise', (socket) => socket.end(randomBytes(4096))],
    ['plain HTTP', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')],
    ['a broken handshake', (socket) => socket.end(Buffer.from('16030300040e000000', 'hex'))],
    ['records without end', (socket) => socket.write(Buffer.alloc(1 << 20, '1503030002')) && undefined],
    ['a reset', (socket) => socket.resetAndDestroy()],
  ])('that answers TLS with %s is an attempt that failed', async (_what, answer) => {
    const { port } = await openRawReceiver((socket) => socket.once('data', () => answer(socket)));
    expect(await send(openSender(), `https://127.0.0.1:${port}/`)).toMatchObject({ kind: 'unreachable' });
    expect(reported).toEqual([]);
  });

  it('with an address that cannot be read is an attempt that failed', async () => {
    expect(await send(openSender(), 'not an address')).toMatchObject({ kind: 'unreachable' });
  });
});

async function openRawReceiver(onSocket: (socket: Socket) => void): Promise<{ readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { port: (server.address() as AddressInfo).port };
}
