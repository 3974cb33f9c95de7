// How many connections there may be. Half of the places are for connections that have not shown a valid key, and no organization has
// more than half. Whoever is too many takes the place of one that waits: of those without a key first, from the address that
// has most of them, the oldest first. So a newcomer is let in for long enough to show its key, and whoever has shown one is
// not crowded out by those who have not.
import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection, OpenConnections } from './open-connections.ts';

const SHARE = 1 / 2;

/** Connections of one organization, or of one address without a key, in the order in which they came to it. */
type Group = Set<Connection>;

export interface ConnectionLimitsOptions {
  readonly maxConnections: number;
  /** Answers a connection that there is no place for. */
  readonly refuse: (socket: Socket) => void;
}

export class ConnectionLimits {
  readonly #connections: OpenConnections;
  readonly #options: ConnectionLimitsOptions;
  readonly #byAddress = new Map<string, Group>();
  readonly #byOwner = new Map<string, Group>();
  #withoutKey = 0;
  #withKey = 0;

  /** After `connections` was made of the same server. */
  constructor(server: HttpServer, connections: OpenConnections, options: ConnectionLimitsOptions) {
    this.#connections = connections;
    this.#options = options;
    server.on('connection', (socket) => this.#enter(socket));
  }

  /** Notes whose a connection is. False when its organization has all the places that it may have, and uses them. */
  claim(socket: Socket, owner: string): boolean {
    const connection = this.#connections.get(socket);
    if (!connection || connection.owner === owner) return true;
    this.#leave(connection);
    connection.owner = owner;
    this.#join(connection);
    const group = this.#byOwner.get(owner);
    if (!group || group.size <= this.#options.maxConnections * SHARE) return true;
    return this.#closeOneOf(group, isIdle);
  }

  #enter(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    this.#join(connection);
    socket.once('close', () => this.#leave(connection));
    const { maxConnections } = this.#options;
    if (this.#withoutKey > maxConnections * SHARE) this.#closeOneWithoutKey();
    else if (this.#withoutKey + this.#withKey > maxConnections && !this.#makeRoom()) this.#options.refuse(socket);
  }

  #makeRoom(): boolean {
    // The newcomer itself is among those without a key.
    if (this.#withoutKey > 1) return this.#closeOneWithoutKey();
    return this.#closeOneOf(largest(this.#byOwner), isIdle);
  }

  #closeOneWithoutKey(): boolean {
    return this.#closeOneOf(largest(this.#byAddress), () => true);
  }

  /** Closes the first of a group that may be closed. It leaves at once, not when the system has closed it. */
  #closeOneOf(group: Group | undefined, mayClose: (connection: Connection) => boolean): boolean {
    for (const connection of group ?? []) {
      if (!mayClose(connection)) continue;
      this.#leave(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #join(connection: Connection): void {
    if (connection.owner === undefined) {
      this.#withoutKey += 1;
      join(this.#byAddress, connection.address, connection);
    } else {
      this.#withKey += 1;
      join(this.#byOwner, connection.owner, connection);
    }
  }

  #leave(connection: Connection): void {
    if (connection.owner === undefined) {
      if (leave(this.#byAddress, connection.address, connection)) this.#withoutKey -= 1;
    } else if (leave(this.#byOwner, connection.owner, connection)) this.#withKey -= 1;
  }
}

/** Nothing was asked that is not answered, and nothing is on its way. */
function isIdle({ answersDue, socket, bytesRead }: Connection): boolean {
  return answersDue === 0 && socket.bytesRead === bytesRead;
}

function join<K>(groups: Map<K, Group>, key: K, connection: Connection): void {
  const group = groups.get(key) ?? new Set();
  groups.set(key, group.add(connection));
}

function leave<K>(groups: Map<K, Group>, key: K, connection: Connection): boolean {
  const group = groups.get(key);
  if (!group?.delete(connection)) return false;
  if (group.size === 0) groups.delete(key);
  return true;
}

function largest<K>(groups: ReadonlyMap<K, Group>): Group | undefined {
  let found: Group | undefined;
  for (const group of groups.values()) if (group.size > (found?.size ?? 0)) found = group;
  return found;
}
