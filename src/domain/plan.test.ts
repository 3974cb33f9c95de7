import { describe, expect, it } from 'vitest';
import type { Frequency, Period } from './period.ts';
import { type Plan, SEARCHES_PER_HOUR, visiblePeriods, visibleWindow } from './plan.ts';

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
