import { describe, expect, it } from 'vitest';
import type { Frequency, Period } from './period.ts';
import { checkWindow, PLANS, type Plan, SEARCHES_PER_HOUR, visiblePeriods, visibleWindow } from './plan.ts';

function count(frequency: Frequency, length: number): readonly Period[] {
  return Array.from({ length }, (_, i) => ({ frequency, year: 2020 + Math.floor(i / 12), number: 1 + (i % 12) }));
}

describe('a plan', () => {
  // Spec 8.1 and 8.4.
  it.each<readonly [Plan, number, number, number]>([
    ['pro', 100, 24, 6],
    ['studio', 500, 60, 6],
  ])('%s has %i searches an hour, and sees %i of 60 months and %i of 60 weeks', (plan, searches, months, weeks) => {
    expect(SEARCHES_PER_HOUR[plan]).toBe(searches);
    expect(visiblePeriods(plan, count('monthly', 60).toReversed())).toEqual(
      count('monthly', 60).slice(-months).toReversed(),
    );
    expect(visiblePeriods(plan, count('weekly', 60).toReversed())).toEqual(
      count('weekly', 60).slice(-weeks).toReversed(),
    );
  });

  it('sees the newest periods of one frequency, oldest first, in whatever order they are given', () => {
    const [months, weeks] = [count('monthly', 3), count('weekly', 8)];
    const published = [...weeks.slice(4), ...months.toReversed(), ...weeks.slice(0, 4)];
    expect(visibleWindow({ plan: 'pro', frequency: 'monthly', published })).toEqual(months);
    expect(visibleWindow({ plan: 'pro', frequency: 'weekly', published })).toEqual(weeks.slice(2));
  });
});

describe('the window of a plan for a rank store', () => {
  const months: readonly Period[] = Array.from({ length: 30 }, (_, i) => ({
    frequency: 'monthly',
    year: 2024 + Math.floor(i / 12),
    number: 1 + (i % 12),
  }));

  it('is the newest of the published periods, as many as a plan sees', () => {
    for (const count of [1, 5, 24, 25, 30]) {
      const published = months.slice(0, count);
      for (const plan of PLANS) {
        const window = visibleWindow({ plan, frequency: 'monthly', published });
        expect(() => checkWindow(window, published)).not.toThrow();
      }
    }
    expect(() => checkWindow([], months)).not.toThrow();
  });

  it.each([
    ['older periods', months.slice(0, 24)],
    ['a number that no plan sees', months.slice(-7)],
    ['a gap', [...months.slice(-25, -2), ...months.slice(-1)]],
    ['periods that are not published', months.slice(-24).map((period) => ({ ...period, year: period.year + 1 }))],
    ['more than is published', [...months, ...months.slice(-1)]],
    ['periods out of order', months.toReversed()],
  ])('is never one of %s', (_what, window) => {
    expect(() => checkWindow(window, months)).toThrow('no plan sees');
  });
});
