import { describe, expect, it } from 'vitest';
import type { Period } from './period.ts';
import { PRO, STUDIO } from './plan.ts';
import { hasChanged, NO_CHANGES, planProductChanges, standingChange } from './tracked-product.ts';

const MONTHS = Array.from({ length: 26 }, (_, i): Period => {
  return { frequency: 'monthly', year: 2024 + Math.floor(i / 12), number: 1 + (i % 12) };
});

function plan(period: Period | undefined, published = MONTHS, account = PRO) {
  const context = { plan: account, frequency: 'monthly', published } as const;
  return planProductChanges({ asins: ['B0'], period, limit: 3 }, context);
}

describe('planning what products gained and lost', () => {
  it('compares the newest visible period with the one before, as published', () => {
    expect(plan(undefined)).toEqual({
      window: MONTHS.slice(2),
      period: MONTHS[25],
      previous: MONTHS[24],
      asins: ['B0'],
      limit: 3,
    });
    expect(plan(undefined, MONTHS.toSpliced(24, 1)).previous).toEqual(MONTHS[23]);
  });

  it('takes a period that is named, or the visible one before it when that was never published', () => {
    expect([plan(MONTHS[9]).period, plan(MONTHS[9]).previous]).toEqual([MONTHS[9], MONTHS[8]]);
    const gap = plan(MONTHS[9], MONTHS.toSpliced(9, 1), STUDIO);
    expect([gap.period, gap.previous]).toEqual([MONTHS[8], MONTHS[7]]);
  });

  it('never compares with what the plan cannot see', () => {
    expect([plan(MONTHS[2]).period, plan(MONTHS[2]).previous]).toEqual([MONTHS[2], undefined]);
    expect([plan(MONTHS[1]).period, plan(undefined, []).period]).toEqual([undefined, undefined]);
  });
});

describe('a change', () => {
  it.each([
    [1, null, 'entered'],
    [null, 3, 'left'],
    [1, 2, 'place'],
    [2, 2, undefined],
  ])('from place %j, before %j, is %j', (place, previous, change) => {
    expect(standingChange(place, previous)).toBe(change);
  });

  it('is one when any keyword was entered, left or changed', () => {
    expect(hasChanged(NO_CHANGES)).toBe(false);
    for (const change of ['entered', 'left', 'place']) {
      expect(hasChanged({ ...NO_CHANGES, counts: { ...NO_CHANGES.counts, [change]: 1 } })).toBe(true);
    }
  });
});
