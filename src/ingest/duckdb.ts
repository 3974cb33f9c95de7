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

/** Tables in memory, of one session alone. Close all connections before it. */
export interface Database {
  connect(): Promise<DuckDBConnection>;
  close(): Promise<void>;
}

/** In a DuckDB of its own. */
export async function openDatabase(settings: DuckDbSettings): Promise<Database> {
  const instance = await startDuckDb(settings);
  return { connect: () => instance.connect(), close: async () => instance.closeSync() };
}

/** One DuckDB for many small files: starting one for each would add a tenth to the time of reading it. */
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
    // openDatabase() has reported a failed start already.
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
    // The database is not kept, and a checkpoint would rewrite whole tables.
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
