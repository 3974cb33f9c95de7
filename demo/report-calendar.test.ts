import { describe, expect, it } from 'vitest';
import { type Period, periodDates } from '../src/domain/period.ts';
import { compareByEnd, completeMonths, completeWeeks } from './report-calendar.ts';
import { reportFileName, reportMetadata } from './report-name.ts';

function ends(periods: readonly Period[]): readonly string[] {
  return periods.map((period) => periodDates(period).end);
}

describe('the periods of a data set', () => {
  it('end with the newest complete month and week', () => {
    const now = new Date('2026-03-01T00:00:00Z');
    expect(ends(completeMonths({ now, count: 3 }))).toEqual(['2025-12-31', '2026-01-31', '2026-02-28']);
    expect(ends(completeWeeks({ now, count: 2 }))).toEqual(['2026-02-21', '2026-02-28']);
  });

  it('leave out a week or month that ends on the day itself', () => {
    const now = new Date('2026-01-31T23:59:59Z');
    expect(ends(completeMonths({ now, count: 1 }))).toEqual(['2025-12-31']);
    expect(ends(completeWeeks({ now, count: 1 }))).toEqual(['2026-01-24']);
  });

  it('are ordered by their last day, a week before the month that ends with it', () => {
    const now = new Date('2026-03-01T00:00:00Z');
    const periods = [...completeMonths({ now, count: 2 }), ...completeWeeks({ now, count: 2 })].sort(compareByEnd);
    expect(periods.map((period) => `${period.frequency} ${periodDates(period).end}`)).toEqual([
      'monthly 2026-01-31',
      'weekly 2026-02-21',
      'weekly 2026-02-28',
      'monthly 2026-02-28',
    ]);
  });
});

describe('names and metadata', () => {
  it('are those of native files', () => {
    const week = { frequency: 'weekly', year: 2026, number: 28 } as const;
    const month = { frequency: 'monthly', year: 2026, number: 7 } as const;
    expect(reportFileName({ marketplace: 'US', period: week })).toBe('US_Top_Search_Terms_Simple_Week_2026_07_11.csv');
    expect(reportFileName({ marketplace: 'DE', period: month })).toBe(
      'DE_Top_Search_Terms_Simple_Month_2026_07_31.csv',
    );
    expect(reportMetadata(week)).toBe(
      'Reporting Range=["Weekly"],Select week=["Week 28 | 2026-07-05 - 2026-07-11 2026"]',
    );
    expect(reportMetadata(month)).toBe('Reporting Range=["Monthly"],Select year=["2026"],Select month=["July"]');
  });

  it("print Amazon's week number, which is not the ISO week in every year", () => {
    const week = { frequency: 'weekly', year: 2026, number: 53 } as const;
    expect(reportMetadata(week)).toContain('Week 1 | 2026-12-27 - 2027-01-02 2027');
  });
});
