// Stopping without dropping a request. First answers ask clients to close their connections, so that they go elsewhere; then
// the door is shut; then those who came in before have a moment to say what they want; and the last answer ends it.
import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** How long answers ask clients to close before the door is shut. */
const DRAIN_MS = 250;
/**
 * How long a connection that was made before the door was shut has to send its request. Node takes it for idle until then,
 * and closing it would drop a request that is on its way.
 */
const GRACE_MS = 500;
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

  /** Resolves when no connection is left. */
  async close(server: HttpServer): Promise<void> {
    this.#isDraining = true;
    await sleep(DRAIN_MS);
    let letGo = () => {};
    this.#shut = new Promise((resolve) => {
      letGo = resolve;
    });
    await untilNobodyWaits(server);
    // The close of an HTTP server would also close what it takes for idle.
    const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
    this.#shut = undefined;
    letGo();
    const grace = new AbortController();
    await Promise.race([closed, sleep(GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})]);
    grace.abort();
    server.closeIdleConnections();
    await closed;
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
