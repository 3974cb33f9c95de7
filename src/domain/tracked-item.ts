// What tracked keywords and tracked products have in common: one user's list in one organization.
import type { Tenant } from './account.ts';

export const MAX_NOTES_CHARACTERS = 1000;
/** Of one user in one organization; the oldest give way to new ones. */
export const MAX_IDEMPOTENCY_KEYS = 1000;

export interface TrackedItem {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly notes: string;
  /** False while paused. */
  readonly isActive: boolean;
}

/** Undefined leaves a field as it is. */
export interface TrackedItemChange {
  readonly notes: string | undefined;
  readonly isActive: boolean | undefined;
}

/** What became of one item of a request: added, or tracked already and left as it was. */
export interface TrackingOutcome<Item> {
  readonly item: Item;
  readonly isNew: boolean;
}

export interface TrackingRequest<New> {
  readonly items: readonly New[];
  /** A second request with the same key and fingerprint gets the outcome of the first and changes nothing. */
  readonly idempotency: { readonly key: string; readonly fingerprint: Uint8Array } | undefined;
  /** Refuses an item that is tracked already, and changes nothing; otherwise it is left as it is. */
  readonly isNewOnly: boolean;
}

/** Every call sees and touches the tenant's own items only. */
export interface TrackedItems<Item, New, Change> {
  /** In the order in which they were added. */
  list(tenant: Tenant): Promise<readonly Item[]>;
  find(tenant: Tenant, id: string): Promise<Item | undefined>;
  /**
   * All of them or none; the limits hold however many requests come at once. One outcome per item, in their order; or the
   * whole answer to the first request with the same key, where a version before this one kept it.
   */
  add(
    tenant: Tenant,
    request: TrackingRequest<New>,
  ): Promise<readonly TrackingOutcome<Item>[] | { readonly answer: string }>;
  change(tenant: Tenant, id: string, change: Change): Promise<Item | undefined>;
  delete(tenant: Tenant, id: string): Promise<boolean>;
}
