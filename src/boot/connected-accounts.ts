// What adds connections and changes their secrets, for the command line and for the page alike: secrets are tried by a real question
// before they are kept, are kept sealed, and no account is asked more often than Amazon allows.
import { randomUUID } from 'node:crypto';
import { checkAccount } from '../amazon/account-check.ts';
import type { Account } from '../amazon/reports-client.ts';
import { SecretKeys } from '../amazon/secret-keys.ts';
import type { Config } from '../config.ts';
import { type Caller, type OrganizationId, operates } from '../domain/account.ts';
import {
  type Connection,
  type ConnectionRecord,
  type ConnectionSecrets,
  type Connections,
  checkWanted,
  type NewConnection,
} from '../domain/connection.ts';
import { OperatorError, RequestError } from '../domain/error.ts';
import {
  addConnection,
  type ConnectionActor,
  ConnectionGoneError,
  disableConnection,
  enableConnection,
  removeConnection,
  replaceSecrets,
  retryDownloads,
} from '../postgres/connection-changes.ts';
import { checkNewConnection, listConnections, listSealed, type SealedConnection } from '../postgres/connections.ts';
import { countByConnection, countsOf, listDownloads } from '../postgres/download-status.ts';
import { openDownloadQueue } from '../postgres/downloads.ts';
import type { Pool, Queryable } from '../postgres/pool.ts';
import { VERSION } from '../version.ts';

interface Means {
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

export function openConnections(means: Means): Connections {
  const { pool } = means;
  const find = async (caller: Caller, id: string): Promise<SealedConnection | undefined> =>
    (await listSealed(pool)).find(({ connection }) => connection.id === id.toLowerCase() && sees(caller)(connection));
  const recordOf = async (connection: Connection): Promise<ConnectionRecord> => ({
    connection,
    downloads: (await countByConnection(pool)).get(connection.id) ?? countsOf([]),
  });
  /** Does something with a connection that the caller sees. */
  const withOne = async <T>(
    caller: Caller,
    id: string,
    work: (found: SealedConnection) => Promise<T>,
  ): Promise<T | undefined> => {
    const found = await find(caller, id);
    try {
      return found && (await asRequest(() => work(found)));
    } catch (error) {
      if (error instanceof ConnectionGoneError) return undefined;
      throw error;
    }
  };
  return {
    list: async (caller) => {
      const counts = await countByConnection(pool);
      return (await listConnections(pool))
        .filter(sees(caller))
        .map((connection) => ({ connection, downloads: counts.get(connection.id) ?? countsOf([]) }));
    },
    listDownloads: (caller, id) => withOne(caller, id, ({ connection }) => listDownloads(pool, connection.id)),
    add: (caller, given, secrets) =>
      asRequest(async () => {
        const { organizationId } = caller;
        const wanted = { given, enterSecrets: async () => secrets, organizationId, actor: caller };
        return await recordOf(await connectAccount(means, { ...wanted, isSeen: sees(caller) }));
      }),
    test: async (caller, id) => {
      const found = await find(caller, id);
      if (!found) return undefined;
      try {
        await testAccount(means, found);
        return { works: true };
      } catch (error) {
        if (error instanceof OperatorError) return { works: false, fault: error };
        throw error;
      }
    },
    setEnabled: (caller, id, isEnabled) =>
      withOne(caller, id, async ({ connection }) => {
        const change = isEnabled ? enableConnection : disableConnection;
        return await recordOf(await change(pool, { id: connection.id, actor: caller }));
      }),
    rotate: (caller, id, { clientId, ...secrets }) =>
      withOne(caller, id, async ({ connection }) =>
        recordOf(await rotateSecrets(means, { connection, clientId, secrets, actor: caller, isSeen: sees(caller) })),
      ),
    remove: async (caller, id) => {
      const removed = await withOne(caller, id, ({ connection }) =>
        removeConnection(pool, { id: connection.id, actor: caller }),
      );
      return removed !== undefined;
    },
    retry: (caller, id, selection) =>
      withOne(caller, id, ({ connection }) => retryDownloads(pool, { id: connection.id, actor: caller, ...selection })),
  };
}

/** Operators look after all of them. */
function sees(caller: Caller): (connection: Connection) => boolean {
  return ({ organizationId }) => operates(caller) || organizationId === caller.organizationId;
}

async function asRequest<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError) || error instanceof ConnectionGoneError) throw error;
    throw new RequestError('CONFLICT', error.message, error.hint);
  }
}
