import { describe, expect, it } from 'vitest';
import type { Frequency, Period } from './period.ts';
import { checkWindow, OWNER, type Plan, PRO, parsePlanName, STUDIO, visiblePeriods, visibleWindow } from './plan.ts';

function count(frequency: Frequency, length: number): readonly Period[] {
  return Array.from({ length }, (_, i) => ({ frequency, year: 2020 + Math.floor(i / 12), number: 1 + (i % 12) }));
}

describe('a plan', () => {
  // Spec 8.1 and 8.4.
  it.each<readonly [Plan, number, number, number]>([
    [PRO, 100, 24, 6],
    [STUDIO, 500, 60, 6],
    [OWNER, 10_000, 60, 60],
    [{ name: 'narrow', searchesPerHour: 7, months: 1, weeks: 59 }, 7, 1, 59],
    [{ name: 'wide', searchesPerHour: 8, months: 61, weeks: 10_000 }, 8, 60, 60],
  ])('%j: so many searches an hour, months and weeks of 60', (plan, searches, months, weeks) => {
    expect(plan.searchesPerHour).toBe(searches);
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
    expect(visibleWindow({ plan: PRO, frequency: 'monthly', published })).toEqual(months);
    expect(visibleWindow({ plan: PRO, frequency: 'weekly', published })).toEqual(weeks.slice(2));
  });
});

describe('the window of a plan for a rank store', () => {
  const months: readonly Period[] = Array.from({ length: 30 }, (_, i) => ({
    frequency: 'monthly',
    year: 2024 + Math.floor(i / 12),
    number: 1 + (i % 12),
  }));

  it('is any number of the newest published periods', () => {
    for (const count of [1, 5, 24, 25, 30]) {
      const published = months.slice(0, count);
      for (let limit = 1; limit <= 31; limit += 1) {
        const window = visibleWindow({ plan: { ...PRO, months: limit }, frequency: 'monthly', published });
        expect(window).toHaveLength(Math.min(limit, count));
        expect(() => checkWindow(window, published)).not.toThrow();
      }
    }
    expect(() => checkWindow([], months)).not.toThrow();
  });

  it.each([
    ['older periods', months.slice(0, 24)],
    ['a gap', [...months.slice(-25, -2), ...months.slice(-1)]],
    ['periods that are not published', months.slice(-24).map((period) => ({ ...period, year: period.year + 1 }))],
    ['more than is published', [...months, ...months.slice(-1)]],
    ['periods out of order', months.toReversed()],
  ])('is never one of %s', (_what, window) => {
    expect(() => checkWindow(window, months)).toThrow('is not the newest');
  });
});

describe('the name of a plan', () => {
  it.each(['a', 'team', 'team-2', 'x'.repeat(40)])('can be %j', (name) => {
    expect(parsePlanName(name)).toBe(name);
  });

  it.each(['', ' ', 'Team', 'team 2', '2team', '-team', 'té', 'x'.repeat(41), 'team\n', 'all', 'none', "a';--"])(
    'cannot be %j',
    (name) => {
      const hint = 'Use 1 to 40 of a-z, 0-9 and hyphens, a letter first, and none of all, none.';
      expect(() => parsePlanName(name)).toThrow(
        expect.objectContaining({ message: `"${name}" cannot be the name of a plan.`, hint }),
      );
    },
  );
});
