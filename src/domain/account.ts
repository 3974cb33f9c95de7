import type { ApiKeyText } from './api-key.ts';
import type { Plan } from './plan.ts';
import type { Role } from './role.ts';
import type { SessionId, SessionToken } from './session-token.ts';

export type OrganizationId = string & { readonly __brand: 'OrganizationId' };
export type UserId = string & { readonly __brand: 'UserId' };
export type ApiKeyId = string & { readonly __brand: 'ApiKeyId' };

export const SCOPES = [
  'search',
  'export',
  'trends',
  'tracked:read',
  'tracked:write',
  'history',
  'account',
  /** Members, invitations, keys, connections, the audit log. */
  'people',
  /** What operators of the whole installation do; worth nothing to others. */
  'operator',
  /** Of operators, to send reports. */
  'import',
] as const;
export type Scope = (typeof SCOPES)[number];
/** Worth nothing to most people, and too much in a key that an operator does not know of. */
export const OPERATOR_SCOPES: readonly Scope[] = ['operator', 'import'];
/** What a key may do unless it is said. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !OPERATOR_SCOPES.includes(scope));

export const SUBSCRIPTION_STATUSES = ['active', 'inactive'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Names its plan, or has it. */
export interface Subscription<OfPlan = string> {
  readonly plan: OfPlan;
  readonly status: SubscriptionStatus;
  /** The subscription ends at this instant; null when it has no end. */
  readonly periodEnd: Date | null;
}

/** Who is asking: a key or a session stands for one user in one organization. */
export interface Caller {
  /** Null in a session. */
  readonly keyId: ApiKeyId | null;
  /** Null with a key. */
  readonly sessionId: SessionId | null;
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  /** What the key may do; a session has all of them. What is done needs the scope and the role. */
  readonly scopes: ReadonlySet<Scope>;
  readonly role: Role;
  /** Of the whole installation. */
  readonly isOperator: boolean;
  /** Present for whoever has the link of a share: then these calls are allowed and no others. */
  readonly share?: { readonly id: string; readonly targets: readonly string[] };
}

/** Whether they ask as an operator of the installation: a key of one needs the scope too. */
export function operates({ isOperator, scopes }: Pick<Caller, 'isOperator' | 'scopes'>): boolean {
  return isOperator && scopes.has('operator');
}

/** The owner of a row: all that row-level security needs to know. */
export type Tenant = Pick<Caller, 'organizationId' | 'userId'>;

/** A caller with the subscription of their organization. */
export interface Account {
  readonly caller: Caller;
  readonly subscription: Subscription<Plan> | null;
  /** When the key or the session ends. */
  readonly expiresAt: Date | null;
}

export interface AccountDirectory {
  /** The account of a key that is known, enabled and not expired. A change of any of these counts from the next call. */
  find(key: ApiKeyText, now: Date): Promise<Account | undefined>;
  /** The same of a session. */
  findSession(token: SessionToken, now: Date): Promise<Account | undefined>;
}

/** The plan of an account whose subscription is active. */
export function activePlan({ subscription }: Account, now: Date): Plan | undefined {
  if (subscription?.status !== 'active') return undefined;
  return subscription.periodEnd === null || subscription.periodEnd > now ? subscription.plan : undefined;
}
