import { describe, expect, it } from 'vitest';
import { findLatePeriod, isRecent, listWantedPeriods } from './download-schedule.ts';
import { type IsoDate, parsePeriodKey, periodDates, periodKey } from './period.ts';

const LOOK_BACK = { lookBackWeeks: 3, lookBackMonths: 2, since: null };
const keys = (...given: Parameters<typeof listWantedPeriods>) => listWantedPeriods(...given).map(periodKey);

describe('listWantedPeriods', () => {
  it('has the last periods that are over for some time, newest first', () => {
    const wednesday = new Date('2026-07-15T06:00:00Z');
    expect(keys(LOOK_BACK, 'weekly', wednesday)).toEqual(['28-2026', '27-2026', '26-2026']);
    expect(keys(LOOK_BACK, 'monthly', wednesday)).toEqual(['06-2026', '05-2026']);
  });

  it('leaves a week out until a day and a half after its Saturday', () => {
    expect(keys(LOOK_BACK, 'weekly', new Date('2026-07-13T11:59:00Z'))[0]).toBe('27-2026');
    expect(keys(LOOK_BACK, 'weekly', new Date('2026-07-13T12:00:00Z'))[0]).toBe('28-2026');
    expect(keys(LOOK_BACK, 'monthly', new Date('2026-07-03T11:59:00Z'))[0]).toBe('05-2026');
    expect(keys(LOOK_BACK, 'monthly', new Date('2026-07-03T12:00:00Z'))[0]).toBe('06-2026');
  });

  it('goes over the end of a year with 53 weeks', () => {
    expect(keys(LOOK_BACK, 'weekly', new Date('2027-01-13T00:00:00Z'))).toEqual(['01-2027', '53-2026', '52-2026']);
  });

  it('goes back to a date, and no further than Amazon has anything', () => {
    const now = new Date('2026-07-15T06:00:00Z');
    const since = '2026-06-01' as IsoDate;
    expect(keys({ ...LOOK_BACK, since }, 'weekly', now)).toEqual(
      ['28', '27', '26', '25', '24', '23'].map((week) => `${week}-2026`),
    );
    expect(keys({ ...LOOK_BACK, since }, 'monthly', now)).toEqual(['06-2026', '05-2026']);
    expect(keys({ ...LOOK_BACK, since: '1990-01-01' as IsoDate }, 'weekly', now)).toHaveLength(160);
    expect(keys({ ...LOOK_BACK, lookBackWeeks: 0 }, 'weekly', now)).toEqual([]);
  });
});

describe('isRecent', () => {
  it('is what the look-back has', () => {
    const now = new Date('2026-07-15T06:00:00Z');
    const [recent, old] = [26, 25].map((number) => ({ frequency: 'weekly' as const, year: 2026, number }));
    expect([recent && isRecent(LOOK_BACK, recent, now), old && isRecent(LOOK_BACK, old, now)]).toEqual([true, false]);
  });
});

describe('findLatePeriod', () => {
  const published = (key: string, delayDays: number, frequency: 'weekly' | 'monthly' = 'weekly') => {
    const period = parsePeriodKey(key, frequency) ?? { frequency, year: 0, number: 0 };
    const endDate = periodDates(period).end;
    return {
      marketplace: 'US',
      period,
      endDate,
      publishedAt: new Date(Date.parse(endDate) + (delayDays + 1) * 86_400_000),
    };
  };

  it('expects the next week as punctually as the ones before it', () => {
    const series = ['25-2026', '26-2026', '27-2026'].map((key) => published(key, 3));
    expect(findLatePeriod(series, { now: new Date('2026-07-17T00:00:00Z'), isFetched: true })).toBeUndefined();
    expect(findLatePeriod(series, { now: new Date('2026-07-17T00:00:01Z'), isFetched: true })).toEqual({
      marketplace: 'US',
      period: { frequency: 'weekly', year: 2026, number: 28 },
      expectedAt: new Date('2026-07-15T00:00:00Z'),
    });
  });

  it('takes what is common where too little is known, and leaves out what was fetched afterwards', () => {
    const series = ['25-2026', '26-2026', '27-2026'].map((key) => published(key, 60));
    expect(findLatePeriod(series, { now: new Date('2026-07-18T00:00:00Z'), isFetched: true })).toBeUndefined();
    expect(findLatePeriod(series, { now: new Date('2026-07-18T00:00:01Z'), isFetched: true })?.expectedAt).toEqual(
      new Date('2026-07-16T00:00:00Z'),
    );
    const months = [published('05-2026', 60, 'monthly')];
    expect(findLatePeriod(months, { now: new Date('2026-07-11T00:00:00Z'), isFetched: true })).toBeUndefined();
    expect(findLatePeriod(months, { now: new Date('2026-07-11T00:00:01Z'), isFetched: true })?.period).toEqual({
      frequency: 'monthly',
      year: 2026,
      number: 6,
    });
  });

  it('expects of what nobody fetches only what came regularly', () => {
    const now = new Date('2026-08-01T00:00:00Z');
    const regular = ['25-2026', '26-2026', '27-2026'].map((key) => published(key, 3));
    expect(findLatePeriod(regular, { now, isFetched: false })?.period.number).toBe(28);
    expect(findLatePeriod(regular.slice(1), { now, isFetched: false })).toBeUndefined();
    expect(findLatePeriod(regular.slice(1), { now, isFetched: true })?.period.number).toBe(28);
  });

  it('expects nothing where nothing was published', () => {
    expect(findLatePeriod([], { now: new Date(), isFetched: true })).toBeUndefined();
  });
});
