import { describe, expect, it } from 'vitest';
import type { IsoDate } from '../../domain/period.ts';
import { AMAZON_CSV } from '../formats/amazon-csv.ts';
import { PLAIN_CSV } from '../formats/plain-csv.ts';
import { WALMART_CSV } from '../formats/walmart-csv.ts';
import { findMarketplace, findPeriod, type PeriodEvidence } from './report-period.ts';

const date = (text: string) => text as IsoDate;

const AMAZON_RULES = { weekEndsOn: 'Saturday' } as const;

/** A Sunday, the day after the newest week of these tests. */
const NOW = new Date('2027-01-03T00:00:00Z');

function find(evidence: Partial<PeriodEvidence>) {
  return findPeriod({
    rules: AMAZON_RULES,
    flags: {},
    metadata: {},
    fileName: {},
    rowDates: [],
    firstRowLine: 3,
    now: NOW,
    ...evidence,
  });
}

describe('the period of a report', () => {
  it.each([
    ['2026-07-11', 2026, 28],
    ['2027-01-02', 2026, 53],
    ['2021-01-02', 2020, 53],
    ['2025-01-04', 2025, 1],
    ['2024-12-28', 2024, 52],
  ])('is the ISO week of its Saturday, %s', (end, year, number) => {
    const { period } = find({ metadata: { range: 'weekly' }, rowDates: [date(end)] });
    expect(period).toEqual({ frequency: 'weekly', year, number });
  });

  it.each(['2026-07-31', '2026-07-01'])('is the month of its date, %s', (day) => {
    const { period } = find({ metadata: { range: 'monthly' }, rowDates: [date(day)] });
    expect(period).toEqual({ frequency: 'monthly', year: 2026, number: 7 });
  });

  it('comes from the first line, or else from the file name, when rows have no date', () => {
    const fileName = { range: 'weekly', endDate: date('2026-07-18') } as const;
    expect(find({ metadata: { endDate: date('2026-07-11') }, fileName }).period.number).toBe(28);
    expect(find({ fileName }).period.number).toBe(29);
  });

  it.each([
    [
      'a week that does not end on a Saturday',
      { metadata: { range: 'weekly' }, rowDates: [date('2026-07-12')] },
      'ends on a Saturday',
    ],
    ['no date at all', { metadata: { range: 'weekly' } }, 'Which period'],
    ['no frequency', { rowDates: [date('2026-07-11')] }, 'weekly or monthly'],
    ['an impossible period flag', { flags: { frequency: 'weekly', period: '53-2025' } }, 'no weekly period "53-2025"'],
    [
      'a quarterly file said to be weekly',
      { metadata: { range: 'quarterly' }, flags: { frequency: 'weekly' } },
      'quarterly',
    ],
    [
      'a week that is not over',
      { metadata: { range: 'weekly' }, rowDates: [date('2027-01-09')] },
      'not over: weekly 01-2027, which ends on 2027-01-09',
    ],
    [
      'a month that is not over, named by its first day',
      { metadata: { range: 'monthly' }, rowDates: [date('2027-01-01')] },
      'not over: monthly 01-2027, which ends on 2027-01-31',
    ],
    [
      'a period flag in the future',
      { flags: { frequency: 'weekly', period: '02-2027' }, rowDates: [date('2026-07-11')] },
      '--period names is not over: weekly 02-2027',
    ],
    [
      'the last week that can be written',
      { metadata: { range: 'weekly' }, rowDates: [date('9999-12-25')] },
      'not over: weekly 51-9999',
    ],
    [
      'the last period that can be named',
      { flags: { frequency: 'weekly', period: '52-9999' } },
      'not over: weekly 52-9999',
    ],
    ['the year 1', { metadata: { range: 'monthly' }, rowDates: [date('0001-01-31')] }, 'dated 0001-01-31'],
    ['the year 99', { metadata: { range: 'weekly', endDate: date('0099-01-03') } }, 'dated 0099-01-03'],
  ] as const)('is refused for %s', (_what, evidence, message) => {
    expect(() => find(evidence)).toThrow(message);
  });
});

describe('a period that ended today', () => {
  it.each([
    ['is over', '2026-07-11T00:00:00Z'],
    ['is over where it is still the day before: elsewhere it is tomorrow', '2026-07-10T00:00:01Z'],
  ])('%s', (_what, now) => {
    const { period } = find({ metadata: { range: 'weekly' }, rowDates: [date('2026-07-11')], now: new Date(now) });
    expect(period.number).toBe(28);
  });

  it('is not over two days before', () => {
    const now = new Date('2026-07-09T23:59:59Z');
    expect(() => find({ metadata: { range: 'weekly' }, rowDates: [date('2026-07-11')], now })).toThrow('not over');
  });
});

describe('the marketplace of a report', () => {
  const evidence = { format: AMAZON_CSV, flags: {}, fileName: {}, fallback: 'US' } as const;

  it('is what the operator says, then what the content says, then what the name says', () => {
    const all = { ...evidence, flags: { marketplace: 'CA' }, content: 'DE', fileName: { marketplace: 'FR' } };
    expect(findMarketplace(all)).toBe('CA');
    expect(findMarketplace({ ...all, flags: {} })).toBe('DE');
    expect(findMarketplace({ ...all, flags: {}, content: undefined })).toBe('FR');
  });

  it('is that of the format where it has one of its own, whatever the name says', () => {
    const walmart = { ...evidence, format: WALMART_CSV, fileName: { marketplace: 'FR' } };
    expect(findMarketplace(walmart)).toBe('WM');
    expect(findMarketplace({ ...walmart, flags: { marketplace: 'CA' } })).toBe('CA');
  });

  it('falls back to the configured one for plain files only', () => {
    expect(findMarketplace({ ...evidence, format: PLAIN_CSV })).toBe('US');
    expect(() => findMarketplace(evidence)).toThrow('Which marketplace');
  });
});
