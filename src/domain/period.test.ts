import { describe, expect, it } from 'vitest';
import {
  comparePeriods,
  type IsoDate,
  isoWeekOf,
  isSamePeriod,
  isUnfinished,
  monthOf,
  parseIsoDate,
  parsePeriodKey,
  periodDates,
  periodKey,
} from './period.ts';

const DAY_MS = 86_400_000;

/** A second way to ISO weeks: walk day by day from Monday 1998-12-28, the first day of week 53 of 1998. */
function* walkIsoWeeks(): Generator<{ date: IsoDate; year: number; week: number }> {
  for (let ms = Date.UTC(1998, 11, 28), year = 1998, week = 53; ms < Date.UTC(2051, 0, 1); ms += DAY_MS) {
    const day = new Date(ms);
    if (day.getUTCDay() === 1) {
      week += 1;
      // A Monday from 29 December to 4 January opens the first week of a year.
      const january4 = Date.UTC(day.getUTCFullYear() + (day.getUTCMonth() === 11 ? 1 : 0), 0, 4);
      if (ms <= january4 && january4 < ms + 7 * DAY_MS) {
        week = 1;
        year = new Date(january4).getUTCFullYear();
      } else if (ms === Date.UTC(1998, 11, 28)) week = 53;
    }
    yield { date: day.toISOString().slice(0, 10) as IsoDate, year, week };
  }
}

describe('ISO weeks', () => {
  it('agree with a walk over every day of 1999 to 2050', () => {
    let days = 0;
    for (const { date, year, week } of walkIsoWeeks()) {
      expect(isoWeekOf(date), date).toEqual({ frequency: 'weekly', year, number: week });
      days += 1;
    }
    expect(days).toBe(52 * 365 + 13 + 4);
  });

  it('give 2026 a week 53 and 2025 none', () => {
    expect(parsePeriodKey('53-2026', 'weekly')).toEqual({ frequency: 'weekly', year: 2026, number: 53 });
    expect(parsePeriodKey('53-2025', 'weekly')).toBeUndefined();
  });

  it('belong to the year of their Thursday', () => {
    expect(isoWeekOf('2027-01-02' as IsoDate)).toEqual({ frequency: 'weekly', year: 2026, number: 53 });
    expect(isoWeekOf('2024-12-31' as IsoDate)).toEqual({ frequency: 'weekly', year: 2025, number: 1 });
  });
});

describe('period keys', () => {
  it('read one, two or three digits as the same period', () => {
    for (const key of ['1-2025', '01-2025', '001-2025']) {
      expect(parsePeriodKey(key, 'monthly')).toEqual({ frequency: 'monthly', year: 2025, number: 1 });
    }
  });

  it.each(['13-2025', '0-2025', '1-25', '1-20255', '0001-2025', '1/2025', '', ' 1-2025', '1-2025\n', '01-0999'])(
    'refuse %j as a month',
    (key) => expect(parsePeriodKey(key, 'monthly')).toBeUndefined(),
  );

  it('begin with the year 1000', () => {
    expect(parsePeriodKey('12-1000', 'monthly')).toEqual({ frequency: 'monthly', year: 1000, number: 12 });
  });

  it('are written with two digits, and four for the year', () => {
    expect(periodKey({ frequency: 'weekly', year: 2026, number: 7 })).toBe('07-2026');
    expect(periodKey({ frequency: 'weekly', year: 987, number: 53 })).toBe('53-0987');
  });

  it('do not decide the order of periods', () => {
    const december = { frequency: 'monthly', year: 2024, number: 12 } as const;
    const january = { frequency: 'monthly', year: 2025, number: 1 } as const;
    expect(comparePeriods(december, january)).toBeLessThan(0);
    expect(periodKey(december) > periodKey(january)).toBe(true);
  });
});

describe('periods', () => {
  it('are the same when frequency, year and number are', () => {
    const period = { frequency: 'monthly', year: 2026, number: 3 } as const;
    expect(isSamePeriod(period, { ...period })).toBe(true);
    for (const change of [{ frequency: 'weekly' }, { year: 2025 }, { number: 4 }] as const) {
      expect(isSamePeriod(period, { ...period, ...change })).toBe(false);
    }
  });
});

describe('a period that is not over', () => {
  const may = { frequency: 'monthly', year: 2026, number: 5 } as const;

  it('is over when its last day has come anywhere on earth', () => {
    expect(isUnfinished(may, new Date('2026-05-29T23:59:59.999Z'))).toBe(true);
    expect(isUnfinished(may, new Date('2026-05-30T00:00:00Z'))).toBe(false);
    expect(isUnfinished({ frequency: 'weekly', year: 2026, number: 28 }, new Date('2026-07-09T23:00:00Z'))).toBe(true);
    expect(isUnfinished({ frequency: 'weekly', year: 2026, number: 28 }, new Date('2026-07-10T01:00:00Z'))).toBe(false);
  });

  it('lies in the future also when its year has more digits than dates have', () => {
    const now = new Date('2026-12-31T12:00:00Z');
    expect(isUnfinished({ ...may, year: 2027, number: 1 }, now)).toBe(true);
    expect(isUnfinished({ ...may, year: 9999, number: 12 }, now)).toBe(true);
    expect(isUnfinished({ ...may, year: 10_000, number: 1 }, now)).toBe(true);
  });
});

describe('period dates', () => {
  it('are those of the first century too', () => {
    expect(periodDates({ frequency: 'monthly', year: 50, number: 2 })).toEqual({
      start: '0050-02-01',
      end: '0050-02-28',
    });
  });

  it('tell the month that a day falls in', () => {
    expect(monthOf('2026-12-31' as IsoDate)).toEqual({ frequency: 'monthly', year: 2026, number: 12 });
  });

  it('span a report week from Sunday to Saturday', () => {
    const week = { frequency: 'weekly', year: 2026, number: 28 } as const;
    expect(periodDates(week)).toEqual({ start: '2026-07-05', end: '2026-07-11' });
    expect(isoWeekOf(periodDates(week).end)).toEqual(week);
  });

  it('span a month, leap years included', () => {
    expect(periodDates({ frequency: 'monthly', year: 2024, number: 2 })).toEqual({
      start: '2024-02-01',
      end: '2024-02-29',
    });
  });

  it('refuse days that do not exist', () => {
    expect(parseIsoDate('2026-02-29')).toBeUndefined();
    for (const text of ['2026-2-9', '2026-02-09T', ' 2026-02-09', '+010000-01', ''])
      expect(parseIsoDate(text)).toBeUndefined();
    expect(parseIsoDate('2024-02-29')).toBe('2024-02-29');
  });
});
