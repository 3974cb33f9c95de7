// Who belongs to an organization, who is invited, what keys there are, and what was done.
import type { ApiKeyId, Caller, Scope, Tenant, UserId } from './account.ts';
import type { ApiKeyText } from './api-key.ts';
import type { Slice } from './page.ts';
import type { Role } from './role.ts';
import type { Membership, Session } from './session.ts';

export interface Member {
  readonly id: UserId;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: Date;
  /** The last session or key that was used here; null when none was. */
  readonly lastSeenAt: Date | null;
  readonly activeKeys: number;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** Null when an operator did, or whoever did has left. */
  readonly invitedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** What becomes of what a member tracked: a list of the organization, or nothing. */
export const LEFT_BEHIND = ['keep', 'delete'] as const;
export type LeftBehind = (typeof LEFT_BEHIND)[number];

export const MAX_INVITATIONS = 200;
export const MAX_MEMBERS_SHOWN = 1000;
/** Of an organization, those that were disabled not counted. */
export const MAX_ACTIVE_KEYS = 200;

export interface Key {
  readonly id: ApiKeyId;
  readonly name: string;
  readonly user: string;
  readonly isOwn: boolean;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly disabledAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** The member it stands for. */
  readonly userId: UserId;
}

/** The only moment at which the text is known. */
export interface MadeKey {
  readonly key: Key;
  readonly text: ApiKeyText;
}

export interface AuditEntry {
  readonly id: string;
  readonly occurredAt: Date;
  readonly actor: string;
  readonly action: string;
  readonly address: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface OwnAccount {
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly hasPassword: boolean;
  readonly memberships: readonly Membership[];
}

export interface People {
  readAccount(tenant: Tenant): Promise<OwnAccount>;
  listSessions(tenant: Tenant): Promise<readonly Session[]>;
  endSessions(tenant: Tenant, which: { readonly id: string } | { readonly allBut: string | null }): Promise<number>;
  switchOrganization(
    tenant: Tenant,
    to: { readonly sessionId: string; readonly organizationId: string },
  ): Promise<boolean>;
  listMembers(caller: Caller): Promise<readonly Member[]>;
  /** Undefined when there is no such member. */
  changeRole(caller: Caller, id: string, role: Role): Promise<Member | undefined>;
  /** Ends the membership, one's own or another's, with its keys and sessions. False when there is no such member. */
  removeMember(caller: Caller, id: string, tracked: LeftBehind): Promise<boolean>;
  listInvitations(caller: Caller): Promise<readonly Invitation[]>;
  /** The token stands in the link, and is known here alone. One that waits for the same address is replaced. */
  invite(
    caller: Caller,
    invitation: { readonly email: string; readonly role: Role },
  ): Promise<{ readonly invitation: Invitation; readonly token: string }>;
  withdrawInvitation(caller: Caller, id: string): Promise<boolean>;
  listKeys(caller: Caller): Promise<readonly Key[]>;
  makeKey(caller: Caller, key: NewKey): Promise<MadeKey>;
  disableKey(caller: Caller, id: string): Promise<Key | undefined>;
  rotateKey(caller: Caller, id: string): Promise<MadeKey | undefined>;
  listAuditLog(
    caller: Caller,
    slice: Slice,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly totalCount: number }>;
}
