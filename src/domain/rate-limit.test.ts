import { describe, expect, it } from 'vitest';
import { type RateLimitState, remainingSearches, resetUnixSeconds, retryAfterSeconds } from './rate-limit.ts';

function state(change: Partial<RateLimitState> = {}): RateLimitState {
  return { limit: 100, counted: 100, now: new Date(1_000_000), resetsAt: new Date(1_500_001), ...change };
}

describe('the rate limit in headers', () => {
  it('never has fewer than zero searches left, even after a downgrade', () => {
    expect([state({ counted: 99 }), state(), state({ counted: 499 })].map(remainingSearches)).toEqual([1, 0, 0]);
  });

  it('promises a slot no earlier than there is one', () => {
    expect(resetUnixSeconds(state())).toBe(1501);
    expect(resetUnixSeconds(state({ resetsAt: new Date(1_500_000) }))).toBe(1500);
    expect(retryAfterSeconds(state())).toBe(501);
  });

  it('asks to wait for at least a second', () => {
    expect(retryAfterSeconds(state({ resetsAt: new Date(1_000_001) }))).toBe(1);
    expect(retryAfterSeconds(state({ resetsAt: new Date(1_000_000) }))).toBe(1);
  });
});
