// Ten connections at most, five of them for one organization or for those without a key.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ KEYRANK_MAX_CONNECTIONS: '10' });
});
afterAll(() => service[Symbol.asyncDispose]());

it('connections without a key give way to newer ones, and leave those with a key alone', async () => {
  const keyed = await open();
  await ask(keyed, await service.makeKey());
  const idle: Socket[] = [];
  for (let n = 0; n < 20; n += 1) idle.push(await open());
  while (idle.filter(isOpen).length > 5) await sleep(10);
  expect(idle.map(isOpen)).toEqual(idle.map((_, n) => n >= 15));
  // A newcomer shows its key, and takes the place of the oldest only.
  const newcomer = await open();
  expect(await ask(newcomer, await service.makeKey())).toContain('HTTP/1.1 200');
  expect(await ask(keyed, await service.makeKey())).toContain('HTTP/1.1 200');
  for (const socket of [keyed, newcomer, ...idle]) socket.destroy();
});

it('an organization has half of the connections, and its idle ones give way to its new ones', async () => {
  const [key, other] = [await service.makeKey(), await service.makeKey()];
  const neighbour = await open();
  await ask(neighbour, other);
  const own: Socket[] = [];
  for (let n = 0; n < 8; n += 1) {
    const socket = await open();
    own.push(socket);
    expect(await ask(socket, key)).toContain('HTTP/1.1 200');
  }
  while (own.filter(isOpen).length > 5) await sleep(10);
  expect(own.map(isOpen)).toEqual([false, false, false, true, true, true, true, true]);
  expect(await ask(neighbour, other)).toContain('HTTP/1.1 200');
  for (const socket of [neighbour, ...own]) socket.destroy();
});

it('an organization whose connections are all at work is asked to come again', async () => {
  const key = await service.makeKey();
  const lines = ['POST /v1/tracked-keywords HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`];
  const head = [...lines, 'Expect: 100-continue', 'Content-Length: 100', '', ''].join('\r\n');
  const busy: Socket[] = [];
  for (let n = 0; n < 5; n += 1) {
    const socket = await open();
    busy.push(socket);
    socket.write(head);
    // It is told to go on when its body is being read.
    await once(socket, 'data');
  }
  const answer = await ask(await open(), key);
  expect(answer).toContain('HTTP/1.1 503');
  expect(answer).toMatch(/^retry-after: 1\r$/im);
  expect(answer).toMatch(/^connection: close\r$/im);
  expect(busy.every(isOpen)).toBe(true);
  for (const socket of busy) socket.destroy();
});

function isOpen(socket: Socket): boolean {
  return !socket.destroyed && !socket.readableEnded;
}

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket.resume();
}

/** One request on this connection, and its answer. */
async function ask(socket: Socket, key: string): Promise<string> {
  let text = '';
  const add = (chunk: Buffer) => {
    text += chunk;
  };
  socket.on('data', add);
  socket.write(`GET /v1/meters HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  while (!text.includes('"error":') && isOpen(socket)) await sleep(5);
  socket.off('data', add);
  return text;
}
