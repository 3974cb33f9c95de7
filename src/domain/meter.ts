import type { Tenant } from './account.ts';

/** What is counted for billing, per organization and calendar month in UTC. */
export const METERS = ['search', 'exports', 'asin', 'alerts'] as const;
export type Meter = (typeof METERS)[number];

export interface MonthlyUsage {
  /** YYYY-MM, in UTC. */
  readonly month: string;
  readonly counts: Readonly<Record<Meter, number>>;
}

/** What was counted, and for whom. */
export interface Usage {
  readonly organizationName: string;
  readonly userEmail: string;
  /** Of the whole organization: the current month first, then the previous one. */
  readonly months: readonly MonthlyUsage[];
}

export interface UsageMeters {
  read(tenant: Tenant): Promise<Usage>;
}
