// A pool for requests, whose callers would rather hear soon that the database does not answer. Whoever asks for a connection
// has a limited time with it, waiting included; then the connection is cut, which fails the query under way. A network that
// swallows everything says nothing of itself, so no other timeout can be relied on.
import pg from 'pg';

type Lend = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: Error) => void) => void;

export class PatientPool extends pg.Pool {
  readonly #limitMs: number;
  readonly #cuts = new WeakMap<object, NodeJS.Timeout>();

  constructor(config: pg.PoolConfig, limitMs: number) {
    super({ ...config, connectionTimeoutMillis: limitMs });
    this.#limitMs = limitMs;
    this.on('release', (_error, client) => {
      clearTimeout(this.#cuts.get(client));
      this.#cuts.delete(client);
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(lend: Lend): void;
  override connect(lend?: Lend): Promise<pg.PoolClient> | undefined {
    const endMs = performance.now() + this.#limitMs;
    if (!lend) {
      return super.connect().then((client) => {
        this.#limit(client, endMs);
        return client;
      });
    }
    super.connect((error, client, release) => {
      if (client) this.#limit(client, endMs);
      lend(error, client, release);
    });
    return undefined;
  }

  #limit(client: pg.PoolClient, endMs: number): void {
    const cut = setTimeout(() => {
      // A process that was too busy to look may have the answer waiting: it is read before the immediate runs.
      setImmediate(() => {
        if (this.#cuts.get(client) === cut) this.#cut(client);
      });
    }, endMs - performance.now());
    this.#cuts.set(client, cut);
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
