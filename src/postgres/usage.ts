import type { Tenant } from '../domain/account.ts';
import { METERS, type Meter, type MonthlyUsage } from '../domain/meter.ts';
import { inTenant, type Pool } from './pool.ts';

/** Counts of the current and the previous calendar month in UTC, by the database's clock; the current one first. */
export async function readUsage(pool: Pool, tenant: Tenant): Promise<readonly MonthlyUsage[]> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<{ month: string; meter: Meter | null; count: number }>(
      `SELECT to_char(m.month, 'YYYY-MM') AS month, u.meter, u.count
       FROM (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - age * interval '1 month')::date AS month
             FROM generate_series(0, 1) AS age) m
       LEFT JOIN usage_counts u ON u.month = m.month AND u.organization_id = $1
       ORDER BY m.month DESC`,
      [tenant.organizationId],
    ),
  );
  const months = [...new Set(rows.map((row) => row.month))];
  return months.map((month) => ({
    month,
    counts: Object.fromEntries(
      METERS.map((meter) => [meter, rows.find((row) => row.month === month && row.meter === meter)?.count ?? 0]),
    ) as Record<Meter, number>,
  }));
}
