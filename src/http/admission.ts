import { randomUUID } from 'node:crypto';
import type { Caller } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import {
  type Admission,
  type RateLimitState,
  remainingSearches,
  resetUnixSeconds,
  retryAfterSeconds,
  type SearchAttempt,
} from '../domain/rate-limit.ts';
import { noActiveSubscription } from './auth.ts';
import type { Resources } from './resources.ts';

type Attempt = Omit<SearchAttempt, 'id' | 'tenant'> & { readonly caller: Caller };

/** Asks the limiter for one search. Whether it was admitted is for the caller to act on: headers come first. */
export async function admit(
  resources: Resources,
  { caller, ...attempt }: Attempt,
): Promise<Admission & { readonly searchId: string }> {
  const searchId = randomUUID();
  const admission = await resources.rateLimiter.admit({ id: searchId, tenant: caller, ...attempt });
  if (!admission) throw noActiveSubscription();
  return { ...admission, searchId };
}

export function rateLimitExceeded(state: RateLimitState): RequestError {
  return new RequestError(
    'RATE_LIMIT_EXCEEDED',
    `The organization has used its ${state.limit} searches of the last hour.`,
    `Wait ${retryAfterSeconds(state)} s for the next free slot, or move to a larger plan.`,
    { retryAfterSeconds: retryAfterSeconds(state) },
  );
}

/** Spec 8.2. */
export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  return {
    'ratelimit-limit': String(state.limit),
    'ratelimit-remaining': String(remainingSearches(state)),
    'ratelimit-reset': String(resetUnixSeconds(state)),
  };
}
