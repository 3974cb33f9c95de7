import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { OrganizationId } from '../domain/account.ts';
import { OpenConnections } from './open-connections.ts';
import { UnreadAnswers } from './unread-answers.ts';

const [GREEDY, OTHER] = ['greedy', 'other'] as OrganizationId[] as [OrganizationId, OrganizationId];
/** More than what the system holds for a client that does not read. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024, 'a');

it('an organization with much that is unread has to read it first, and loses the oldest of more', async () => {
  const server = createServer();
  const unread = new UnreadAnswers(new OpenConnections(server), {
    maxStallMs: 600_000,
    maxBytes: 4 * ANSWER.length,
  });
  server.on('request', (request, response) => {
    unread.hold(response, { owner: GREEDY, socket: request.socket, bytes: ANSWER.length });
    response.end(ANSWER);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(() => unread.checkRoom(GREEDY)).not.toThrow();
  const readers: Socket[] = [];
  for (let n = 0; n < 3; n += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    readers.push(socket);
  }
  expect(() => unread.checkRoom(GREEDY)).toThrow('Too many answers of this organization wait to be read.');
  expect(() => unread.checkRoom(OTHER)).not.toThrow();
  const [oldest, ...others] = readers;
  oldest?.resume();
  if (oldest) await once(oldest, 'close');
  expect(others.map(({ readableEnded, destroyed }) => readableEnded || destroyed)).toEqual([false, false]);
  for (const socket of readers) socket.destroy();
  const hasRoom = (): boolean => {
    try {
      unread.checkRoom(GREEDY);
      return true;
    } catch {
      return false;
    }
  };
  while (!hasRoom()) await sleep(5);
  server.close();
});
