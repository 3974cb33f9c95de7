// The nodes of a cluster. Any of them answers questions about all of them; what is done to each by itself goes to every address.
import { randomUUID } from 'node:crypto';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Cancellation } from '../domain/cancellation.ts';
import { RequestError } from '../domain/error.ts';
import { errorCode, errorMessage } from '../domain/error-code.ts';
import type { ReadOptions } from '../domain/store.ts';
import type { ClickHouseSettings } from './clickhouse-settings.ts';
import { type Sql, sql } from './sql.ts';

/** A question that takes longer is given up, and its caller is sent away. */
const QUESTION_MS = 60_000;
/** Statements that fill tables work for as long as there is something to do. */
const STATEMENT_MS = 24 * 3_600_000;
const MAX_QUERY_BYTES = 64 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;
/** To each node. */
const MAX_CONNECTIONS = 64;

const COMMON = {
  // An answer is whole or none: errors come with a status and not in the middle, and a node that is missing is an error.
  wait_end_of_query: 1,
  skip_unavailable_shards: 0,
  output_format_json_quote_64bit_integers: 0,
  max_query_size: String(MAX_QUERY_BYTES),
  max_ast_elements: '10000000',
  max_expanded_ast_elements: '10000000',
} as const;
const READING = { ...COMMON, readonly: '2' } as const;
/** Rows are on the nodes when the statement ends. */
const WRITING = { ...COMMON, insert_distributed_sync: 1 } as const;

/** What ClickHouse says when a node is gone, or has too much to do. */
const UNAVAILABLE_CODES = ['3', '32', '101', '102', '159', '198', '202', '209', '210', '241', '279', '394'];
const BROKEN_CONNECTION = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** A node cannot be asked, so that nothing can be said. */
export class ClusterUnavailableError extends RequestError {
  constructor(cause: unknown) {
    const message = 'A part of the data cannot be reached at the moment.';
    super('SERVICE_UNAVAILABLE', message, 'Try again shortly.', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.name = 'ClusterUnavailableError';
    this.cause = cause;
  }
}

export class ClickHouse implements AsyncDisposable {
  readonly settings: ClickHouseSettings;
  readonly database: string;
  readonly cluster: string;
  readonly #clients: readonly ClickHouseClient[];
  #next = 0;

  constructor(settings: ClickHouseSettings) {
    const { hosts, cluster, database, username, password } = settings;
    this.settings = settings;
    this.database = database;
    this.cluster = cluster;
    this.#clients = hosts.map((url) =>
      createClient({
        ...{ url, username, password, request_timeout: STATEMENT_MS, max_open_connections: MAX_CONNECTIONS },
        // What goes wrong is thrown, too.
        log: { level: ClickHouseLogLevel.OFF },
      }),
    );
  }

  get nodeCount(): number {
    return this.#clients.length;
  }

  /** Asks all nodes through one that answers. */
  async rows<Row>(query: Sql, { signal }: ReadOptions = {}): Promise<readonly Row[]> {
    let failure: unknown;
    for (let attempt = 0; attempt < this.#clients.length; attempt += 1) {
      this.#next = (this.#next + 1) % this.#clients.length;
      const client = this.#clients[this.#next];
      if (!client) break;
      try {
        return await cancellable(signal, QUESTION_MS, (abort_signal) => ask<Row>(client, query, abort_signal));
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        failure = error;
        // Where nobody listens another node may be asked.
        if (!BROKEN_CONNECTION.test(errorCode(error) ?? '')) break;
      }
    }
    throw explain(failure);
  }

  /** The same statement on every node, at the same time. */
  async onEachNode(statement: Sql, options: ReadOptions = {}): Promise<void> {
    const done = await Promise.allSettled(
      this.#clients.map((client) =>
        cancellable(options.signal, STATEMENT_MS, (abort_signal) =>
          client.command({ query: statement.text, clickhouse_settings: WRITING, abort_signal }),
        ),
      ),
    );
    for (const each of done) if (each.status === 'rejected') throw explain(each.reason);
  }

  /** Puts rows, each an object in JSON, where they belong. `place` counts up, so that nodes take turns. */
  async insert(
    target: { readonly table: Sql; readonly columns: Sql; readonly place: number },
    rows: readonly string[],
    options: ReadOptions = {},
  ): Promise<void> {
    const client = this.#clients[target.place % this.#clients.length];
    const query = sql`INSERT INTO ${target.table} (${target.columns}) FORMAT JSONEachRow`;
    await cancellable(options.signal, STATEMENT_MS, async (abort_signal) => {
      await client?.command({
        query: `${query.text}\n${rows.join('\n')}`,
        clickhouse_settings: WRITING,
        abort_signal,
      });
    }).catch((error) => {
      throw explain(error);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof ClusterUnavailableError) return true;
  const code = errorCode(error) ?? '';
  // Old servers say it in words alone.
  const [, said = code] = /^Code: (\d+)/.exec(errorMessage(error)) ?? [];
  if (BROKEN_CONNECTION.test(code) || UNAVAILABLE_CODES.includes(said)) return true;
  return error instanceof Error && /timeout|socket hang up|aborted/i.test(error.message);
}

function explain(error: unknown): unknown {
  return isUnavailable(error) ? new ClusterUnavailableError(error) : error;
}

async function ask<Row>(client: ClickHouseClient, query: Sql, abort_signal: AbortSignal): Promise<readonly Row[]> {
  const query_id = randomUUID();
  try {
    const format = 'JSONEachRow';
    const answer = await client.query({
      ...{ query: query.text, query_id, format, clickhouse_settings: READING, abort_signal },
    });
    return await answer.json<Row>();
  } catch (error) {
    // A server goes on by itself when nobody waits any more.
    if (abort_signal.aborted) {
      const kill = sql`KILL QUERY WHERE query_id = ${query_id} ASYNC`;
      client.command({ query: kill.text }).catch(() => {});
    }
    throw error;
  }
}

/** Ends with the caller's reason as soon as it says so. */
async function cancellable<T>(
  signal: Cancellation | undefined,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw signal.reason;
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener('abort', end);
  const timer = setTimeout(end, timeoutMs).unref();
  try {
    return await work(ending.signal);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
