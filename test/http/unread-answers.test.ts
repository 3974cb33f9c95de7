// Answers that nobody reads are given up, with all that they hold; those that are read slowly are not.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

const TERMS = 20_000;
const EXPORT = '/v1/search/keywords/export?query=amber&file_format=ndjson';
/** Every term of the only period is new. */
const LIST_EXPORT = '/v1/trends/new/export?file_format=ndjson';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ KEYRANK_UNREAD_SECONDS: '3' });
  const lines = Array.from({ length: TERMS }, (_, n) => `monthly,01-2026,amber ${'amberish '.repeat(26)}${n},${n + 1}`);
  await service.publish('ranks.csv', `period_type,period,search_term,rank\n${lines.join('\n')}\n`);
}, 120_000);
afterAll(() => service[Symbol.asyncDispose]());

it.each([EXPORT, LIST_EXPORT])('exports that nobody reads give their places back: %s', async (path) => {
  const key = await service.makeKey();
  const readers = [ask(path, key), ask(path, key)];
  while ((await leases()) < 2) await sleep(10);
  expect((await service.request(path, { key })).status).toBe(429);
  while ((await leases()) > 0) await sleep(50);
  const again = await service.request(`${path}&limit=1`, { key });
  expect(again.status).toBe(200);
  for (const socket of readers) socket.destroy();
});

it('an export that is read slowly comes to its end', async () => {
  const key = await service.makeKey();
  const whole = (await service.request(EXPORT, { key })).text;
  const socket = ask(EXPORT, key);
  let bytes = 0;
  let tail = '';
  const ended = new Promise((resolve) => socket.once('close', resolve));
  // With pauses that are shorter than what is allowed, over a time that is longer.
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    tail = (tail + chunk.toString('latin1')).slice(-5);
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  socket.resume();
  await ended;
  expect(tail).toBe('0\r\n\r\n');
  expect(bytes).toBeGreaterThan(whole.length);
});

async function leases(): Promise<number> {
  const { rows } = await service.database.operator.query<{ count: number }>(
    'SELECT count(*) AS count FROM export_leases',
  );
  return rows[0]?.count ?? 0;
}

/** Asks, and reads nothing yet. */
function ask(path: string, key: string): Socket {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => socket.destroy());
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close'];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}
