import { describe, expect, it } from 'vitest';
import { WriteLimit } from './write-limit.ts';

function isTaken(limit: WriteLimit, organization = 'a'): boolean {
  try {
    limit.take(organization);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    return false;
  }
}

describe('the limit of changes', () => {
  it('lets a minute of changes come at once, and then as many as it allows in time', () => {
    let nowMs = 0;
    const limit = new WriteLimit(60, () => nowMs);
    expect(Array.from({ length: 61 }, () => isTaken(limit)).filter(Boolean)).toHaveLength(60);
    nowMs += 999;
    expect(isTaken(limit)).toBe(false);
    nowMs += 1;
    expect([isTaken(limit), isTaken(limit)]).toEqual([true, false]);
    nowMs += 3_600_000;
    expect(Array.from({ length: 61 }, () => isTaken(limit)).filter(Boolean)).toHaveLength(60);
  });

  it('is one for each organization', () => {
    const limit = new WriteLimit(1, () => 0);
    expect([isTaken(limit, 'a'), isTaken(limit, 'a'), isTaken(limit, 'b')]).toEqual([true, false, true]);
  });

  it('counts a large change several times, and lets the largest through all the same', () => {
    let nowMs = 0;
    const limit = new WriteLimit(60, () => nowMs);
    limit.take('a', 50 * 4096);
    expect(() => limit.take('a', 9 * 4096)).toThrow(/60 changes/);
    limit.take('a', 8 * 4096);
    nowMs += 60_000;
    limit.take('a', 1024 * 1024);
  });

  it('says after how many seconds a change is taken', () => {
    let nowMs = 0;
    const limit = new WriteLimit(6, () => nowMs);
    while (isTaken(limit));
    const refusal = (() => {
      try {
        return limit.take('a');
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ retryAfterSeconds: 10 });
    nowMs += 10_000;
    expect(isTaken(limit)).toBe(true);
  });
});
