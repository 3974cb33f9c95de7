import { describe, expect, it } from 'vitest';
import type { ApiKeyId, Caller, OrganizationId, UserId } from '../domain/account.ts';
import type { Admission, RateLimitState, SearchAttempt } from '../domain/rate-limit.ts';
import { admit, rateLimitExceeded, rateLimitHeaders } from './admission.ts';
import type { Resources } from './resources.ts';

const STATE: RateLimitState = {
  limit: 100,
  counted: 97,
  now: new Date('2026-05-01T12:00:00.000Z'),
  resetsAt: new Date('2026-05-01T12:00:41.500Z'),
};
const CALLER: Caller = {
  keyId: 'k' as ApiKeyId,
  sessionId: null,
  role: 'owner',
  isOperator: false,
  organizationId: 'o' as OrganizationId,
  userId: 'u' as UserId,
  scopes: new Set(['search']),
};
const ATTEMPT = {
  caller: CALLER,
  meter: 'search',
  endpoint: '/v1/search/keywords',
  parameters: { query: ['a'] },
} as const;

/** Resources with nothing but a limiter that decides so. */
function limitedBy(admission: Admission | undefined) {
  const attempts: SearchAttempt[] = [];
  const rateLimiter = {
    admit: async (attempt: SearchAttempt) => {
      attempts.push(attempt);
      return admission;
    },
  };
  return { attempts, resources: { rateLimiter } as unknown as Resources };
}

describe('asking for a search', () => {
  it.each([true, false])('tells what was decided (%s), under an id of its own', async (admitted) => {
    const { attempts, resources } = limitedBy({ admitted, rateLimit: STATE });
    const decided = await admit(resources, ATTEMPT);
    const { caller: tenant, ...rest } = ATTEMPT;
    expect(decided).toEqual({ admitted, rateLimit: STATE, searchId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(attempts).toEqual([{ id: decided.searchId, tenant, ...rest }]);
    expect((await admit(resources, ATTEMPT)).searchId).not.toBe(decided.searchId);
  });

  it('is refused without an active subscription', async () => {
    await expect(admit(limitedBy(undefined).resources, ATTEMPT)).rejects.toMatchObject({
      code: 'NO_ACTIVE_SUBSCRIPTION',
    });
  });
});

describe('a limit that is reached', () => {
  it('says how long to wait', () => {
    const { code, message, hint, retryAfterSeconds } = rateLimitExceeded({ ...STATE, counted: 100 });
    expect({ code, message, hint, retryAfterSeconds }).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'The organization has used its 100 searches of the last hour.',
      hint: 'Wait 42 s for the next free slot, or move to a larger plan.',
      retryAfterSeconds: 42,
    });
  });

  it('stands in headers, and before it is reached too', () => {
    expect(rateLimitHeaders(STATE)).toEqual({
      'ratelimit-limit': '100',
      'ratelimit-remaining': '3',
      'ratelimit-reset': String(Date.parse('2026-05-01T12:00:42Z') / 1000),
    });
  });
});
