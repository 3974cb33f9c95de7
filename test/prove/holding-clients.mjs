// Clients in a thread of their own, so that whoever measures beside them is not slowed down by them: they connect one after the
// other, send their message and read nothing. Whoever is closed connects again after a while.
import { createConnection } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { hostname, port, message, connections, overMs } = workerData;
const AGAIN_MS = 5_000;
const open = new Set();

function connect() {
  const socket = createConnection(Number(port), hostname).pause();
  open.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    open.delete(socket);
    setTimeout(connect, AGAIN_MS);
  });
  if (message !== '') socket.write(message);
}

for (let n = 0; n < connections; n += 1) setTimeout(connect, (n * overMs) / connections);
parentPort?.on('message', () => process.exit());
