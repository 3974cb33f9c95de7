import { type Account, activePlan, type Scope } from '../domain/account.ts';
import { parseApiKey } from '../domain/api-key.ts';
import { RequestError } from '../domain/error.ts';
import type { Plan } from '../domain/plan.ts';
import { parseShareToken } from '../domain/share.ts';
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

/** The same, or the maker of the share whose token it is. Only what checks the calls of shares may ask for this. */
export async function authenticateSharer(header: string | undefined, resources: Resources): Promise<Account> {
  const token = parseShareToken(tokenOf(header) ?? '');
  if (!token) return await authenticate(header, resources);
  const account = await resources.shares.findAccount(token, resources.now());
  // Strangers learn of no reason: a share ends with the subscription, as it does with its maker.
  if (!account || !activePlan(account, resources.now())) throw unauthorized();
  return account;
}

function tokenOf(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

export function requireScope({ caller }: Account, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new RequestError(
    'FORBIDDEN',
    `This API key lacks the scope '${scope}'.`,
    'Use a key that has this scope; the operator can issue one.',
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
