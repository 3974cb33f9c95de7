// What readers of the data may know of downloads: the role that answers requests sees these columns and no others.
import type { Tenant } from '../domain/account.ts';
import type { Frequency } from '../domain/period.ts';
import type { FetchedPeriod } from '../domain/period-calendar.ts';
import { inTenant, type Pool } from './pool.ts';

interface FetchedRow extends Omit<FetchedPeriod, 'period'> {
  readonly frequency: Frequency;
  readonly year: number;
  readonly number: number;
}

/** Of connections that are not disabled. They belong to nobody; the tenant is who waits for the database. */
export async function listFetchedPeriods(pool: Pool, tenant: Tenant): Promise<readonly FetchedPeriod[]> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<FetchedRow>(
      `SELECT d.marketplace, d.frequency, d.year, d.number, d.state,
         CASE WHEN d.state NOT IN ('imported', 'failed') AND c.held_until > now() THEN c.reason ELSE d.reason END AS reason,
         CASE WHEN c.held_until > now() THEN greatest(d.due_at, c.held_until) ELSE d.due_at END AS "nextAt"
       FROM downloads d JOIN connections c ON c.id = d.connection_id WHERE c.disabled_at IS NULL`,
    ),
  );
  return rows.map(({ frequency, year, number, ...row }) => ({ ...row, period: { frequency, year, number } }));
}
