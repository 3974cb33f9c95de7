// PostgreSQL as far as publishing and delivery use it, at the isolation level that they use: a statement sees what was committed
// before it and what its own transaction did; a row or key that another transaction has written is waited for; everything is
// given back when a transaction or its session ends. What each statement means stands in model-statements.ts, and
// test/postgres/database-model.test.ts compares both with the real one.
import type { TableName, Tables } from './tables.ts';

type Rows = { readonly [Name in TableName]: Map<string, Tables[Name]> };
type Changes = { readonly [Name in TableName]: Map<string, Tables[Name] | undefined> };

export interface Notification {
  readonly channel: string;
  readonly payload: string;
}

export class ModelDatabase {
  readonly #rows: Rows = emptyRows<never>();
  /** Rows and keys by table and key, with the transaction that has written or locked them. */
  readonly #locks = new Map<string, ModelTransaction>();
  readonly #advisoryLocks = new Map<unknown, object>();
  readonly nowMs: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Called when a transaction has become visible. */
  onCommit: (notifications: readonly Notification[]) => void = () => {};
  /** Gives up a statement that has waited too long for another transaction. */
  limitWait: (giveUp: () => void) => void = () => {};
  #lastId = 0;

  constructor({ nowMs, random }: { readonly nowMs: () => number; readonly random: () => number }) {
    this.nowMs = nowMs;
    this.random = random;
  }

  begin(): ModelTransaction {
    return new ModelTransaction(this, this.#rows, this.#locks);
  }

  /** What is committed. */
  list<Name extends TableName>(table: Name): readonly Tables[Name][] {
    return [...this.#rows[table].values()];
  }

  /** Belongs to a session, whatever becomes of its transactions. */
  tryAdvisoryLock(key: unknown, session: object): boolean {
    const holder = this.#advisoryLocks.get(key);
    if (holder && holder !== session) return false;
    this.#advisoryLocks.set(key, session);
    return true;
  }

  unlockAdvisory(session: object): void {
    for (const [key, holder] of this.#advisoryLocks) if (holder === session) this.#advisoryLocks.delete(key);
  }

  /** Numbers of identity columns, and ids: no two are alike, also when transactions are undone. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  nextUuid(): string {
    return `00000000-0000-4000-8000-${String(this.nextId()).padStart(12, '0')}`;
  }
}

export class ModelTransaction {
  readonly database: ModelDatabase;
  readonly #rows: Rows;
  readonly #locks: Map<string, ModelTransaction>;
  readonly #changes: Changes = emptyRows<undefined>();
  readonly #notifications: Notification[] = [];
  readonly #waiting: (() => void)[] = [];
  #hasEnded = false;
  /** The time of its beginning, which is what now() says. */
  readonly nowMs: number;
  hasFailed = false;

  constructor(database: ModelDatabase, rows: Rows, locks: Map<string, ModelTransaction>) {
    this.database = database;
    this.#rows = rows;
    this.#locks = locks;
    this.nowMs = database.nowMs();
  }

  find<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined {
    const changes = this.#changes[table];
    return changes.has(key) ? changes.get(key) : this.#rows[table].get(key);
  }

  list<Name extends TableName>(table: Name): readonly Tables[Name][] {
    const changes = this.#changes[table];
    const kept = [...this.#rows[table]].filter(([key]) => !changes.has(key)).map(([, row]) => row);
    return [...kept, ...[...changes.values()].filter((row): row is Tables[Name] => row !== undefined)];
  }

  /** Whether this transaction could have the row or key at once, and then has it. */
  tryLock(table: TableName, key: string): boolean {
    const name = `${table} ${key}`;
    const holder = this.#locks.get(name);
    if (holder && holder !== this) return false;
    this.#locks.set(name, this);
    return true;
  }

  /** Waits for whoever has it. */
  async lock(table: TableName, key: string): Promise<void> {
    while (!this.tryLock(table, key)) {
      const holder = this.#locks.get(`${table} ${key}`);
      await new Promise<void>((resolve, reject) => {
        if (holder) holder.#waiting.push(resolve);
        else resolve();
        this.database.limitWait(() => reject(Object.assign(new Error('statement timeout'), { code: '57014' })));
      });
      if (this.#hasEnded || this.hasFailed) throw new Error('the transaction has ended while it waited');
    }
  }

  /** The row or key is locked by this transaction. */
  write<Name extends TableName>(table: Name, key: string, row: Tables[Name] | undefined): void {
    if (this.#locks.get(`${table} ${key}`) !== this) throw new Error(`the model wrote ${table} ${key} without a lock`);
    this.#changes[table].set(key, row);
  }

  /** INSERT … ON CONFLICT DO NOTHING: whether the row is new. */
  async insert<Name extends TableName>(table: Name, key: string, row: Tables[Name]): Promise<boolean> {
    await this.lock(table, key);
    if (this.find(table, key)) return false;
    this.write(table, key, row);
    return true;
  }

  notify(notification: Notification): void {
    this.#notifications.push(notification);
  }

  commit(): void {
    for (const table of Object.keys(this.#changes) as TableName[]) this.#apply(table);
    this.#end();
    this.database.onCommit(this.#notifications);
  }

  rollback(): void {
    this.#end();
  }

  #apply<Name extends TableName>(table: Name): void {
    for (const [key, row] of this.#changes[table]) {
      if (row) this.#rows[table].set(key, row);
      else this.#rows[table].delete(key);
    }
  }

  #end(): void {
    for (const [name, holder] of this.#locks) if (holder === this) this.#locks.delete(name);
    this.#hasEnded = true;
    for (const resolve of this.#waiting) resolve();
  }
}

function emptyRows<Absent>(): { [Name in TableName]: Map<string, Tables[Name] | Absent> } {
  return {
    rank_statistics: new Map(),
    rank_periods: new Map(),
    kept_revisions: new Map(),
    dictionary_deltas: new Map(),
    snapshot_files: new Map(),
    publications: new Map(),
    subscriptions: new Map(),
    tracked_keywords: new Map(),
    webhooks: new Map(),
    digests: new Map(),
    priority_hits: new Map(),
    usage_counts: new Map(),
    webhook_deliveries: new Map(),
  };
}
