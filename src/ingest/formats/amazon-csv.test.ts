import { describe, expect, it } from 'vitest';
import { parseCsvRecord } from '../reading/csv-record.ts';
import { parseFileName } from '../reading/file-name.ts';
import { parseMetadataLine } from './amazon-csv.ts';
import { parseReportDate } from './report-dates.ts';

function parseLine(line: string) {
  return parseMetadataLine(parseCsvRecord(line, 0).fields);
}

describe('the metadata line', () => {
  it.each([
    [
      'Reporting Range=["Weekly"],Select week=["Week 28 | 2026-07-05 - 2026-07-11 2026"]',
      { range: 'weekly', endDate: '2026-07-11' },
    ],
    [
      '"Reporting Range=[""Weekly""]","Select week=[""Week 28 | 2026-07-05 - 2026-07-11 2026""]",,,,,',
      { range: 'weekly', endDate: '2026-07-11' },
    ],
    [
      'Reporting Range=["Monthly"],Select year=["2026"],Select month=["July"]',
      { range: 'monthly', endDate: '2026-07-31' },
    ],
    [
      'Reporting Range=["Monthly"],Select month=["June | 2026-06-01 - 2026-06-30 2026"]',
      { range: 'monthly', endDate: '2026-06-30' },
    ],
    [
      'Reporting Range=["Weekly"],Select week=["Week 28 | 2026-07-05 - 2026-07-11 2026"],Search Term=["red, shoes"]',
      { range: 'weekly', endDate: '2026-07-11', filter: 'red, shoes' },
    ],
    ['Reporting Range=["Quarterly"],Select year=["2026"],Select quarter=["Q2"]', { range: 'quarterly' }],
    ['报告范围=["每周"],选择周=["第28周 | 2026-07-05 - 2026-07-11 2026"]', { range: 'weekly', endDate: '2026-07-11' }],
  ])('%s is understood', (line, metadata) => {
    expect(parseLine(line)).toEqual(metadata);
  });

  it.each(['"1","red shoes","Acme"', '', 'period_type,period,search_term,rank'])('is not %j', (line) => {
    expect(parseLine(line)).toBeUndefined();
  });
});

describe('a file name', () => {
  it.each([
    ['US_Top_Search_Terms_Simple_Week_2026_04_11.csv', { marketplace: 'US', range: 'weekly', endDate: '2026-04-11' }],
    [
      'de_top_search_terms_simple_month_2026_04_30 (1).csv.gz',
      { marketplace: 'DE', range: 'monthly', endDate: '2026-04-30' },
    ],
    [
      'UK_Top_Search_Terms_Simple_Quarter_2026_03_31.csv',
      { marketplace: 'UK', range: 'quarterly', endDate: '2026-03-31' },
    ],
    ['JP_Top_Search_Terms_Simple_Day_2026_03_31.csv', { marketplace: 'JP', range: 'daily', endDate: '2026-03-31' }],
    ['GB_x.csv', { marketplace: 'UK' }],
    ['my_ranks.csv', {}],
    ['US_weekend_2026_02_30.csv', { marketplace: 'US' }],
  ])('%s gives what it says and no more', (name, hints) => {
    expect(parseFileName(name)).toEqual(hints);
  });
});

describe('a date cell', () => {
  it.each([
    ['2026-07-11', '2026-07-11'],
    ['7/11/2026', '2026-07-11'],
    ['07/04/2026', '2026-07-04'],
    ['2026-07-11T00:00:00Z', '2026-07-11'],
    ['13/1/2026', undefined],
    ['11.07.2026', undefined],
    ['', undefined],
  ])('%j is %j', (text, date) => {
    expect(parseReportDate(text)).toBe(date);
  });
});
