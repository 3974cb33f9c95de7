// Connections to the model, in the form of node-postgres: what src/postgres calls is the same as ever.
import type { Pool } from '../../../src/postgres/pool.ts';
import type { ModelDatabase, ModelTransaction } from './model-database.ts';
import { runStatement, type StatementResult } from './model-statements.ts';

const NOTHING: StatementResult = { rows: [], rowCount: 0 };

/** The server's side of a connection. */
export class ModelSession {
  readonly #database: ModelDatabase;
  #transaction: ModelTransaction | undefined;
  #hasEnded = false;

  constructor(database: ModelDatabase) {
    this.#database = database;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async execute(sql: string, values: readonly unknown[]): Promise<StatementResult> {
    if (this.#hasEnded) throw connectionLost();
    const command = /^(BEGIN|COMMIT|ROLLBACK|SET)\b/.exec(sql)?.[1];
    if (command) return this.#control(command);
    if (sql === 'SELECT 1') return NOTHING;
    if (sql.startsWith('SELECT pg_try_advisory_lock(')) {
      return { rows: [{ locked: this.#database.tryAdvisoryLock(values[0], this) }], rowCount: 1 };
    }
    if (sql === 'SELECT pg_advisory_unlock_all()') {
      this.#database.unlockAdvisory(this);
      return NOTHING;
    }
    return this.#transaction
      ? await this.#run(this.#transaction, sql, values)
      : await this.#runAlone(this.#database.begin(), sql, values);
  }

  /** The transaction can only be rolled back after an error. */
  fail(): void {
    if (this.#transaction) this.#transaction.hasFailed = true;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#transaction?.rollback();
    this.#database.unlockAdvisory(this);
  }

  #control(command: string): StatementResult {
    if (command === 'BEGIN') this.#transaction = this.#database.begin();
    else if (command !== 'SET') {
      const transaction = this.#transaction;
      this.#transaction = undefined;
      if (command === 'COMMIT' && !transaction?.hasFailed) transaction?.commit();
      else transaction?.rollback();
    }
    return NOTHING;
  }

  async #run(transaction: ModelTransaction, sql: string, values: readonly unknown[]): Promise<StatementResult> {
    if (transaction.hasFailed) throw Object.assign(new Error('the transaction is aborted'), { code: '25P02' });
    try {
      return await runStatement(transaction, { sql, values });
    } catch (error) {
      transaction.hasFailed = true;
      throw error;
    }
  }

  async #runAlone(transaction: ModelTransaction, sql: string, values: readonly unknown[]): Promise<StatementResult> {
    try {
      const result = await runStatement(transaction, { sql, values });
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }
}

export interface Wire {
  connect(): Promise<ModelSession>;
  query(session: ModelSession, sql: string, values: readonly unknown[]): Promise<StatementResult>;
  /** The client is gone; the server may take a while to notice. */
  close(session: ModelSession): void;
}

interface Client {
  query(sql: string, values?: readonly unknown[]): Promise<StatementResult>;
  release(broken?: unknown): void;
  on(): void;
  off(): void;
}

/** As node-postgres does: a few connections, lent out one after the other; what failed is not lent again. */
export class ModelPool {
  readonly #wire: Wire;
  readonly #idle: ModelSession[] = [];
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(wire: Wire, maxConnections: number) {
    this.#wire = wire;
    this.#free = maxConnections;
  }

  get asPool(): Pool {
    return this as unknown as Pool;
  }

  async connect(): Promise<Client> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    try {
      const session = this.#takeIdle() ?? (await this.#wire.connect());
      return this.#lend(session);
    } catch (error) {
      this.#giveBack();
      throw error;
    }
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<StatementResult> {
    const client = await this.connect();
    try {
      const result = await client.query(sql, values);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #lend(session: ModelSession): Client {
    return {
      query: (sql: string, values: readonly unknown[] = []) => this.#wire.query(session, sql, values),
      release: (broken?: unknown) => {
        if (broken || session.hasEnded) this.#wire.close(session);
        else this.#idle.push(session);
        this.#giveBack();
      },
      on: () => {},
      off: () => {},
    };
  }

  #takeIdle(): ModelSession | undefined {
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) if (!session.hasEnded) return session;
    return undefined;
  }

  #giveBack(): void {
    this.#free += 1;
    this.#waiting.shift()?.();
  }
}

export function connectionLost(): Error {
  return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
}
