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

export interface UsageDay {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly counts: Readonly<Record<Meter, number>>;
}

export interface UsageMeters {
  readDays(tenant: Tenant, days: number): Promise<readonly UsageDay[]>;
  read(tenant: Tenant): Promise<Usage>;
}
