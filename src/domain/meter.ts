import type { Tenant } from './account.ts';

/** What is counted for billing, per organization and calendar month in UTC. */
export const METERS = ['search', 'exports', 'asin', 'alerts'] as const;
export type Meter = (typeof METERS)[number];

export interface MonthlyUsage {
  /** YYYY-MM, in UTC. */
  readonly month: string;
  readonly counts: Readonly<Record<Meter, number>>;
}

export interface UsageMeters {
  /** Counts of the tenant's organization, the current month first, then the previous one. */
  read(tenant: Tenant): Promise<readonly MonthlyUsage[]>;
}
