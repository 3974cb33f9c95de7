import pg from 'pg';
import { OperatorError } from '../domain/error.ts';
import { type DatabaseServer, outsidePostgres } from './connection.ts';
import { openEmbeddedPostgres, type ServerLogger } from './embedded/embedded-postgres.ts';
import { migrate } from './migrations.ts';

export interface DatabaseOptions {
  readonly databaseUrl: URL | null;
  readonly dataDirectory: string;
  readonly log: ServerLogger;
}

/** The embedded or the outside PostgreSQL, started, migrated and safe to work on. */
export async function openDatabase({ databaseUrl, dataDirectory, log }: DatabaseOptions): Promise<DatabaseServer> {
  const server = databaseUrl ? outsidePostgres(databaseUrl) : await embeddedServer({ dataDirectory, log });
  try {
    for (const name of await migrate(server)) log.info({ name }, 'applied a migration');
    await checkRole(server);
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

async function embeddedServer(options: Pick<DatabaseOptions, 'dataDirectory' | 'log'>): Promise<DatabaseServer> {
  const embedded = await openEmbeddedPostgres(options);
  return {
    description: 'embedded PostgreSQL',
    connection: (role) => ({ ...embedded.connection(role), options: '-c search_path=keyrank' }),
    [Symbol.asyncDispose]: () => embedded.close(),
  };
}

/** Row-level security is the last line of defence between tenants; a role that bypasses it must not answer requests. */
async function checkRole(server: DatabaseServer): Promise<void> {
  const client = new pg.Client(server.connection('keyrank_service'));
  // A connection that breaks also fails the query under way, which is where it is reported.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ bypasses: boolean; name: string }>(
      'SELECT rolname AS name, rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
    );
    const [role] = rows;
    if (role?.name === 'keyrank_service' && !role.bypasses) return;
    throw new OperatorError(
      `The service works as the database role "${role?.name}", which can bypass row-level security.`,
      {
        hint: 'Run as superuser: ALTER ROLE keyrank_service NOSUPERUSER NOBYPASSRLS; and connect without a pooler in between.',
      },
    );
  } finally {
    await client.end();
  }
}
