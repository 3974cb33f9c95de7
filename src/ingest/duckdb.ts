// DuckDB in memory, gone at the end of an import. What does not fit in its share of memory is spilled to the temporary
// directory.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface DuckDbSettings {
  readonly memoryLimitBytes: number;
  readonly threads: number;
  readonly temporaryDirectory: string;
  /** The most that is spilled there. */
  readonly maxTemporaryBytes: number;
}

/** Tables in memory that nobody else sees. All connections must be closed before it is. */
export interface Database {
  connect(): Promise<DuckDBConnection>;
  close(): Promise<void>;
}

/** In a DuckDB of its own. */
export async function openDatabase(settings: DuckDbSettings): Promise<Database> {
  const instance = await startDuckDb(settings);
  return { connect: () => instance.connect(), close: async () => instance.closeSync() };
}

/** One DuckDB for the databases of many small files: to start one takes a tenth of the time in which such a file is read. */
export class SharedDuckDb implements AsyncDisposable {
  readonly #settings: DuckDbSettings;
  #starting: Promise<DuckDBInstance> | undefined;
  #count = 0;

  constructor(settings: DuckDbSettings) {
    this.#settings = settings;
  }

  async openDatabase(): Promise<Database> {
    this.#starting ??= startDuckDb(this.#settings);
    const instance = await this.#starting;
    this.#count += 1;
    const name = `database_${this.#count}`;
    await runAlone(instance, `ATTACH ':memory:' AS ${name}`);
    return {
      connect: async () => {
        const connection = await instance.connect();
        await connection.run(`USE ${name}`);
        return connection;
      },
      close: () => runAlone(instance, `DETACH ${name}`),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever wanted a database has heard of it if it did not start.
    const instance = await this.#starting?.catch(() => undefined);
    instance?.closeSync();
  }
}

async function startDuckDb(settings: DuckDbSettings): Promise<DuckDBInstance> {
  return await DuckDBInstance.create(':memory:', {
    threads: String(settings.threads),
    memory_limit: `${Math.floor(settings.memoryLimitBytes / 1_000_000)}MB`,
    temp_directory: settings.temporaryDirectory,
    max_temp_directory_size: `${Math.ceil(settings.maxTemporaryBytes / 1_000_000)}MB`,
    // Nothing outlives the process, and a checkpoint would rewrite whole tables to fill up their groups of rows.
    checkpoint_threshold: '1TB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
}

async function runAlone(instance: DuckDBInstance, sql: string): Promise<void> {
  const connection = await instance.connect();
  try {
    await connection.run(sql);
  } finally {
    connection.closeSync();
  }
}
