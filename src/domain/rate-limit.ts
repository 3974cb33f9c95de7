// The rate limit is an exact sliding log: a search is admitted when fewer than the limit were admitted in the hour
// before it. The deciding happens in the database under a row lock; this file gives its result a meaning.

import type { OrganizationId, Tenant } from './account.ts';
import type { Meter } from './meter.ts';

export interface RateLimitState {
  /** Searches per hour of the plan. */
  readonly limit: number;
  /** Searches admitted in the last hour. Above the limit after a downgrade. */
  readonly counted: number;
  /** When the next slot frees; the database's now when nothing is counted. */
  readonly resetsAt: Date;
  /** The database's clock at the decision. */
  readonly now: Date;
}

/** A search that wants to be admitted, as it will stand in the history. */
export interface SearchAttempt {
  /** A new UUID: the search's entry in the history, if it is admitted. */
  readonly id: string;
  readonly tenant: Tenant;
  readonly meter: SearchMeter;
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type SearchMeter = Extract<Meter, 'search' | 'asin'>;

export interface Admission {
  readonly admitted: boolean;
  readonly rateLimit: RateLimitState;
}

/** Both answer undefined when the organization has no active subscription. */
export interface RateLimiter {
  /** Spends one search of the organization's hour, counts it on its meter and writes it to the history, all or nothing. */
  admit(attempt: SearchAttempt): Promise<Admission | undefined>;
  /** Reads without spending. */
  read(organizationId: OrganizationId): Promise<RateLimitState | undefined>;
}

export function remainingSearches(state: RateLimitState): number {
  return Math.max(0, state.limit - state.counted);
}

/** Unix second at which the next slot is free. Rounded up: whoever waits for it must be admitted. */
export function resetUnixSeconds(state: RateLimitState): number {
  return Math.ceil(state.resetsAt.getTime() / 1000);
}

/** Whole seconds until the next slot is free, at least one. */
export function retryAfterSeconds(state: RateLimitState): number {
  return Math.max(1, Math.ceil((state.resetsAt.getTime() - state.now.getTime()) / 1000));
}
