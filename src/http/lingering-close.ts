// A connection that is closed while its client still sends is reset, and the reset can overtake the answer. So an answer that comes
// before the end of the body ends the connection, and what the client still sends is thrown away for a moment. nginx calls that
// a lingering close. Throwing away costs time too, so all such connections take turns at it: one that lingers alone has every turn,
// and hundreds together cost no more than that.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The rest of a body up to this size is read and thrown away, and the connection is kept. */
const MAX_SKIPPED_BYTES = 64 * 1024;
const LINGER_MS = 2_000;
const MAX_LINGER_BYTES = 4 * 1024 * 1024;
/** So often one of them is read: whatever has arrived from it. */
const TURN_MS = 50;
/** When there are more, the one that has waited longest for its turn is closed: most of hundreds would never have one. */
const MAX_LINGERING = 64;

interface Lingering {
  readonly socket: Socket;
  readonly endMs: number;
  readonly maxBytesRead: number;
}

/** In the order of their turns. */
const lingering = new Set<Lingering>();
let turns: NodeJS.Timeout | undefined;

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
    const one = {
      socket,
      endMs: performance.now() + LINGER_MS,
      maxBytesRead: socket.bytesRead + MAX_LINGER_BYTES,
    };
    socket.end();
    // Node is about to read on, to throw away what comes as fast as it comes; that is scheduled for before this.
    setImmediate(() => socket.pause());
    lingering.add(one);
    const [longestWaiting] = lingering;
    if (longestWaiting && lingering.size > MAX_LINGERING) {
      lingering.delete(longestWaiting);
      longestWaiting.socket.destroy();
    }
    socket.once('close', () => lingering.delete(one));
    turns ??= setInterval(readNext, TURN_MS);
  };
}

function readNext(): void {
  for (const { socket, endMs, maxBytesRead } of lingering) {
    if (performance.now() > endMs || socket.bytesRead > maxBytesRead) socket.destroy();
  }
  const [next] = lingering;
  if (!next) {
    clearInterval(turns);
    turns = undefined;
    return;
  }
  lingering.delete(next);
  if (next.socket.destroyed) return;
  lingering.add(next);
  next.socket.resume();
  // After the event loop has looked at its sockets once.
  setImmediate(() => setImmediate(() => next.socket.pause()));
}
