import type { Tenant } from './account.ts';
import type { Slice } from './page.ts';

export interface HistoryEntry {
  readonly id: string;
  readonly searchedAt: Date;
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Null until the search has been answered. */
  readonly resultCount: number | null;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly totalCount: number;
}

export interface SearchResultCount {
  readonly tenant: Tenant;
  readonly searchId: string;
  readonly resultCount: number;
}

/** What each user searched for in each organization. Entries are written on admission, see RateLimiter. */
export interface SearchHistory {
  /** The tenant's own searches, newest first. */
  list(tenant: Tenant, slice: Slice): Promise<HistoryPage>;
  /** Notes how many results a search had; it is written soon, and the answer does not wait for it. */
  recordResultCount(result: SearchResultCount): void;
  /** Removes every search of the tenant and says how many there were. */
  deleteAll(tenant: Tenant): Promise<number>;
}
