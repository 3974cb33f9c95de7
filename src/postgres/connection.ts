import pg, { type PoolConfig } from 'pg';

/**
 * keyrank_owner owns the schema and migrates it. The other two do the work and cannot bypass row-level security:
 * keyrank_service answers requests, keyrank_operator is the command line and the background jobs.
 */
export const DATABASE_ROLES = ['keyrank_owner', 'keyrank_service', 'keyrank_operator'] as const;
export type DatabaseRole = (typeof DATABASE_ROLES)[number];

/** Where the database is and how each role reaches it. */
export interface DatabaseServer extends AsyncDisposable {
  connection(role: DatabaseRole): PoolConfig;
  /** For people: "embedded PostgreSQL in ./data/postgres", or the outside address without its password. */
  readonly description: string;
}

const CONNECT_TIMEOUT_MS = 3_000;

/**
 * An outside PostgreSQL. The address logs in as whoever may own the schema; the working roles are taken on as the session
 * starts. A session can leave a role that it has taken on, so whoever answers requests should have an address that logs in as
 * keyrank_service itself.
 */
export function outsidePostgres(address: URL, serviceAddress: URL | null = null): DatabaseServer {
  return {
    description: `PostgreSQL at ${address.host || 'a Unix socket'}${address.pathname}`,
    connection: (role) => {
      const url = new URL(role === 'keyrank_service' && serviceAddress ? serviceAddress : address);
      const given = url.searchParams.get('options');
      url.searchParams.delete('options');
      const roleOption = role === 'keyrank_owner' ? '' : ` -c role=${role}`;
      return {
        connectionString: url.href,
        options: `${given ?? ''} -c search_path=keyrank${roleOption}`.trim(),
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
      };
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Runs work on a connection of its own. `explain` says in the operator's words why there is none. */
export async function withConnection<T>(
  config: pg.ClientConfig,
  explain: (error: unknown) => unknown,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  // A connection that breaks also fails the query under way, which is where it is reported.
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw explain(error);
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
