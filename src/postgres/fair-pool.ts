// A pool for requests. Organizations take turns at its connections and none has all of them, so one that asks for much waits
// for itself, here and not in the database. Work that would wait there for a lock of its own organization does not hold a
// connection meanwhile: of each such kind one goes at a time.
//
// Whoever asks for a connection has a limited time with it, waiting included; then the connection is cut, which fails the query
// under way. Whoever has waited for most of it is sent away instead: being cut in the middle would help nobody. A network that
// swallows everything says nothing of itself, so no other timeout can be relied on.
import type { Socket } from 'node:net';
import pg from 'pg';
import { RequestError } from '../domain/error.ts';
import { FairQueue, type Owned } from '../domain/fair-queue.ts';
import { listeningClock } from './listening-clock.ts';

type Lend = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: Error) => void) => void;

/** Connections that one organization has at a time in one process, by what they are for; `deciding` is for several at once. */
const MAX_LENT = { reading: 2, changing: 1, admitting: 1, deciding: 2 } as const;
/** The same for all of its work; a pool that is smaller keeps one for the others. */
const MAX_LENT_TO_ONE = 3;

/** Of the time that whoever asks for a connection has, for waiting. */
const WAITING_SHARE = 0.75;

export interface Errand {
  /** Whose turn it takes; empty for the service itself. */
  readonly organization: string;
  readonly kind: keyof typeof MAX_LENT;
}

interface Waiting extends Owned, Errand {
  readonly go: () => void;
}

/** Too much waits for the database already. */
export class DatabaseBusyError extends RequestError {
  constructor() {
    super(
      'SERVICE_UNAVAILABLE',
      'The request waited too long for the database.',
      'Send fewer requests at once, and try again after the number of seconds in the Retry-After header.',
      { retryAfterSeconds: 1 },
    );
    this.name = 'DatabaseBusyError';
  }
}

/** Connections that are given up when they are not open in time. The pool opens each as soon as it has made it. */
function connectingWithin(limitMs: number): new (config?: pg.ClientConfig) => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      const { connection } = this as unknown as { readonly connection: { readonly stream: Socket } };
      const late = listeningClock.at(listeningClock.nowMs() + limitMs, () => connection.stream.destroy());
      this.once('connect', () => late.cancel());
      this.once('end', () => late.cancel());
    }
  };
}

export class FairPool extends pg.Pool {
  readonly #limitMs: number;
  readonly #maxLent: number;
  readonly #queue = new FairQueue<Waiting>();
  /** How many are lent, by organization and by organization and kind. */
  readonly #lent = new Map<string, number>();
  readonly #loans = new WeakMap<object, { readonly errand: Errand; readonly cut: { cancel(): void } }>();
  #lentCount = 0;

  constructor(config: pg.PoolConfig & { readonly max: number }, limitMs: number) {
    super({ ...config, connectionTimeoutMillis: 0, Client: connectingWithin(limitMs) });
    this.#limitMs = limitMs;
    this.#maxLent = config.max;
    this.on('release', (_error, client) => {
      const loan = this.#loans.get(client);
      if (!loan) return;
      this.#loans.delete(client);
      loan.cut.cancel();
      this.#giveBack(loan.errand);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(lend: Lend): void;
  override connect(lend?: Lend): Promise<pg.PoolClient> | undefined {
    const lent = this.borrow({ organization: '', kind: 'reading' });
    if (!lend) return lent;
    lent.then(
      (client) => lend(undefined, client, (error) => client.release(error)),
      (error) => lend(error, undefined, () => {}),
    );
    return undefined;
  }

  /** A connection, when it is the organization's turn. */
  async borrow(errand: Errand): Promise<pg.PoolClient> {
    const startMs = listeningClock.nowMs();
    const endMs = startMs + this.#limitMs;
    await this.#takeTurn(errand, startMs + this.#limitMs * WAITING_SHARE);
    try {
      const client = await this.#connect(endMs);
      const cut = listeningClock.at(endMs, () => this.#cut(client));
      this.#loans.set(client, { errand, cut });
      return client;
    } catch (error) {
      this.#giveBack(errand);
      throw error;
    }
  }

  /** Opens so many connections, so that the first requests find them open. */
  async open(count: number): Promise<void> {
    const clients = await Promise.all(
      Array.from({ length: Math.min(count, this.#maxLent) }, (_, n) =>
        this.borrow({ organization: `opening ${n}`, kind: 'reading' }),
      ),
    );
    for (const client of clients) client.release();
  }

  #takeTurn(errand: Errand, endMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const owner = `${errand.organization} ${errand.kind}`;
      const late = listeningClock.at(endMs, () => {
        this.#queue.remove((each) => each === waiting);
        reject(new DatabaseBusyError());
      });
      const waiting: Waiting = {
        ...errand,
        owner,
        go: () => {
          late.cancel();
          resolve();
        },
      };
      this.#queue.push(waiting);
      this.#lend();
    });
  }

  #lend(): void {
    while (this.#lentCount < this.#maxLent) {
      const next = this.#queue.shift((errand) => this.#hasRoom(errand));
      if (!next) return;
      this.#count(next, 1);
      next.go();
    }
  }

  #hasRoom({ organization, kind }: Errand): boolean {
    const maxLentToOne = Math.max(1, Math.min(MAX_LENT_TO_ONE, this.#maxLent - 1));
    const lent = this.#lent.get(organization) ?? 0;
    return lent < maxLentToOne && (this.#lent.get(`${organization} ${kind}`) ?? 0) < MAX_LENT[kind];
  }

  #giveBack(errand: Errand): void {
    this.#count(errand, -1);
    this.#lend();
  }

  #count({ organization, kind }: Errand, change: 1 | -1): void {
    this.#lentCount += change;
    for (const key of [organization, `${organization} ${kind}`]) {
      const count = (this.#lent.get(key) ?? 0) + change;
      if (count === 0) this.#lent.delete(key);
      else this.#lent.set(key, count);
    }
  }

  #connect(endMs: number): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const late = listeningClock.at(endMs, () => {
        isLate = true;
        reject(new DatabaseBusyError());
      });
      super.connect().then(
        (client) => {
          late.cancel();
          if (isLate) client.release();
          else resolve(client);
        },
        (error) => {
          late.cancel();
          reject(error);
        },
      );
    });
  }

  #cut(client: pg.PoolClient): void {
    // Those that lie idle go the same way, most likely; they are not lent again only to find out.
    for (let count = this.idleCount; count > 0; count -= 1) {
      super.connect().then(
        (idle) => idle.release(true),
        () => {},
      );
    }
    // With a query under way this destroys the socket. Whoever holds the client gives it back as broken.
    void (client as unknown as pg.Client).end();
  }
}
