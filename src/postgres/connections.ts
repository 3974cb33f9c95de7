// Accounts at Amazon. Secrets come sealed and are given out sealed; nothing here can read them.
import type { Connection, NewConnection } from '../domain/connection.ts';
import type { SealedSecrets } from '../domain/download-queue.ts';
import { OperatorError } from '../domain/error.ts';
import type { Queryable } from './pool.ts';

export type ConnectionRow = Connection;

export const CONNECTION_COLUMNS = `c.id, c.organization_id AS "organizationId", c.name, c.region, c.marketplaces,
  c.client_id AS "clientId", c.look_back_weeks AS "lookBackWeeks", c.look_back_months AS "lookBackMonths", c.since::text AS since,
  c.created_at AS "createdAt", c.disabled_at AS "disabledAt", c.fault, c.held_until AS "heldUntil"`;

export function connectionOf(row: ConnectionRow): Connection {
  const { id, organizationId, name, region, marketplaces, clientId, lookBackWeeks, lookBackMonths, since } = row;
  const { createdAt, disabledAt, fault, heldUntil } = row;
  const account = { id, organizationId, name, region, marketplaces, clientId };
  return { ...account, lookBackWeeks, lookBackMonths, since, createdAt, disabledAt, fault, heldUntil };
}

export interface SealedConnection {
  readonly connection: Connection;
  readonly sealed: SealedSecrets;
}

/** By name. */
export async function listConnections(connection: Queryable): Promise<readonly Connection[]> {
  return (await listSealed(connection)).map((each) => each.connection);
}

export async function listSealed(connection: Queryable): Promise<readonly SealedConnection[]> {
  const { rows } = await connection.query<ConnectionRow & { secrets: Buffer; keyId: string }>(
    `SELECT ${CONNECTION_COLUMNS}, c.secrets, c.key_id AS "keyId" FROM connections c ORDER BY c.name`,
  );
  return rows.map((row) => ({ connection: connectionOf(row), sealed: { keyId: row.keyId, bytes: row.secrets } }));
}

export async function getConnection(connection: Queryable, name: string): Promise<SealedConnection> {
  const found = (await listSealed(connection)).find((each) => each.connection.name === name);
  if (found) return found;
  throw new OperatorError(`There is no connection "${name}".`, {
    hint: 'List the connections with: keyrank connection list',
  });
}

/**
 * Refuses a name or a marketplace that another connection has: what is fetched twice would be published twice. Of a connection that is
 * somebody else's nothing is told but that it is there.
 */
export async function checkNewConnection(
  connection: Queryable,
  given: Pick<NewConnection, 'name' | 'marketplaces'>,
  isSeen: (other: Connection) => boolean = () => true,
): Promise<void> {
  for (const other of await listConnections(connection)) {
    if (other.name === given.name) {
      throw new OperatorError(`There is a connection "${given.name}" already.`, {
        hint: 'Choose another name, or enter new secrets for it (rotate).',
      });
    }
    const twice = other.marketplaces.find((code) => given.marketplaces.includes(code));
    if (twice !== undefined) {
      const whose = isSeen(other) ? `the connection "${other.name}"` : 'another connection of this installation';
      throw new OperatorError(`${twice} is fetched by ${whose} already.`, {
        hint: 'The report of a marketplace is the same for every account: leave it out.',
      });
    }
  }
}
