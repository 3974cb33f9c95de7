import type pg from 'pg';
import { OperatorError } from '../domain/error.ts';
import { type DatabaseServer, outsidePostgres, withConnection } from './connection.ts';
import { openEmbeddedPostgres, type ServerLogger } from './embedded/embedded-postgres.ts';
import { migrate } from './migrations.ts';

export interface DatabaseOptions {
  readonly databaseUrl: URL | null;
  /** How the role that answers requests logs in; null: as DATABASE_URL does. */
  readonly serviceDatabaseUrl?: URL | null;
  /** Requests of tenants will be answered: then a session must not be able to become anyone else. */
  readonly answersRequests?: boolean;
  readonly dataDirectory: string;
  readonly log: ServerLogger;
}

/** The embedded or the outside PostgreSQL, started, migrated and safe to work on. */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseServer> {
  const { databaseUrl, serviceDatabaseUrl, log } = options;
  const server = databaseUrl ? outsidePostgres(databaseUrl, serviceDatabaseUrl) : await embeddedServer(options);
  try {
    for (const name of await migrate(server)) log.info({ name }, 'applied a migration');
    await checkRole(server, options);
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
async function checkRole(server: DatabaseServer, { answersRequests = false }: DatabaseOptions): Promise<void> {
  const explain = (error: unknown) =>
    new OperatorError(`Cannot connect as the role that answers requests: ${(error as Error).message}.`, {
      hint: 'Check KEYRANK_SERVICE_DATABASE_URL; without it, that the user of DATABASE_URL is a member of keyrank_service.',
      cause: error,
    });
  await withConnection(server.connection('keyrank_service'), explain, async (client) => {
    const { rows } = await client.query<{ bypasses: boolean; name: string }>(
      'SELECT rolname AS name, rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
    );
    const [role] = rows;
    if (role?.name !== 'keyrank_service' || role.bypasses) {
      throw new OperatorError(
        `The service works as the database role "${role?.name}", which can bypass row-level security.`,
        {
          hint: 'Run as superuser: ALTER ROLE keyrank_service NOSUPERUSER NOBYPASSRLS; and connect without a pooler in between.',
        },
      );
    }
    if (answersRequests) await checkLogin(client);
  });
}

/** SET ROLE NONE leads back to the user that logged in, and SET ROLE to every role that this user is a member of. */
async function checkLogin(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ login: string; role: string; power: string }>(
    `SELECT session_user AS login, r.rolname AS role, p.power FROM pg_roles r
     CROSS JOIN LATERAL (SELECT CASE
       WHEN r.rolsuper THEN 'is a superuser'
       WHEN r.rolbypassrls THEN 'bypasses row-level security'
       WHEN r.rolname = 'keyrank_operator' THEN 'sees the rows of all organizations'
       WHEN r.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
         THEN 'can leave the database'
       WHEN EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid AND c.relnamespace = 'keyrank'::regnamespace)
         THEN 'owns the tables of keyrank'
       WHEN r.rolcreaterole THEN 'can give itself other roles' END AS power) p
     WHERE pg_has_role(session_user, r.oid, 'MEMBER') AND p.power IS NOT NULL
     ORDER BY r.rolname = session_user DESC, r.rolname LIMIT 1`,
  );
  const [danger] = rows;
  if (!danger) return;
  const { login, role, power } = danger;
  throw new OperatorError(
    role === login
      ? `Requests would be answered by the database user "${login}", which ${power}.`
      : `Requests would be answered by the database user "${login}", which can become "${role}", which ${power}.`,
    {
      hint:
        `Let keyrank_service log in itself: ALTER ROLE keyrank_service LOGIN PASSWORD 'choose one'; and set ` +
        'KEYRANK_SERVICE_DATABASE_URL=postgres://keyrank_service:…@host:5432/database. DATABASE_URL stays as it is.',
    },
  );
}
