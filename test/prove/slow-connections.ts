// Connections that send their requests a byte at a time, or never read their answers, beside clients that behave.
import { createConnection, type Socket } from 'node:net';
import { sendRequest } from '../support/service.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import { loadFully } from './offered-load.ts';
import type { Finding, Trial } from './promised.ts';
import { writeSyntheticReport } from './synthetic-report.ts';

const SLOW = 500;
const BYTE_EVERY_MS = 300;
const CLIENTS = 8;
const GOAL = 0.999;

export async function trySlowConnections({ seed, quick, report }: Trial): Promise<Finding> {
  await using world = await openEmbeddedWorld();
  for (const month of [1, 2]) {
    await world.importReport(await writeSyntheticReport(world.directory, { seed, terms: 10_000, month }));
  }
  const key = await world.makeKey();
  await using server = await world.startServer();
  const slow = Array.from({ length: SLOW }, (_, n) =>
    openSlow(new URL(server.url), { key, kind: KINDS[n % 3] ?? 'headers' }),
  );
  // Whoever behaves does so while all of them are there, and the answers that nobody reads are made.
  await sendRequest(`${server.url}/v1/trends/change-by`, { key });
  const paths = ['/v1/trends/change-by?limit=10', '/v1/meters', '/v1/periods'];
  const outcome = await loadFully({ url: server.url, keys: [key], paths, seconds: quick ? 3 : 30 }, CLIENTS);
  const open = slow.filter((socket) => !socket.destroyed).length;
  for (const socket of slow) socket.destroy();
  const share = (outcome.byStatus['200'] ?? 0) / outcome.sent;
  report(
    `${JSON.stringify(outcome.byStatus)}, p50 ${outcome.p50Ms.toFixed(1)} ms, ${outcome.undocumented.length} undocumented`,
  );
  return {
    kept: share >= GOAL && outcome.sent > 100,
    figure: `${(share * 100).toFixed(2)} % of ${outcome.sent} answered well, p99 ${outcome.p99Ms.toFixed(0)} ms, ${open} slow ones still open`,
  };
}

const KINDS = ['headers', 'body', 'reading'] as const;

function openSlow(
  { hostname, port }: URL,
  { key, kind }: { readonly key: string; readonly kind: (typeof KINDS)[number] },
): Socket {
  const socket = createConnection(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  const head = `authorization: Bearer ${key}\r\nhost: ${hostname}\r\n`;
  if (kind === 'reading') {
    // A large answer that is never read.
    const request = `GET /v1/trends/change-by?limit=1000&threshold=1 HTTP/1.1\r\n${head}\r\n`;
    socket.pause();
    socket.write(request);
    return socket;
  }
  const text =
    kind === 'headers'
      ? `GET /v1/meters HTTP/1.1\r\n${head}x-padding: ${'x'.repeat(1_000)}\r\n\r\n`
      : `POST /v1/tracked-keywords HTTP/1.1\r\n${head}content-length: 1000\r\n\r\n${'x'.repeat(1_000)}`;
  let sent = kind === 'headers' ? 0 : text.indexOf('\r\n\r\n') + 4;
  if (sent > 0) socket.write(text.slice(0, sent));
  const timer = setInterval(() => {
    if (socket.destroyed || sent >= text.length) clearInterval(timer);
    else socket.write(text.charAt(sent));
    sent += 1;
  }, BYTE_EVERY_MS);
  socket.once('close', () => clearInterval(timer));
  return socket;
}
