// A DuckDB session over files. Statements may run concurrently; all must have ended before it is closed.
import { type DuckDBConnection, DuckDBDataChunk, type DuckDBType } from '@duckdb/node-api';
import type { Database } from './duckdb.ts';

type Cell = string | number | bigint | boolean | null;
type ResultRow = Readonly<Record<string, Cell>>;

/** DuckDB takes rows in chunks of this many. */
const CHUNK_ROWS = 2048;

export class DuckDbSession implements AsyncDisposable {
  readonly #database: Database;
  /** The only connection, unless statements run concurrently. */
  readonly #first: DuckDBConnection;
  readonly #connections: Set<DuckDBConnection>;
  readonly #idle: DuckDBConnection[];
  readonly #signal: AbortSignal | undefined;
  readonly #interrupt: () => void;

  private constructor(database: Database, first: DuckDBConnection, signal: AbortSignal | undefined) {
    this.#database = database;
    this.#first = first;
    this.#connections = new Set([first]);
    this.#idle = [first];
    this.#signal = signal;
    this.#interrupt = () => {
      for (const connection of this.#connections) connection.interrupt();
    };
    signal?.addEventListener('abort', this.#interrupt);
  }

  /** The database is the session's from now on, and closed with it. */
  static async open(database: Database, signal?: AbortSignal): Promise<DuckDbSession> {
    return new DuckDbSession(database, await database.connect(), signal);
  }

  /** Runs work during which fractionDone is known. Not always on, because DuckDB polls its progress without a pause. */
  async withProgress<T>(work: () => Promise<T>): Promise<T> {
    await this.run('SET enable_progress_bar = true; SET enable_progress_bar_print = false');
    const result = await work();
    await this.run('SET enable_progress_bar = false');
    return result;
  }

  async run(sql: string): Promise<void> {
    await this.#guarded((connection) => connection.run(sql));
  }

  async rows(sql: string): Promise<readonly ResultRow[]> {
    const reader = await this.#guarded((connection) => connection.runAndReadAll(sql));
    return reader.getRowObjects() as readonly ResultRow[];
  }

  /** The one row of a query that always has one. */
  async row(sql: string): Promise<ResultRow> {
    const [row] = await this.rows(sql);
    if (!row) throw new Error(`no row from: ${sql}`);
    return row;
  }

  /** Puts rows into a table, column by column. */
  async append(table: string, columns: readonly { type: DuckDBType; values: readonly Cell[] }[]): Promise<void> {
    const appender = await this.#first.createAppender(table);
    const types = columns.map((column) => column.type);
    const count = columns[0]?.values.length ?? 0;
    for (let start = 0; start < count; start += CHUNK_ROWS) {
      const end = Math.min(start + CHUNK_ROWS, count);
      const chunk = DuckDBDataChunk.create(types, end - start);
      chunk.setColumns(columns.map((column) => column.values.slice(start, end)));
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  }

  /** How far the running statement is, from 0 to 1; undefined when DuckDB cannot tell. */
  get fractionDone(): number | undefined {
    const { percentage } = this.#first.progress;
    return percentage < 0 ? undefined : percentage / 100;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#interrupt);
    for (const connection of this.#connections) connection.closeSync();
    await this.#database.close();
  }

  async #guarded<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = this.#idle.shift() ?? (await this.#connect());
    try {
      // Checked after connecting: an abort does not interrupt a connection that it did not know.
      this.#signal?.throwIfAborted();
      return await work(connection);
    } catch (error) {
      // An interrupted statement fails with DuckDB's words; the caller should see its own reason.
      this.#signal?.throwIfAborted();
      throw error;
    } finally {
      // The first connection is preferred: it has the settings, and fractionDone asks it.
      if (connection === this.#first) this.#idle.unshift(connection);
      else this.#idle.push(connection);
    }
  }

  async #connect(): Promise<DuckDBConnection> {
    const connection = await this.#database.connect();
    this.#connections.add(connection);
    return connection;
  }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A path to read from. DuckDB takes it for a pattern, so that its special characters must be escaped. */
export function pathLiteral(path: string): string {
  return literal(path.replace(/[[*?]/g, '[$&]'));
}

export function pathListLiteral(paths: readonly string[]): string {
  return `[${paths.map(pathLiteral).join(', ')}]`;
}
