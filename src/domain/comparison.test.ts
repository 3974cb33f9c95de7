import { describe, expect, it } from 'vitest';
import { planComparison } from './comparison.ts';
import { RequestError } from './error.ts';
import { type Period, yearBefore } from './period.ts';

const months = (...keys: readonly (readonly [number, number])[]): readonly Period[] =>
  keys.map(([number, year]) => ({ frequency: 'monthly', year, number }));
const window = months([10, 2025], [8, 2026], [9, 2026], [10, 2026]);
const [yearAgo, august, september, october] = window;
const query = { frequency: 'monthly', window, compareTo: undefined } as const;

function errorOf(work: () => unknown): RequestError {
  try {
    work();
  } catch (error) {
    if (error instanceof RequestError) return error;
  }
  throw new Error('nothing was refused');
}

describe('a comparison', () => {
  it('is of the two newest visible periods unless others are named', () => {
    expect(planComparison(query)).toEqual({ from: september, to: october, yearAgo });
    expect(planComparison({ ...query, window: window.slice(3) })).toEqual({
      from: undefined,
      to: october,
      yearAgo: undefined,
    });
    expect(planComparison({ ...query, window: [] })).toEqual({ from: undefined, to: undefined, yearAgo: undefined });
  });

  it('may be with any earlier visible period, also with one in a gap, and with the same month of the year before', () => {
    expect(planComparison({ ...query, compareTo: { periodKey: '8-2026' } }).from).toEqual(august);
    const gap = { frequency: 'monthly', year: 2026, number: 1 };
    expect(planComparison({ ...query, compareTo: { periodKey: '01-2026' } }).from).toEqual(gap);
    expect(planComparison({ ...query, compareTo: 'year_ago' }).from).toEqual(yearAgo);
    expect(planComparison({ ...query, window: window.slice(1), compareTo: 'year_ago' }).from).toBeUndefined();
  });

  it('may be of any visible newer period', () => {
    expect(planComparison({ ...query, period: '09-2026' })).toEqual({
      from: august,
      to: september,
      yearAgo: undefined,
    });
    expect(planComparison({ ...query, period: '10-2025' })).toEqual({
      from: undefined,
      to: yearAgo,
      yearAgo: undefined,
    });
  });

  it.each([
    [{ compareTo: { periodKey: '10-2026' } }, "names the period '10-2026', which is not before 10-2026."],
    [
      { compareTo: { periodKey: '09-2026' }, period: '08-2026' },
      "names the period '09-2026', which is not before 08-2026.",
    ],
    [{ compareTo: { periodKey: '09-2025' } }, 'which is outside the periods that your plan can see.'],
    [{ compareTo: { periodKey: '13-2025' } }, 'which is not a monthly period.'],
    [{ period: '11-2026' }, "Parameter 'period' names the period '11-2026', which is outside"],
  ])('refuses %j', (given, message) => {
    const error = errorOf(() => planComparison({ ...query, ...given }));
    expect(error.message).toContain(message);
    expect(error.hint).toMatch(/^Use a (monthly )?period /);
  });
});

describe('one year before', () => {
  const week = (number: number, year: number): Period => ({ frequency: 'weekly', year, number });
  it.each([
    [
      { frequency: 'monthly', year: 2026, number: 2 },
      { frequency: 'monthly', year: 2025, number: 2 },
    ],
    [week(1, 2026), week(1, 2025)],
    // 2026 has 53 weeks, 2025 and 2027 have 52.
    [week(53, 2026), week(52, 2025)],
    [week(52, 2027), week(52, 2026)],
  ] as const)('%j is %j', (period, expected) => {
    expect(yearBefore(period)).toEqual(expected);
  });
});
