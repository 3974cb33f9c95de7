import { randomUUID } from 'node:crypto';
import type { Tenant } from '../domain/account.ts';
import { contain } from '../domain/containment.ts';
import { type ExportGate, MAX_RUNNING_EXPORTS } from '../domain/export-gate.ts';
import { changeInTenant, type Pool, queryFor } from './pool.ts';

const LEASE_SECONDS = 60;
const RENEW_MS = (LEASE_SECONDS * 1000) / 3;

/** Places for running exports, shared by all servers. A server that dies gives its places back when its leases end. */
export class ExportLeases implements ExportGate {
  readonly #pool: Pool;
  readonly #onError: (error: unknown) => void;

  constructor(pool: Pool, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
  }

  async enter(tenant: Tenant): Promise<AsyncDisposable | undefined> {
    const lease = randomUUID();
    const errand = { organization: tenant.organizationId, kind: 'admitting' } as const;
    const [begun] = await queryFor<{ entered: boolean }>(this.#pool, errand, {
      text: 'SELECT begin_export($1, $2, $3, make_interval(secs => $4)) AS entered',
      values: [tenant.organizationId, lease, MAX_RUNNING_EXPORTS, LEASE_SECONDS],
    });
    if (!begun?.entered) return undefined;
    const renewal = setInterval(() => this.#renew(tenant, lease), RENEW_MS).unref();
    return {
      [Symbol.asyncDispose]: async () => {
        clearInterval(renewal);
        await this.#change(tenant, 'DELETE FROM export_leases WHERE id = $1', [lease]);
      },
    };
  }

  #renew(tenant: Tenant, lease: string): void {
    const renew = 'UPDATE export_leases SET expires_at = clock_timestamp() + make_interval(secs => $2) WHERE id = $1';
    void this.#change(tenant, renew, [lease, LEASE_SECONDS]);
  }

  async #change(tenant: Tenant, sql: string, values: readonly unknown[]): Promise<void> {
    const change = () => changeInTenant(this.#pool, tenant, (transaction) => transaction.query(sql, [...values]));
    await contain(change, this.#onError);
  }
}
