// How reports write dates and the length of their period.
import { type Frequency, type IsoDate, parseIsoDate } from '../../domain/period.ts';

/** Amazon also offers quarters and days, which this service does not keep. */
export type ReportingRange = Frequency | 'quarterly' | 'daily';

const RANGE_WORDS: readonly (readonly [RegExp, ReportingRange])[] = [
  [/week|周/iu, 'weekly'],
  [/quarter|季/iu, 'quarterly'],
  [/month|月/iu, 'monthly'],
  [/da(y|ily)|日|天/iu, 'daily'],
];

export function findRange(text: string): ReportingRange | undefined {
  return RANGE_WORDS.find(([words]) => words.test(text))?.[1];
}

/** Reads a date cell: ISO, or M/D/YYYY as a spreadsheet writes it. */
export function parseReportDate(text: string): IsoDate | undefined {
  const american = /^([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})$/.exec(text.trim());
  if (!american) return parseIsoDate(text.trim().slice(0, 10));
  const [, month = '', day = '', year = ''] = american;
  return parseIsoDate(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
}
