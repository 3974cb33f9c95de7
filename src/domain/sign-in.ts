// How a person comes in: with a password, by a link that was mailed or handed over, through an OpenID provider, by an invitation.
// Whoever fails learns nothing of who has an account here.
import type { Tenant } from './account.ts';
import { RequestError } from './error.ts';
import type { Role } from './role.ts';
import type { SignInMethod, SignInPlace } from './session.ts';
import type { SessionToken } from './session-token.ts';

/** Where someone signs in from, and the session that the browser has already, which ends. */
export interface SignInRequest {
  readonly place: SignInPlace;
  readonly replaces: SessionToken | undefined;
}

/** What a provider says of a person. */
export interface VouchedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
}

export interface Invited {
  readonly organization: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

export interface SignIns {
  withPassword(
    login: { readonly email: string; readonly password: string },
    request: SignInRequest,
  ): Promise<SessionToken>;
  /** Mails a link, if there is such an account. Nobody learns whether there is: it goes on when this has resolved. */
  requestLink(email: string, request: { readonly place: SignInPlace; readonly origin: string }): Promise<void>;
  /** Whom the link would sign in. It is not used up by that. */
  findLink(token: string): Promise<{ readonly email: string }>;
  withLink(token: string, request: SignInRequest): Promise<SessionToken>;
  withProvider(person: VouchedPerson, request: SignInRequest): Promise<SessionToken>;
  /** Counts somebody who goes to the provider, or throws. */
  countProviderAttempt(place: SignInPlace): Promise<void>;
  /** An invitation for an address that the provider vouches for. */
  acceptAsVouched(token: string, person: VouchedPerson, request: SignInRequest): Promise<SessionToken>;
  findInvitation(token: string): Promise<Invited>;
  /** With the session of the account that is invited, or for a new account with its password. */
  acceptInvitation(
    invitation: { readonly token: string; readonly password: string | undefined; readonly account: Tenant | undefined },
    request: SignInRequest,
  ): Promise<SessionToken>;
  /** Ends all other sessions of the user. The current password is asked for where there is one. */
  changePassword(
    tenant: Tenant,
    change: { readonly current: string | undefined; readonly next: string; readonly sessionId: string | null },
  ): Promise<void>;
  end(token: SessionToken): Promise<void>;
}

/** Attempts in a time, above which one has to wait. */
export interface AttemptLimit {
  readonly attempts: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/**
 * By what is counted: the account as tried from one network, the account from everywhere, and the network. The first is the one that
 * people meet. The others are for guessing alone: who came into the account from that network within `PLACE_MS` is not held up by
 * them, so that nobody is locked out by others who try.
 */
export const ATTEMPT_LIMITS = {
  pair: { attempts: 5, windowMs: 15 * MINUTE_MS },
  account: { attempts: 50, windowMs: 60 * MINUTE_MS },
  address: { attempts: 60, windowMs: 15 * MINUTE_MS },
} as const satisfies Readonly<Record<string, AttemptLimit>>;

export const PLACE_MS = 60 * 24 * 60 * MINUTE_MS;

export const LINK_MS = 15 * MINUTE_MS;
export const INVITATION_MS = 7 * 24 * 60 * MINUTE_MS;

export function tooManyAttempts(retryAfterSeconds: number): RequestError {
  return new RequestError(
    'RATE_LIMIT_EXCEEDED',
    'There were too many attempts to sign in.',
    `Wait ${Math.ceil(retryAfterSeconds / 60)} min and try again.`,
    { retryAfterSeconds },
  );
}

export function wrongPassword(): RequestError {
  return new RequestError(
    'UNAUTHORIZED',
    'The mail address or the password is wrong.',
    'Check both, or ask for a sign-in link.',
  );
}

export function usedLink(): RequestError {
  return new RequestError(
    'UNAUTHORIZED',
    'This link was used already, or its time is over.',
    'Ask for a new one; each works once.',
  );
}

export function noMembership(): RequestError {
  return new RequestError(
    'FORBIDDEN',
    'This account belongs to no organization.',
    'Ask an admin of an organization for an invitation.',
  );
}

export function linkedToAnother(): RequestError {
  return new RequestError(
    'CONFLICT',
    'The account with this address is linked to somebody else at the provider.',
    'Ask an operator, who knows whose it is: keyrank user unlink ADDRESS.',
  );
}

/** What a sign-in is called in the audit log. */
export function signInAction(method: SignInMethod): string {
  return `sign-in.${method}`;
}
