// One connection on which a server hears of what other processes committed. What it keeps in memory because of that must
// be dropped when the connection is lost, and looked at anew when it is back: what was said meanwhile is gone.
import pg from 'pg';
import { contain } from '../domain/containment.ts';
import type { DatabaseServer } from './connection.ts';
import type { Queryable } from './pool.ts';

export interface Subscriber {
  readonly channel: string;
  readonly onNotification: (notification: pg.Notification, listener: Queryable) => Promise<void>;
  readonly onLost?: () => void;
  readonly onRestored?: () => Promise<void>;
}

interface ListenerOptions {
  readonly server: DatabaseServer;
  readonly onError: (error: unknown) => void;
}

/** The name by which the listening connections of servers are found. */
export const LISTENER_NAME = 'keyrank listen';

const RECONNECT_MS = 500;
/**
 * A silent connection may be dead without anyone having said so. Both together are less than whoever disables a key waits
 * for servers to confirm it, so that one that cannot hear of it has by then noticed, and remembers no keys.
 */
const HEARTBEAT_MS = 2_000;
const HEARTBEAT_TIMEOUT_MS = 2_000;

/** The sessions on which the servers of this database listen: one for each that runs. */
export async function listListeners(database: Queryable): Promise<readonly number[]> {
  const { rows } = await database.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
    [LISTENER_NAME],
  );
  return rows.map(({ pid }) => pid);
}

export class Listener implements AsyncDisposable {
  readonly #options: ListenerOptions;
  readonly #subscribers: Subscriber[] = [];
  #client: pg.Client | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: ListenerOptions) {
    this.#options = options;
  }

  static async open(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    await listener.#connect();
    return listener;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** A connection that is lost meanwhile is no reason to fail: the next one listens to every channel. */
  async subscribe(subscriber: Subscriber): Promise<void> {
    this.#subscribers.push(subscriber);
    const client = this.#client;
    await client?.query(`LISTEN ${subscriber.channel}`).catch((error: unknown) => this.#lose(client, error));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnect);
    clearInterval(this.#heartbeat);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      ...this.#options.server.connection('keyrank_service'),
      application_name: LISTENER_NAME,
      query_timeout: HEARTBEAT_TIMEOUT_MS,
      connectionTimeoutMillis: HEARTBEAT_TIMEOUT_MS,
    });
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('the connection that hears of changes was closed')));
    client.on('notification', (notification) => this.#hear(client, notification));
    try {
      await client.connect();
      for (const { channel } of this.#subscribers) await client.query(`LISTEN ${channel}`);
      if (this.#isClosed) throw new Error('nobody listens any more');
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.#heartbeat = setInterval(() => {
      client.query('SELECT 1').catch((error: unknown) => this.#lose(client, error));
    }, HEARTBEAT_MS).unref();
  }

  #hear(client: pg.Client, notification: pg.Notification): void {
    for (const subscriber of this.#subscribers) {
      if (subscriber.channel !== notification.channel) continue;
      void contain(() => subscriber.onNotification(notification, client), this.#options.onError);
    }
  }

  #lose(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearInterval(this.#heartbeat);
    for (const { onLost } of this.#subscribers) void contain(() => onLost?.(), this.#options.onError);
    // Not awaited: a dead connection may take minutes to say goodbye.
    client.end().catch(() => {});
    if (this.#isClosed) return;
    this.#connectAgain();
    void contain(() => Promise.reject(error), this.#options.onError);
  }

  #connectAgain(): void {
    this.#reconnect = setTimeout(() => {
      this.#connect().then(
        () => {
          for (const { onRestored } of this.#subscribers) void contain(() => onRestored?.(), this.#options.onError);
        },
        () => {
          if (!this.#isClosed) this.#connectAgain();
        },
      );
    }, RECONNECT_MS);
  }
}
