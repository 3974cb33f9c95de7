import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { GracefulShutdown } from '../../src/http/graceful-shutdown.ts';

const REQUEST = 'GET / HTTP/1.1\r\nhost: keyrank\r\n\r\n';
/** More than the system takes for a client that does not read. */
const LARGE_BYTES = 32 * 1024 * 1024;

describe('a server that stops', () => {
  it('answers what was sent before it looked, even if it was too busy to read it', async () => {
    // A busy machine may let the moment pass; such a try says nothing.
    while (!(await answersJustInTime()));
  });

  it('waits a second for kept connections, and three for those that never asked', async () => {
    const { connect, stop } = await listen((_request, response) => void response.end('here'));
    const kept = await connect();
    const fresh = await connect();
    kept.socket.write(REQUEST);
    await kept.untilReceived('here');
    const { sinceMs, done } = stop();
    await once(kept.socket, 'close');
    expect(performance.now() - sinceMs).toBeGreaterThanOrEqual(1_000);
    expect(fresh.socket.closed).toBe(false);
    await once(fresh.socket, 'close');
    expect(performance.now() - sinceMs).toBeGreaterThanOrEqual(3_000);
    await done;
  });

  it('does not cut an answer that its client is slow to read', async () => {
    const { connect, stop } = await listen((_request, response) => void response.end('x'.repeat(LARGE_BYTES)));
    const { socket } = await connect();
    let receivedBytes = 0;
    socket.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
    });
    socket.pause();
    socket.write(REQUEST);
    await sleep(100);
    const { done } = stop();
    await sleep(1_500);
    expect(socket.closed).toBe(false);
    socket.resume();
    await done;
    expect(receivedBytes).toBeGreaterThan(LARGE_BYTES);
  });
});

/** Whether requests were sent just before their connections' time was up; fails when one was not answered. */
async function answersJustInTime(): Promise<boolean> {
  const { connect, stop } = await listen((_request, response) => void response.end('here'));
  const kept = await connect();
  const fresh = await connect();
  kept.socket.write(REQUEST);
  await kept.untilReceived('here');
  const stopped = stop();
  for (const { client, atMs } of [
    { client: kept, atMs: 900 },
    { client: fresh, atMs: 2_900 },
  ]) {
    await sleep(atMs - (performance.now() - stopped.sinceMs));
    const received = client.received().length;
    // From here Node goes on with timers: the connection's time is up before what lies there is read.
    await nextTurn();
    if (performance.now() - stopped.sinceMs > atMs + 90) {
      for (const { socket } of [kept, fresh]) socket.destroy();
      await stopped.done;
      return false;
    }
    client.socket.write(REQUEST);
    block(300);
    await once(client.socket, 'close');
    expect(client.received().slice(received)).toContain('here');
  }
  await stopped.done;
  return true;
}

async function listen(answer: RequestListener) {
  const server: Server = createServer(answer);
  const stop = new GracefulShutdown();
  stop.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    connect: () => connect(port),
    stop: () => ({ sinceMs: performance.now(), done: stop.close() }),
  };
}

async function connect(port: number) {
  const socket: Socket = createConnection(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    if (text.length < 10_000) text += chunk.toString();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return {
    socket,
    received: () => text,
    untilReceived: async (part: string) => {
      while (!text.includes(part)) await once(socket, 'data');
    },
  };
}

function block(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}
