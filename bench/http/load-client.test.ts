import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { LoadClient } from './load-client.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** Answers every request with these pieces, each in a packet of its own. */
async function serve(pieces: readonly string[]): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  server = createServer((socket: Socket) => {
    socket.setNoDelay(true);
    socket.on('data', async (bytes) => {
      asked.push(bytes.toString());
      for (const piece of pieces) {
        socket.write(piece);
        await sleep(5);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked };
}

test.each([
  ['in one', ['HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody']],
  ['with its body behind', ['HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n', 'body', 'more']],
  ['with the end of its head cut', ['HTTP/1.1 200 OK\r\ncontent-length: 4\r\n', '\r\nbody']],
  ['with its head cut', ['HTTP/1.1 2', '00 OK\r\ncontent-length: 0\r\n\r', '\n']],
])('reads an answer that comes %s, again and again', async (_how, pieces) => {
  const { url, asked } = await serve(pieces);
  using client = await LoadClient.open(url, { connections: 1 });
  const statuses = await Promise.all(['/a', '/b', '/c'].map((path) => client.get(path, 'key')));
  expect(statuses).toEqual([200, 200, 200]);
  expect(asked.map((request) => request.split(' ')[1])).toEqual(['/a', '/b', '/c']);
  expect(asked[0]).toContain('authorization: Bearer key\r\n');
});

test('tells of other statuses, and fails when there is no answer', async () => {
  const { url } = await serve(['HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}']);
  using client = await LoadClient.open(url, { connections: 2 });
  expect(await client.get('/', 'key')).toBe(503);

  const { url: mute } = await serve(['HTTP/1.1 200 OK\r\n\r\n']);
  using other = await LoadClient.open(mute, { connections: 1 });
  await expect(other.get('/', 'key')).rejects.toThrow('does not say how long it is');
});

test('fails on a connection that the server closed', async () => {
  const { url } = await serve([]);
  server?.once('connection', (socket) => socket.end());
  using client = await LoadClient.open(url, { connections: 1 });
  await sleep(50);
  await expect(client.get('/', 'key')).rejects.toThrow('the connection was closed');
});
