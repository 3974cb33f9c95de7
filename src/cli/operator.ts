import { availableParallelism } from 'node:os';
import { ClickHouse } from '../clickhouse/connection.ts';
import { openClickHousePublication } from '../clickhouse/fill/publication.ts';
import { type Config, readConfig } from '../config.ts';
import { OperatorError } from '../domain/error.ts';
import type { RankPublisher } from '../domain/rank-publisher.ts';
import type { BuiltElsewhere } from '../ingest/publish/built-elsewhere.ts';
import { FilePublisher } from '../ingest/publish/file-publisher.ts';
import type { SessionRows } from '../ingest/session-rows.ts';
import type { DatabaseServer } from '../postgres/connection.ts';
import { openDatabase } from '../postgres/database.ts';
import { isDatabaseUnavailable, openPool, type Pool, type Queryable } from '../postgres/pool.ts';
import { ResourceStack } from '../resource-stack.ts';
import { openStorage } from '../storage/object-store.ts';

/** Notices of the database are not the answer to a command; warnings are worth a line. */
const QUIET_LOG = {
  info: () => {},
  warn: (_details: object, message: string) => console.error(`warning: ${message}`),
};

export interface Operator {
  readonly config: Config;
  readonly server: DatabaseServer;
  readonly pool: Pool;
}

/** What takes time to load, as DuckDB does, is loaded when something is published. */
export function openPublisher({ config, pool }: Operator): RankPublisher<SessionRows, Queryable> {
  const { dataDirectory, keepRevisionsMs } = config;
  return new FilePublisher({
    pool,
    dataDirectory,
    storage: openStorage(config),
    keepRevisionsMs,
    buildSnapshot: async (request) => (await import('../snapshot/build/build.ts')).buildSnapshot(request),
    ...(config.rankStore === 'clickhouse' && { elsewhere: openPublication(config) }),
    now: () => new Date(),
  });
}

/** The cluster that the settings name. Its idle connections keep no command from ending. */
export function openCluster({ clickHouse }: Config): ClickHouse {
  if (clickHouse) return new ClickHouse(clickHouse);
  throw new OperatorError('No ClickHouse is named.', { hint: 'Name every node in CLICKHOUSE_URL.' });
}

export function openPublication(config: Config): BuiltElsewhere {
  return openClickHousePublication({
    clickHouse: openCluster(config),
    dataDirectory: config.dataDirectory,
    threads: availableParallelism(),
  });
}

/** What a backup copies, and what a restore fills. */
export function copyParts(operator: Operator) {
  const { server, pool, config } = operator;
  return { server, pool, files: openPublisher(operator).files, dataDirectory: config.dataDirectory };
}

/** Runs a command's work with the operator's view of the database, which sees every organization. */
export async function asOperator<T>(work: (operator: Operator) => Promise<T>): Promise<T> {
  try {
    return await withDatabase(work);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    throw new OperatorError('The database was lost, or is too busy.', {
      hint: `Run the command again when it is back. The driver said: ${String(error)}`,
      cause: error,
    });
  }
}

async function withDatabase<T>(work: (operator: Operator) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  await using opened = new ResourceStack();
  const server = opened.use(await openDatabase({ ...config, log: QUIET_LOG }));
  const pool = openPool(server, { role: 'keyrank_operator', maxConnections: 2, onIdleError: () => {} });
  opened.defer(() => pool.end());
  return await work({ config, server, pool });
}
