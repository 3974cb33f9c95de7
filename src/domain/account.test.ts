import { describe, expect, it } from 'vitest';
import { type Account, type ApiKeyId, activePlan, type OrganizationId, type UserId } from './account.ts';
import { PRO, STUDIO } from './plan.ts';

const NOW = new Date('2026-05-01T12:00:00Z');

function planOf(subscription: Account['subscription']) {
  const caller: Account['caller'] = {
    keyId: 'k' as ApiKeyId,
    sessionId: null,
    role: 'owner',
    isOperator: false,
    organizationId: 'o' as OrganizationId,
    userId: 'u' as UserId,
    scopes: new Set(),
  };
  return activePlan({ caller, subscription, expiresAt: null }, NOW);
}

describe('the plan of an account', () => {
  it('is that of its active subscription', () => {
    expect(planOf({ plan: PRO, status: 'active', periodEnd: null })).toBe(PRO);
    expect(planOf({ plan: STUDIO, status: 'active', periodEnd: new Date(NOW.getTime() + 1) })).toBe(STUDIO);
  });

  it('ends at the very instant that the subscription does', () => {
    expect(planOf({ plan: PRO, status: 'active', periodEnd: NOW })).toBeUndefined();
    expect(planOf({ plan: PRO, status: 'active', periodEnd: new Date(NOW.getTime() - 1) })).toBeUndefined();
  });

  it('is none without an active subscription', () => {
    expect(planOf({ plan: PRO, status: 'inactive', periodEnd: null })).toBeUndefined();
    expect(planOf(null)).toBeUndefined();
  });
});
