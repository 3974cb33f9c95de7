// Every keyrank process keeps one connection to the embedded server and on it a shared advisory lock, which the server
// itself drops when the process dies in whatever way. Who closes lets go of the shared lock and tries the exclusive one:
// who gets it is the last and stops the server, holding it until the end, so that nobody can join in between. When two
// close at one moment, the later of them finds no shared lock left, or the other one already stopping.
import { Client } from 'pg';
import { DATABASE_ROLES } from '../connection.ts';

/** Advisory locks are per database. In `postgres` ours are in nobody's way, also when `keyrank` is dropped and restored. */
const SESSION_DATABASE = 'postgres';
const APPLICATION_DATABASE = 'keyrank';

/** 'keyr' and 'keys' in ASCII: any two numbers that all releases agree on. */
const PRESENCE_LOCK = 0x6b657972;
const SETUP_LOCK = 0x6b657973;

/** For each step; who waits longer than that for a server asks again. */
const STEP_LIMIT_MS = 10_000;

const LOGIN_ROLES = DATABASE_ROLES.filter((role) => role !== 'keyrank_owner');

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Connects, announces this process and makes the roles and the database where they are missing. */
export async function openServerSession(address: ServerAddress, limitMs: number): Promise<Client> {
  const stepLimitMs = Math.max(1, Math.min(STEP_LIMIT_MS, Math.round(limitMs)));
  const client = new Client({
    ...address,
    user: 'keyrank_owner',
    database: SESSION_DATABASE,
    application_name: 'keyrank presence',
    connectionTimeoutMillis: stepLimitMs,
    lock_timeout: stepLimitMs,
    ssl: false,
  });
  // Queries report their own failures, and 'end' tells of a lost connection; without a listener Node would exit.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
    if (!(await isSetUp(client))) await setUp(client);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

/** True when no other process is left: then the caller must stop the server and only then end the connection. */
export async function leaveServerSession(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
  const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [PRESENCE_LOCK]);
  return rows[0]?.last === true;
}

async function isSetUp(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(
    `SELECT (SELECT count(*) FROM pg_roles
             WHERE rolname = ANY ($1) AND rolcanlogin AND NOT rolsuper AND NOT rolbypassrls) = cardinality($1::text[])
        AND EXISTS (SELECT FROM pg_database WHERE datname = $2) AS done`,
    [LOGIN_ROLES, APPLICATION_DATABASE],
  );
  return rows[0]?.done === true;
}

async function setUp(client: Client): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [SETUP_LOCK]);
  for (const role of LOGIN_ROLES) {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    // The migrations make missing roles too, but without LOGIN, which only this server's socket makes safe to give.
    const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${role} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION`);
  }
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [APPLICATION_DATABASE]);
  if (rowCount === 0) {
    await client.query(`CREATE DATABASE ${APPLICATION_DATABASE} OWNER keyrank_owner TEMPLATE template0`);
  }
  await client.query('SELECT pg_advisory_unlock($1)', [SETUP_LOCK]);
}
