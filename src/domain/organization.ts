import type { Caller, OrganizationId, Subscription } from './account.ts';

export interface OrganizationRecord {
  readonly id: OrganizationId;
  readonly name: string;
  readonly createdAt: Date;
  readonly subscription: Subscription;
  readonly members: number;
}

/** All of the installation, for its operators. */
export interface Organizations {
  list(): Promise<readonly OrganizationRecord[]>;
  /** Invites the owner too; the token stands in the link and is known here alone. */
  create(
    caller: Caller,
    organization: { readonly name: string; readonly plan: string; readonly owner: string },
  ): Promise<{ readonly organization: OrganizationRecord; readonly token: string }>;
  change(caller: Caller, id: string, change: Partial<Subscription>): Promise<OrganizationRecord | undefined>;
}
