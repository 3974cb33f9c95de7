import { describe, expect, it } from 'vitest';
import { conversionToClickSteps, type InsightSource, openInsights } from './insights.ts';
import type { Period } from './period.ts';

const month = (number: number, year = 2026): Period => ({ frequency: 'monthly', year, number });
const window = [month(10, 2025), month(8), month(9), month(10)];
const comparison = { from: month(9), to: month(10), yearAgo: month(10, 2025) };
const KEYWORD: InsightSource = {
  ranks: [300, null, 524, 259],
  products: [
    { clickShare: 12.34, conversionShare: 20.1 },
    { clickShare: null, conversionShare: 0.05 },
    { clickShare: 0.33, conversionShare: null },
  ],
  titleGap: true,
};

describe('insights', () => {
  const insightsOf = openInsights({ window, comparison });

  it('tell how a keyword moved between two periods and within a year, and what its products have of the clicks', () => {
    expect(insightsOf(KEYWORD)).toEqual({
      fromPeriod: month(9),
      toPeriod: month(10),
      fromRank: 524,
      toRank: 259,
      change: 265,
      changePercentage: 50.57,
      yearChange: 41,
      clickConcentration: 12.67,
      conversionConcentration: 20.15,
      conversionToClick: 1.5904,
      titleGap: true,
      firstSeen: month(10, 2025),
      streak: 2,
    });
  });

  it.each([
    ['the earlier rank', [300, 1, null, 259], { fromRank: null, toRank: 259, change: null, yearChange: 41, streak: 1 }],
    ['the newer rank', [300, 1, 524, null], { fromRank: 524, toRank: null, change: null, yearChange: null, streak: 0 }],
    ['the rank of a year ago', [null, 1, 524, 259], { change: 265, yearChange: null, firstSeen: month(8), streak: 3 }],
  ])('are null where %s is missing, and never compare with another period', (_, ranks, expected) => {
    expect(insightsOf({ ...KEYWORD, ranks })).toMatchObject(expected);
  });

  it('are null without periods, without known shares and without clicks', () => {
    const nowhere = openInsights({ window: [], comparison: { from: undefined, to: undefined, yearAgo: undefined } });
    expect(nowhere({ ranks: [], products: [], titleGap: null })).toEqual({
      fromPeriod: null,
      toPeriod: null,
      fromRank: null,
      toRank: null,
      change: null,
      changePercentage: null,
      yearChange: null,
      clickConcentration: null,
      conversionConcentration: null,
      conversionToClick: null,
      titleGap: null,
      firstSeen: null,
      streak: 0,
    });
    const products = [{ clickShare: 0, conversionShare: 5 }];
    expect(insightsOf({ ...KEYWORD, products })).toMatchObject({
      clickConcentration: 0,
      conversionConcentration: 5,
      conversionToClick: null,
    });
  });

  it('have positive numbers for rises and negative ones for falls', () => {
    expect(insightsOf({ ...KEYWORD, ranks: [200, null, 100, 300] })).toMatchObject({
      change: -200,
      changePercentage: -200,
      yearChange: -100,
    });
  });
});

describe('conversion to click', () => {
  it.each([
    [1, 3, 3333],
    [2, 3, 6667],
    [1, 80_000, 0],
    [1, 20_000, 1],
    [0, 5, 0],
    [30_000, 1, 300_000_000],
  ])('of %d and %d hundredths is %d ten-thousandths, halves up', (conversion, click, steps) => {
    expect(conversionToClickSteps(conversion, click)).toBe(steps);
  });

  it('is unknown where one of the two is, or nothing was clicked', () => {
    expect([conversionToClickSteps(null, 1), conversionToClickSteps(1, null), conversionToClickSteps(1, 0)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
