import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lingerOnClose } from './lingering-close.ts';

const MIB = 1024 * 1024;

it('reads on from one refused client at a time, until all have their answer', async () => {
  const responses: ServerResponse[] = [];
  const server = createServer((_, response) => responses.push(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = Array.from({ length: 8 }, () => sendLong(server.address() as AddressInfo));
  while (responses.length < 8) await sleep(1);
  const sockets = responses.map(({ req: { socket } }) => socket);
  for (const response of responses) {
    lingerOnClose(response.req.socket);
    response.writeHead(401, { connection: 'close', 'content-length': 2 }).end('no');
  }
  const readWhole = () => sockets.filter(({ bytesRead }) => bytesRead > MIB).length;
  while (readWhole() === 0) await sleep(1);
  expect(readWhole()).toBeLessThan(4);
  for (const answer of await Promise.all(clients)) expect(answer).toMatch(/^HTTP\/1.1 401 .*no$/s);
  server.close();
});

async function sendLong({ port }: AddressInfo): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${MIB}\r\n\r\n`);
  socket.end('x'.repeat(MIB));
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await once(socket, 'close');
  return text;
}
