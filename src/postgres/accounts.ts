// Keys and subscriptions, kept in memory so that a request costs no look-up. A notification from the database drops them
// the moment one changes; while notifications cannot be heard, nothing is kept.
import {
  type Account,
  type AccountDirectory,
  type Caller,
  SCOPES,
  type Scope,
  type Subscription,
} from '../domain/account.ts';
import type { ApiKeyText } from '../domain/api-key.ts';
import { contain } from '../domain/containment.ts';
import type { SessionToken } from '../domain/session-token.ts';
import { CHANGES_CHANNEL, confirmChange } from './account-changes.ts';
import { KeyLookups } from './key-lookups.ts';
import type { Listener } from './listener.ts';
import { type PlanNumbers, planOf } from './plans.ts';
import { inTenant, type Pool } from './pool.ts';
import { hashSecret } from './secret-hash.ts';

interface AccountRow extends PlanNumbers {
  readonly key_id: Caller['keyId'];
  readonly session_id: Caller['sessionId'];
  readonly organization_id: Caller['organizationId'];
  readonly user_id: Caller['userId'];
  readonly role: Caller['role'];
  readonly is_operator: boolean;
  /** Null in a session, which has all of them. */
  readonly scopes: readonly Scope[] | null;
  readonly expires_at: Date | null;
  readonly disabled_at: Date | null;
  /** Null, as are its numbers, for an organization without a subscription. */
  readonly plan: string | null;
  readonly status: Subscription['status'];
  readonly period_end: Date | null;
}

interface AccountsOptions {
  readonly pool: Pool;
  readonly listener: Listener;
  readonly onError: (error: unknown) => void;
}

const NO_ACCOUNT = Promise.resolve(undefined);
const MAX_ACCOUNTS = 10_000;
/** Last use is written this often at most, for each key and session. */
const KEY_USE_INTERVAL_MS = 60_000;

export class Accounts implements AccountDirectory, AsyncDisposable {
  readonly #options: AccountsOptions;
  readonly #cache = new Map<string, Promise<Account | undefined>>();
  readonly #lookups = new KeyLookups<Account>((hash) => this.#read(hash));
  /** Look-ups of keys while nothing is kept: the one that runs, and the one that will run after it. */
  readonly #underWay = new Map<string, Promise<Account | undefined>>();
  readonly #queued = new Map<string, Promise<Account | undefined>>();
  readonly #lastUseMs = new Map<string, number>();
  readonly #writes = new Set<Promise<void>>();

  private constructor(options: AccountsOptions) {
    this.#options = options;
  }

  static async open(options: AccountsOptions): Promise<Accounts> {
    const accounts = new Accounts(options);
    await options.listener.subscribe({
      channel: CHANGES_CHANNEL,
      onNotification: async (notification, listener) => {
        accounts.#forget();
        await confirmChange(listener, notification);
      },
      onLost: () => accounts.#forget(),
    });
    return accounts;
  }

  async find(key: ApiKeyText, now: Date): Promise<Account | undefined> {
    return await this.#findUsable(hashSecret(key), now);
  }

  async findSession(token: SessionToken, now: Date): Promise<Account | undefined> {
    return await this.#findUsable(hashSecret(token), now);
  }

  async #findUsable(hash: Buffer, now: Date): Promise<Account | undefined> {
    const account = await this.#look(hash);
    if (!account || (account.expiresAt !== null && account.expiresAt <= now)) return undefined;
    this.#recordUse(account.caller, now);
    return account;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writes);
  }

  #forget(): void {
    this.#cache.clear();
    this.#lookups.forget();
  }

  #look(hash: Buffer): Promise<Account | undefined> {
    const id = hash.toString('base64');
    if (!this.#options.listener.isConnected) return this.#readNext(id, hash);
    const known = this.#cache.get(id);
    if (known) return known;
    if (this.#lookups.isUnknown(id)) return NO_ACCOUNT;
    const reading = this.#lookups.find(id, hash);
    if (this.#cache.size >= MAX_ACCOUNTS) this.#cache.clear();
    // The promise is kept, not its result: a notification that arrives while it is under way drops it too.
    this.#cache.set(id, reading);
    const drop = () => this.#cache.get(id) === reading && this.#cache.delete(id);
    reading.then((account) => account ?? drop(), drop);
    return reading;
  }

  /** Whoever asks while one is under way shares the next with all others: what it reads is younger than their question. */
  #readNext(id: string, hash: Buffer): Promise<Account | undefined> {
    const queued = this.#queued.get(id);
    if (queued) return queued;
    const underWay = this.#underWay.get(id);
    if (!underWay) return this.#start(id, hash);
    const next = underWay.then(
      () => {
        this.#queued.delete(id);
        return this.#start(id, hash);
      },
      (error: unknown) => {
        // A database that does not answer would only be waited for once more.
        this.#queued.delete(id);
        throw error;
      },
    );
    this.#queued.set(id, next);
    return next;
  }

  #start(id: string, hash: Buffer): Promise<Account | undefined> {
    const reading = this.#lookups
      .find(id, hash)
      .finally(() => this.#underWay.get(id) === reading && this.#underWay.delete(id));
    this.#underWay.set(id, reading);
    return reading;
  }

  async #read(hash: Buffer): Promise<Account | undefined> {
    const { rows } = await this.#options.pool.query<AccountRow>('SELECT * FROM find_account($1)', [hash]);
    const [row] = rows;
    if (!row || row.disabled_at !== null) return undefined;
    return {
      caller: {
        keyId: row.key_id,
        sessionId: row.session_id,
        organizationId: row.organization_id,
        userId: row.user_id,
        scopes: new Set(row.scopes ?? SCOPES),
        role: row.role,
        isOperator: row.is_operator,
      },
      subscription:
        row.plan === null ? null : { plan: planOf(row.plan, row), status: row.status, periodEnd: row.period_end },
      expiresAt: row.expires_at,
    };
  }

  #recordUse(caller: Caller, now: Date): void {
    const id = caller.keyId ?? caller.sessionId ?? '';
    const lastMs = this.#lastUseMs.get(id);
    if (lastMs !== undefined && now.getTime() - lastMs < KEY_USE_INTERVAL_MS) return;
    if (this.#lastUseMs.size >= MAX_ACCOUNTS) this.#lastUseMs.clear();
    this.#lastUseMs.set(id, now.getTime());
    const [table, column] = caller.keyId === null ? ['sessions', 'last_seen_at'] : ['api_keys', 'last_used_at'];
    const change = () =>
      inTenant(this.#options.pool, caller, async (transaction) => {
        await transaction.query(`UPDATE ${table} SET ${column} = greatest(${column}, $2) WHERE id = $1`, [id, now]);
      });
    const write = contain(change, this.#options.onError).then(() => void this.#writes.delete(write));
    this.#writes.add(write);
  }
}
