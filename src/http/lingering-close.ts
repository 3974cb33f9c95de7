// A connection that is closed while its client still sends is reset, and the reset can overtake the answer. So an answer that comes
// before the end of the body ends the connection, and what the client still sends is thrown away for a moment. nginx calls that
// a lingering close.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The rest of a body up to this size is read and thrown away, and the connection is kept. */
const MAX_SKIPPED_BYTES = 64 * 1024;
const LINGER_MS = 2_000;
const MAX_LINGER_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 100;

/** Whether the body of a request has not come to its end yet, and is too long to wait for that. */
export function isMuchLeft({ complete, readableEnded, headers }: IncomingMessage): boolean {
  if (complete || readableEnded) return false;
  const declared = headers['content-length'];
  if (declared === undefined) return headers['transfer-encoding'] !== undefined;
  return Number(declared) > MAX_SKIPPED_BYTES;
}

/** To be called before an answer that asks to close the connection is sent. */
export function lingerOnClose(socket: Socket): void {
  // What Node does with a connection after such an answer.
  socket.destroySoon = () => {
    const endMs = performance.now() + LINGER_MS;
    const maxBytesRead = socket.bytesRead + MAX_LINGER_BYTES;
    socket.end();
    const timer = setInterval(() => {
      if (performance.now() > endMs || socket.bytesRead > maxBytesRead) socket.destroy();
    }, LOOK_MS);
    socket.once('close', () => clearInterval(timer));
  };
}
