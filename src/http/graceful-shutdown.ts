// Stopping without dropping a request. First answers ask clients to close their connections, so that they go elsewhere; then
// the door is shut; then those who came in before have time to say what they want; and the last answer ends it.
//
// HTTP/1.1 has no way to close a quiet connection that a client cannot be writing to at that moment. So a connection is given
// up only after it was quiet for longer than a request takes that left before its client could know of the stop.
import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { OpenConnections, type Patience } from './open-connections.ts';

/** How long answers ask clients to close before the door is shut. */
const DRAIN_MS = 250;
/**
 * Whoever has just connected is about to ask: three seconds are two packets lost one after the other (RFC 6298). On a connection
 * that has answered before, most clients never ask again; a second is one lost packet.
 */
const PATIENCE: Patience = { freshMs: 3_000, keptMs: 1_000 };
/** How often quiet connections are looked for. */
const LOOK_MS = 50;
/** The door is shut when nobody came between so many looks, each a moment later. Looks, because a pause of the process is none. */
const LOOKS_FOR_NOBODY = 50;
const LOOK_FOR_NOBODY_MS = 2;
/** Even if connections never cease to come. */
const MAX_ACCEPTING_MS = 1_000;

export class GracefulShutdown {
  #served: { readonly server: HttpServer; readonly connections: OpenConnections } | undefined;
  #isDraining = false;
  #shut: Promise<void> | undefined;

  /** True once the service is stopping: answers then ask clients to reconnect elsewhere. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** While the door is being shut: new requests wait for this before they are handled. */
  get shut(): Promise<void> | undefined {
    return this.#shut;
  }

  /** To be called before the server listens. */
  watch(server: HttpServer, connections = new OpenConnections(server)): void {
    this.#served = { server, connections };
  }

  /** Resolves when no connection is left. */
  async close(): Promise<void> {
    if (!this.#served) return;
    const { server, connections } = this.#served;
    this.#isDraining = true;
    const drainingSinceMs = performance.now();
    await sleep(DRAIN_MS);
    let letGo = () => {};
    this.#shut = new Promise((resolve) => {
      letGo = resolve;
    });
    await untilNobodyComes(server);
    let isClosed = false;
    // The close of an HTTP server would also close what it takes for idle.
    Server.prototype.close.call(server, () => {
      isClosed = true;
    });
    this.#shut = undefined;
    letGo();
    while (!isClosed) {
      await sleep(LOOK_MS);
      // Timers come before what the network brought: after a pause of the whole process a request may lie there, unread.
      await nextTurn();
      connections.closeQuiet(PATIENCE, drainingSinceMs);
    }
  }
}

/**
 * Connections that the system has made and that nobody has accepted are reset when the door is shut, and between the last look
 * and the shutting the system may make another: the more, the longer a busy machine lets the process wait in between. Answers
 * make room for the next request. So requests are held until all clients wait for theirs, and nobody comes any more.
 */
async function untilNobodyComes(server: HttpServer): Promise<void> {
  const endMs = performance.now() + MAX_ACCEPTING_MS;
  let looks = 0;
  const startAnew = () => {
    looks = 0;
  };
  server.on('connection', startAnew);
  while (looks < LOOKS_FOR_NOBODY && performance.now() < endMs) {
    looks += 1;
    await sleep(LOOK_FOR_NOBODY_MS);
    // In this turn whoever came meanwhile is accepted.
    await nextTurn();
  }
  server.off('connection', startAnew);
}
