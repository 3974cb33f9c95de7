// What the members of an organization keep together: lists, saved searches, notes on the chart.
import type { Tenant } from './account.ts';
import type { Slice } from './page.ts';

export const MAX_NAME_CHARACTERS = 100;

export interface SharedItem {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface SharedPage<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
}

/** A second request with the same key and fingerprint gets the outcome of the first and changes nothing. */
export type Idempotency = { readonly key: string; readonly fingerprint: Uint8Array } | undefined;

/** Every call sees and touches the items of the tenant's organization only. In a change undefined leaves a field as it is. */
export interface SharedItems<Item, New, Change, Selection = undefined> {
  list(tenant: Tenant, query: Slice & { readonly selection: Selection }): Promise<SharedPage<Item>>;
  find(tenant: Tenant, id: string): Promise<Item | undefined>;
  /** Refuses a name that is taken, and one too many, however many requests come at once. */
  add(tenant: Tenant, request: { readonly item: New; readonly idempotency: Idempotency }): Promise<Item>;
  change(tenant: Tenant, id: string, change: Change): Promise<Item | undefined>;
  delete(tenant: Tenant, id: string): Promise<boolean>;
}

/** Names that differ in case or spaces alone are one. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
