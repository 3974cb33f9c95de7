// Bodies take memory only when somebody who may send them does.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

const MIB = 1024 * 1024;
const PATH = '/v1/tracked-keywords';

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('a body', () => {
  it.each([
    ['without a key', () => 'x-a: b', 401],
    ['with a key that lacks the scope', async () => bearer(await service.makeKey({ scopes: ['search'] })), 403],
    [
      'of an organization without subscription',
      async () => bearer(await service.makeKey({ subscription: { status: 'inactive' } })),
      400,
    ],
    ['with a key, but too large', () => bearer(key), 413],
  ])('%s is refused before it comes, and the connection is closed', async (_name, header, status) => {
    for (const path of status === 401 ? [PATH, '/mcp'] : [PATH]) {
      const lines = [`POST ${path} HTTP/1.1`, 'Host: x', await header(), `Content-Length: ${2 * MIB}`];
      const { socket, text } = open(lines);
      await once(socket, 'close');
      expect(text(), path).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text()).toMatch(/^connection: close\r$/im);
    }
  });

  it('in chunks is refused when it has become too large', async () => {
    const { socket, text } = open([`POST ${PATH} HTTP/1.1`, 'Host: x', bearer(key), 'Transfer-Encoding: chunked']);
    for (let n = 0; n < 20; n += 1) socket.write(`10000\r\n${'a'.repeat(0x10000)}\r\n`);
    await once(socket, 'close');
    expect(text()).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is asked for only when it will be read', async () => {
    const lines = [
      `POST ${PATH} HTTP/1.1`,
      'Host: x',
      'Expect: 100-continue',
      'Content-Length: 24',
      'Connection: close',
    ];
    const refused = open(lines);
    await once(refused.socket, 'close');
    expect(refused.text()).toMatch(/^HTTP\/1\.1 401 /);
    const { socket, text } = open([...lines, bearer(key)]);
    while (!text().includes('\r\n\r\n')) await sleep(5);
    expect(text()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{"search_term":"waiting"}'.slice(0, 24));
    await once(socket, 'close');
    expect(text()).toMatch(/\r\n\r\nHTTP\/1\.1 400 /);
  });

  it('that no endpoint reads is passed over: a short one on a connection that stays, a long one while it is still sent', async () => {
    const target = '/v1/tracked-keywords/digests/read-all';
    const { socket, text } = open([`POST ${target} HTTP/1.1`, 'Host: x', bearer(key), 'Content-Length: 1000']);
    while (!text().includes('"error":null}')) await sleep(5);
    socket.write(`${'a'.repeat(1000)}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket, 'close');
    expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    for (let n = 0; n < 5; n += 1) {
      const long = await service.request(target, { method: 'POST', key, body: 'a'.repeat(3 * MIB) });
      expect(long.status).toBe(200);
    }
  });
});

it('bodies that do not come to an end are bounded for an organization, and harm no other', async () => {
  const lines = [`POST ${PATH} HTTP/1.1`, 'Host: x', bearer(key), `Content-Length: ${MIB}`];
  const unfinished = Array.from({ length: 40 }, () => open(lines));
  const refused = () => unfinished.filter(({ text }) => text() !== '');
  // By what they declare: nothing of them has come yet.
  while (refused().length < 24) await sleep(20);
  for (const { socket } of unfinished) socket.write('a'.repeat(MIB - 1));
  for (const { text } of refused()) {
    expect(text()).toMatch(/^HTTP\/1\.1 503 /);
    expect(text()).toMatch(/^retry-after: 1\r$/im);
  }
  const send = (name: string, by: string) =>
    service.request(PATH, { method: 'POST', key: by, body: JSON.stringify({ search_term: name }) });
  expect((await send('beside', await service.makeKey())).status).toBe(201);
  for (const { socket } of unfinished) socket.destroy();
  while ((await send('after', key)).status === 503) await sleep(20);
});

function bearer(token: string): string {
  return `Authorization: Bearer ${token}`;
}

function open(lines: readonly string[]): { readonly socket: Socket; readonly text: () => string } {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => (text += chunk)).on('error', () => socket.destroy());
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return { socket, text: () => text };
}
