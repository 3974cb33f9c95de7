// What whoever has the link of a share may call: the targets that were stored with it, and the list of shares, which then has that
// share alone. Everything else is refused, whatever endpoints are added.
import type { Caller } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import type { Plan } from '../domain/plan.ts';
import { canonicalTarget, SHARE_SEARCHES_PER_HOUR, type ShareId, searchesForShares } from '../domain/share.ts';
import { admit } from './admission.ts';
import type { Endpoint } from './endpoint.ts';
import { parseQueryString } from './query-string.ts';
import type { Resources } from './resources.ts';

/** Where a share tells what it shows. */
export const SHARES_PATH = '/v1/shares';

interface Call {
  readonly endpoint: Pick<Endpoint, 'method' | 'path'>;
  readonly id: string;
  readonly queryString: string;
}

export function requireShared({ share }: Caller, { endpoint: { method, path }, id, queryString }: Call): void {
  if (!share) return;
  const target = canonicalTarget(path.replace(/\{\w+\}/, encodeURIComponent(id)), parseQueryString(queryString));
  if (method === 'GET' && (target === SHARES_PATH || share.targets.includes(target))) return;
  throw new RequestError(
    'FORBIDDEN',
    'The link of a share shows one thing, and this is another.',
    `GET ${SHARES_PATH} tells which calls it allows, each with exactly those parameters.`,
  );
}

/** Who takes turns: strangers with links do not take those of the organization itself. */
export function ownerOf({ organizationId, share }: Caller): string {
  return share ? `shares of ${organizationId}` : organizationId;
}

/** Spends a search of the maker's, within what shares may take. What is left of them is nobody's business. */
export async function takeSharedSearch(
  resources: Resources,
  { attempt, plan }: { readonly attempt: Parameters<typeof admit>[1]; readonly plan: Plan },
): Promise<{ readonly searchId: string }> {
  const { caller } = attempt;
  const id = caller.share?.id as ShareId;
  const taken = await resources.shares.takeSearch(caller, { id, mostOfAll: searchesForShares(plan.searchesPerHour) });
  if (taken) throw lookedAtTooOften(taken.freeAt, resources.now());
  const admission = await admit(resources, attempt);
  if (!admission.admitted) throw lookedAtTooOften(admission.rateLimit.resetsAt, admission.rateLimit.now);
  return admission;
}

function lookedAtTooOften(freeAt: Date, now: Date): RequestError {
  const retryAfterSeconds = Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1000));
  return new RequestError(
    'RATE_LIMIT_EXCEEDED',
    `What is shared was looked at too often: a link shows its searches ${SHARE_SEARCHES_PER_HOUR} times an hour at most.`,
    `Wait ${retryAfterSeconds} s and open it again.`,
    { retryAfterSeconds },
  );
}
