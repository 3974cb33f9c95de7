// Which connections a server has, whose they are, and for how long nothing came on them. Node's own idea of an idle connection will
// not do for a stop: it takes for idle one whose answer is made but not yet sent, and one whose request lies unread with the
// system.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection may be quiet before it is given up. */
export interface Patience {
  /** Of one on which nothing was ever asked. */
  readonly freshMs: number;
  /** Of one whose last answer was sent. */
  readonly keptMs: number;
}

export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Whose key came on it last; undefined before a valid one did. */
  owner: string | undefined;
  answersDue: number;
  isFresh: boolean;
  /** When it was made, or its last answer sent. */
  quietSinceMs: number;
  /** What had come when it became quiet; more means that a request is on its way. */
  bytesRead: number;
}

export class OpenConnections {
  /** In the order in which they were made. */
  readonly #connections = new Map<Socket, Connection>();

  constructor(server: HttpServer) {
    server.on('connection', (socket) => {
      this.#connections.set(socket, {
        socket,
        address: socket.remoteAddress ?? '',
        owner: undefined,
        answersDue: 0,
        isFresh: true,
        quietSinceMs: performance.now(),
        bytesRead: 0,
      });
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.on('request', (request, response) => this.#noteRequest(request, response));
  }

  get(socket: Socket): Connection | undefined {
    return this.#connections.get(socket);
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#connections.values();
  }

  /**
   * Closes those on which nothing came for too long, not counting the time before the given moment. To be called when all
   * that has come was read: right after the system was asked for it, not from a timer.
   */
  closeQuiet({ freshMs, keptMs }: Patience, sinceMs: number): void {
    const nowMs = performance.now();
    for (const { socket, answersDue, isFresh, quietSinceMs, bytesRead } of this) {
      if (answersDue > 0 || socket.bytesRead !== bytesRead) continue;
      const quietMs = nowMs - Math.max(quietSinceMs, sinceMs);
      if (quietMs >= (isFresh ? freshMs : keptMs)) socket.destroy();
    }
  }

  #noteRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.answersDue += 1;
    response.once('close', () => {
      connection.answersDue -= 1;
      connection.isFresh = false;
      connection.quietSinceMs = performance.now();
      connection.bytesRead = socket.bytesRead;
    });
  }
}
