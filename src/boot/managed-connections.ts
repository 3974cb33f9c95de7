// Connections as people manage them over HTTP. What the command line says to an operator goes to the caller as it is.
import { type Caller, operates } from '../domain/account.ts';
import type { Connection, ConnectionCheck, ConnectionRecord, Connections } from '../domain/connection.ts';
import { OperatorError, RequestError } from '../domain/error.ts';
import {
  ConnectionGoneError,
  disableConnection,
  enableConnection,
  removeConnection,
  retryDownloads,
} from '../postgres/connection-changes.ts';
import { listConnections, listSealed, type SealedConnection } from '../postgres/connections.ts';
import { countByConnection, countsOf, listDownloads } from '../postgres/download-status.ts';
import type { Pool } from '../postgres/pool.ts';
import { connectAccount, type Means, rotateSecrets, testAccount } from './connected-accounts.ts';

export function openConnections(means: Means): Connections {
  const { pool } = means;
  const { findOne, withOne } = openReach(pool);
  const recordOf = async (connection: Connection): Promise<ConnectionRecord> => ({
    connection,
    downloads: (await countByConnection(pool)).get(connection.id) ?? countsOf([]),
  });
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
      const found = await findOne(caller, id);
      return found && (await check(means, found));
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

/** How a caller reaches one connection: what they do not see, and what somebody removed meanwhile, is undefined. */
function openReach(pool: Pool) {
  const findOne = async (caller: Caller, id: string): Promise<SealedConnection | undefined> =>
    (await listSealed(pool)).find(({ connection }) => connection.id === id.toLowerCase() && sees(caller)(connection));
  const withOne = async <T>(
    caller: Caller,
    id: string,
    work: (found: SealedConnection) => Promise<T>,
  ): Promise<T | undefined> => {
    const found = await findOne(caller, id);
    try {
      return found && (await asRequest(() => work(found)));
    } catch (error) {
      if (error instanceof ConnectionGoneError) return undefined;
      throw error;
    }
  };
  return { findOne, withOne };
}

async function check(means: Means, found: SealedConnection): Promise<ConnectionCheck> {
  try {
    await testAccount(means, found);
    return { works: true };
  } catch (error) {
    if (error instanceof OperatorError) return { works: false, fault: error };
    throw error;
  }
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
