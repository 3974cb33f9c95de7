// A person signed in: a browser holds an opaque token, the database its hash. A session stands for one user in one organization, as
// a key does, and can be switched to another organization of the same user.
import type { OrganizationId, UserId } from './account.ts';
import type { Role } from './role.ts';
import type { SessionId } from './session-token.ts';

export const SIGN_IN_METHODS = ['password', 'link', 'openid', 'invitation'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Where a session was made from, for its owner to recognise. */
export interface SignInPlace {
  readonly userAgent: string;
  readonly address: string;
}

export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly organization: string;
  readonly method: SignInMethod;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly userAgent: string;
  readonly address: string;
}

export interface Membership {
  readonly organizationId: OrganizationId;
  readonly organization: string;
  readonly role: Role;
}

const DAY_MS = 86_400_000;
/** However it is used, a session ends so long after it began. */
export const SESSION_MS = 30 * DAY_MS;
/** One that nobody uses ends sooner. */
export const SESSION_IDLE_MS = 14 * DAY_MS;
