import { type Account, activePlan, type Caller, operates, type Scope } from '../domain/account.ts';
import { parseApiKey } from '../domain/api-key.ts';
import { RequestError } from '../domain/error.ts';
import type { Plan } from '../domain/plan.ts';
import { type Action, isAllowed } from '../domain/role.ts';
import { parseShareToken } from '../domain/share.ts';
import { type ClientPlace, checkSameOrigin } from './client-place.ts';
import { unauthorized } from './envelope.ts';
import type { Resources } from './resources.ts';

/** The account behind an Authorization header. Spec 5.1: the bearer scheme, whose name has no case. */
export async function authenticate(header: string | undefined, resources: Resources): Promise<Account> {
  const token = tokenOf(header);
  const key = token === undefined ? undefined : parseApiKey(token);
  const account = key && (await resources.accounts.find(key, resources.now()));
  if (!account) throw unauthorized();
  return account;
}

/** The maker of the share with this token, while it lasts. Whoever asks checks what the share allows. */
export async function findSharer(text: string | undefined, resources: Resources): Promise<Account | undefined> {
  const token = parseShareToken(text ?? '');
  const account = token && (await resources.shares.findAccount(token, resources.now()));
  // Strangers learn of no reason: a share ends with the subscription, as it does with its maker, and while the maker may share nothing.
  return account && isAllowed('share', account.caller) && activePlan(account, resources.now()) ? account : undefined;
}

function tokenOf(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/**
 * The same, or that of a share, or of the session in the cookie. Whoever sends a header is judged by the header alone. What a share
 * allows must be checked behind it.
 */
export async function authenticateClient(
  { authorization, place }: { readonly authorization: string | undefined; readonly place: ClientPlace },
  resources: Resources,
): Promise<Account> {
  const { sessionToken } = place;
  if (authorization !== undefined || !sessionToken) {
    return (await findSharer(tokenOf(authorization), resources)) ?? (await authenticate(authorization, resources));
  }
  const account = await resources.accounts.findSession(sessionToken, resources.now());
  if (!account) throw unauthorized();
  checkSameOrigin(place, { needsProof: true });
  return account;
}

export function requireScope({ caller }: Pick<Account, 'caller'>, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new RequestError(
    'FORBIDDEN',
    `This API key lacks the scope '${scope}'.`,
    'Use a key that has this scope; the operator can issue one.',
  );
}

/** What others may do by their role, an operator's key may do with the scope of operators alone. */
export function mayAct(caller: Caller, action: Action): boolean {
  const isOperator = action === 'operate' ? caller.isOperator : operates(caller);
  return isAllowed(action, { role: caller.role, isOperator });
}

export function requireRole({ caller }: Account, action: Action): void {
  if (mayAct(caller, action)) return;
  if (action === 'operate') {
    throw new RequestError(
      'FORBIDDEN',
      'Only operators of this installation may do this.',
      'Ask an operator to do it.',
    );
  }
  throw new RequestError(
    'FORBIDDEN',
    `Your role in the organization, '${caller.role}', does not allow this.`,
    'Ask an owner or admin of the organization to do it, or to change your role.',
  );
}

/** What a person does for themselves is not done by their programs. */
export function requireSession({ caller }: Account): void {
  if (caller.sessionId !== null) return;
  throw new RequestError(
    'FORBIDDEN',
    'This takes a person who is signed in; an API key does not do.',
    'Sign in on the page of this service.',
  );
}

export function requirePlan(account: Account, now: Date): Plan {
  const plan = activePlan(account, now);
  if (!plan) throw noActiveSubscription();
  return plan;
}

export function noActiveSubscription(): RequestError {
  return new RequestError(
    'NO_ACTIVE_SUBSCRIPTION',
    'The organization has no active subscription.',
    'Ask the operator to activate a plan for this organization.',
  );
}
