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
/** Even if connections never cease to come. */
const MAX_ACCEPTING_MS = 1_000;

export class GentleStop {
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

  /** To be called before the server listens. The function that it returns stops it, and resolves when no connection is left. */
  prepare(server: HttpServer): () => Promise<void> {
    const connections = new OpenConnections(server);
    return () => this.#close(server, connections);
  }

  async #close(server: HttpServer, connections: OpenConnections): Promise<void> {
    this.#isDraining = true;
    const drainingSinceMs = performance.now();
    await sleep(DRAIN_MS);
    let letGo = () => {};
    this.#shut = new Promise((resolve) => {
      letGo = resolve;
    });
    await untilNobodyWaits(server);
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
 * Connections that the system has made and that nobody has accepted are reset when the door is shut. Node accepts one in each
 * turn of its loop, so a turn without one means that none waits. Answers make room for the next request, which is why
 * requests are held meanwhile.
 */
async function untilNobodyWaits(server: HttpServer): Promise<void> {
  const endMs = performance.now() + MAX_ACCEPTING_MS;
  let hasAccepted = true;
  const note = () => {
    hasAccepted = true;
  };
  server.on('connection', note);
  while (hasAccepted && performance.now() < endMs) {
    hasAccepted = false;
    await nextTurn();
  }
  server.off('connection', note);
}
