import { describe, expect, it } from 'vitest';
import { averageRankHundredths, ftsRank, MATCH_TIERS, wordWeight } from './ranking.ts';

describe('the tiers of best_match', () => {
  it('are numbers that fall from the best to the worst', () => {
    const tiers = Object.values(MATCH_TIERS);
    expect(tiers.every((tier, i) => i === 0 || tier < (tiers[i - 1] ?? 0))).toBe(true);
    expect(tiers).toHaveLength(5);
    expect(MATCH_TIERS.typo).toBe(0);
  });
});

describe('fts_rank', () => {
  it('weighs rarer words more', () => {
    expect(wordWeight({ termCount: 1000, matchCount: 10 })).toBeGreaterThan(
      wordWeight({ termCount: 1000, matchCount: 100 }),
    );
    expect(wordWeight({ termCount: 1000, matchCount: 1000 })).toBeCloseTo(Math.log(2), 12);
  });

  it('weighs a word in one term only, and one that no term has', () => {
    expect(wordWeight({ termCount: 3, matchCount: 1 })).toBeCloseTo(Math.log(4), 12);
    expect(wordWeight({ termCount: 3, matchCount: 0 })).toBe(0);
  });

  it('ranks shorter terms higher', () => {
    const weights = [1.5, 0.5];
    expect(ftsRank({ weights, wordCount: 1 })).toBe(2);
    expect(ftsRank({ weights, wordCount: 3 })).toBeCloseTo(2 / (1 + Math.log(3)), 12);
  });
});

describe('avg_rank', () => {
  it.each([
    [10, 1, 1000],
    [10, 3, 333],
    [20, 3, 667],
    [201, 200, 101],
    [1, 8, 13],
  ])('of ranks that add up to %i over %i periods is %i hundredths', (rankSum, periodCount, expected) => {
    expect(averageRankHundredths({ rankSum, periodCount })).toBe(expected);
  });
});
