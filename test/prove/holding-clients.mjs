// Clients in a process of their own and with the lowest priority: they stand for some on other machines. They connect one after
// the other, send their message and read nothing. Whoever is closed connects again after a while. Without a port they do that to
// one of their own, where nobody reads either: that tells what they alone take of this machine.
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { setPriority } from 'node:os';

const AGAIN_MS = 5_000;

setPriority(19);
process.once('disconnect', () => process.exit());
process.once('message', async ({ port: given, message, connections, overMs }) => {
  const port = given ?? (await openSink());
  const connect = () => {
    const socket = createConnection(port, '127.0.0.1').pause();
    socket.on('error', () => socket.destroy());
    socket.once('close', () => setTimeout(connect, AGAIN_MS));
    if (message !== '') socket.write(message);
  };
  for (let n = 0; n < connections; n += 1) setTimeout(connect, (n * overMs) / connections);
});

async function openSink() {
  const sink = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  return sink.address().port;
}
