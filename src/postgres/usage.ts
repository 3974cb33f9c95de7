import type { Tenant } from '../domain/account.ts';
import { METERS, type Meter, type Usage, type UsageDay } from '../domain/meter.ts';
import { inTenant, type Pool } from './pool.ts';

interface UsageRow {
  readonly organization: string;
  readonly email: string;
  readonly month: string;
  readonly meter: Meter | null;
  readonly count: number;
}

/** Months are calendar months in UTC, by the database's clock. */
export async function readUsage(pool: Pool, tenant: Tenant): Promise<Usage> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<UsageRow>(
      `SELECT o.name AS organization, p.email, to_char(m.month, 'YYYY-MM') AS month, u.meter, u.count
       FROM (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - age * interval '1 month')::date AS month
             FROM generate_series(0, 1) AS age) m
       JOIN organizations o ON o.id = $1
       JOIN users p ON p.id = $2
       LEFT JOIN usage_counts u ON u.month = m.month AND u.organization_id = $1
       ORDER BY m.month DESC`,
      [tenant.organizationId, tenant.userId],
    ),
  );
  const months = [...new Set(rows.map((row) => row.month))];
  return {
    organizationName: rows[0]?.organization ?? '',
    userEmail: rows[0]?.email ?? '',
    months: months.map((month) => ({
      month,
      counts: Object.fromEntries(
        METERS.map((meter) => [meter, rows.find((row) => row.month === month && row.meter === meter)?.count ?? 0]),
      ) as Record<Meter, number>,
    })),
  };
}

/** Days in UTC, oldest first, those without any use too. */
export async function readUsageDays(pool: Pool, tenant: Tenant, days: number): Promise<readonly UsageDay[]> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<{ day: string; meter: Meter | null; count: number }>(
      `SELECT to_char(d.day, 'YYYY-MM-DD') AS day, u.meter, u.count
       FROM (SELECT (now() AT TIME ZONE 'UTC')::date - age AS day FROM generate_series(0, $2 - 1) AS age) d
       LEFT JOIN usage_days u ON u.day = d.day AND u.organization_id = $1 ORDER BY d.day`,
      [tenant.organizationId, days],
    ),
  );
  return [...new Set(rows.map(({ day }) => day))].map((day) => ({
    day,
    counts: Object.fromEntries(
      METERS.map((meter) => [meter, rows.find((row) => row.day === day && row.meter === meter)?.count ?? 0]),
    ) as Record<Meter, number>,
  }));
}
