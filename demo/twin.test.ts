import { describe, expect, it } from 'vitest';
import { planTwins } from './twin.ts';

describe('phantom twins', () => {
  it('repeat different terms of the upper part at ranks in the lower half', () => {
    const twins = planTwins(20_000);
    expect(twins.size).toBe(10);
    expect(new Set([...twins.values()].map((twin) => twin.place)).size).toBe(10);
    for (const [rank, { place }] of twins) {
      expect(rank).toBeGreaterThan(10_000);
      expect(rank).toBeLessThanOrEqual(20_000);
      expect(place).toBeLessThan(8_000);
    }
  });

  it('are a few in the smallest report', () => expect(planTwins(200).size).toBe(3));
});
