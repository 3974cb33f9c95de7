// What adds connections and changes their secrets, for the command line and for the page alike: secrets are tried by a real question
// before they are kept, are kept sealed, and no account is asked more often than Amazon allows.
import { randomUUID } from 'node:crypto';
import { checkAccount } from '../amazon/account-check.ts';
import type { Account } from '../amazon/reports-client.ts';
import { SecretKeys } from '../amazon/secret-keys.ts';
import type { Config } from '../config.ts';
import type { OrganizationId } from '../domain/account.ts';
import { type Connection, type ConnectionSecrets, checkWanted, type NewConnection } from '../domain/connection.ts';
import { OperatorError } from '../domain/error.ts';
import { addConnection, type ConnectionActor, replaceSecrets } from '../postgres/connection-changes.ts';
import { checkNewConnection, listSealed, type SealedConnection } from '../postgres/connections.ts';
import { openDownloadQueue } from '../postgres/downloads.ts';
import type { Pool, Queryable } from '../postgres/pool.ts';
import { VERSION } from '../version.ts';

export interface Means {
  readonly pool: Pool;
  readonly config: Pick<Config, 'amazonUrl' | 'secretKeys' | 'dataDirectory'>;
}

interface Wanted {
  readonly given: NewConnection;
  /** Asked for when all else is right. */
  readonly enterSecrets: () => Promise<ConnectionSecrets>;
  /** Null: the operators'. */
  readonly organizationId: OrganizationId | null;
  readonly actor?: ConnectionActor;
  readonly isSeen?: (other: Connection) => boolean;
}

export async function connectAccount(means: Means, wanted: Wanted): Promise<Connection> {
  const { pool, config } = means;
  const { given, enterSecrets, isSeen, organizationId, actor } = wanted;
  checkWanted(given);
  await checkNewConnection(pool, given, isSeen);
  const id = randomUUID();
  const secrets = await enterSecrets();
  const keys = await SecretKeys.open(config, { creates: true });
  const { region, clientId } = given;
  const check = async (connection: Queryable) => {
    await checkNewConnection(connection, given, isSeen);
    await checkOtherAccount(connection, keys, { id, region, secrets, isSeen });
  };
  await check(pool);
  await ask(means, { connection: { id, region, clientId }, secrets });
  const sealed = keys.seal(id, secrets);
  return await addConnection(pool, { given: { ...given, id, organizationId }, sealed, check, ...(actor && { actor }) });
}

/** Amazon's rates hold for an account: two connections of one would exceed them together. */
async function checkOtherAccount(
  queryable: Queryable,
  keys: SecretKeys,
  {
    id,
    region,
    secrets,
    isSeen = () => true,
  }: {
    readonly id: string;
    readonly region: string;
    readonly secrets: ConnectionSecrets;
    readonly isSeen?: ((other: Connection) => boolean) | undefined;
  },
): Promise<void> {
  for (const { connection, sealed } of await listSealed(queryable)) {
    if (connection.id === id || connection.region !== region || !keys.has(sealed.keyId)) continue;
    if (keys.open(connection.id, sealed).refreshToken !== secrets.refreshToken) continue;
    const which = isSeen(connection) ? `The connection "${connection.name}"` : 'A connection of this installation';
    throw new OperatorError(`${which} is of the same account.`, {
      hint: 'Have one connection with the marketplaces of both.',
    });
  }
}

/** Asks with the secrets that are kept; throws when Amazon does not answer as it should. */
export async function testAccount(means: Means, { connection, sealed }: SealedConnection): Promise<void> {
  const secrets = (await SecretKeys.open(means.config)).open(connection.id, sealed);
  await askWithinRate(means, { connection, secrets });
}

export async function rotateSecrets(
  means: Means,
  {
    connection,
    clientId = connection.clientId,
    secrets,
    actor,
    isSeen,
  }: {
    readonly connection: Connection;
    readonly clientId?: string | undefined;
    readonly secrets: ConnectionSecrets;
    readonly actor?: ConnectionActor;
    readonly isSeen?: (other: Connection) => boolean;
  },
): Promise<Connection> {
  const { id, region } = connection;
  const keys = await SecretKeys.open(means.config, { creates: true });
  await checkOtherAccount(means.pool, keys, { id, region, secrets, isSeen });
  await askWithinRate(means, { connection: { id, region, clientId }, secrets });
  return await replaceSecrets(means.pool, { id, clientId, sealed: keys.seal(id, secrets), ...(actor && { actor }) });
}

/** Servers ask in the name of the same account meanwhile. */
async function askWithinRate(means: Means, account: Account): Promise<void> {
  const queue = openDownloadQueue(means.pool);
  if (await queue.takeTurn(account.connection.id, 'getReports')) return await ask(means, account);
  throw new OperatorError('Amazon allows this account no more questions at the moment.', {
    hint: 'Try again in a minute.',
  });
}

async function ask({ config }: Means, account: Account): Promise<void> {
  const { amazonUrl } = config;
  const userAgent = `keyrank/${VERSION} (Language=JavaScript)`;
  await checkAccount({ amazonUrl, userAgent, now: () => new Date() }, account);
}
