// What a report says about itself before its rows: Amazon's first line, or the name of the file.
import { parseMarketplacePrefix } from '../domain/marketplace.ts';
import { type Frequency, type IsoDate, parseIsoDate, periodDates } from '../domain/period.ts';

/** Amazon also offers quarters and days, which this service does not keep. */
export type ReportingRange = Frequency | 'quarterly' | 'daily';

export interface ReportMetadata {
  readonly range?: ReportingRange;
  /** Last day of the period. */
  readonly endDate?: IsoDate;
  /** The search terms that the download was filtered by, as printed; such a file is not a whole period. */
  readonly filter?: string;
}

export interface FileNameHints {
  readonly marketplace?: string;
  readonly range?: ReportingRange;
  readonly endDate?: IsoDate;
}

const RANGE_WORDS: readonly (readonly [RegExp, ReportingRange])[] = [
  [/week|周/iu, 'weekly'],
  [/quarter|季/iu, 'quarterly'],
  [/month|月/iu, 'monthly'],
  [/da(y|ily)|日|天/iu, 'daily'],
];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Reads a line such as `Reporting Range=["Weekly"],Select week=["…"]`; undefined when it is no metadata line. */
export function parseMetadataLine(fields: readonly string[]): ReportMetadata | undefined {
  // A spreadsheet that saved the file again pads the line with empty fields up to the width of the header.
  const line = fields
    .join(',')
    .replace(/^\uFEFF/, '')
    .replace(/,+$/, '');
  const parts = [...line.matchAll(/([^=,\]]+)=\[(.*?)\](?=,|$)/gu)].map(([, name = '', value = '']) => ({
    name: name.trim().toLowerCase(),
    value: value.replace(/^"|"$/g, ''),
  }));
  const [first] = parts;
  if (!first || !/^[^=,]+=\[/.test(line)) return undefined;
  const range = findRange(parts.find((part) => /range|范围/u.test(part.name))?.value ?? first.value);
  const endDate = findEndDate(parts);
  const filter = parts.find((part) => /^(search terms?|搜索词)$/u.test(part.name) && part.value !== '')?.value;
  return {
    ...(range && { range }),
    ...(endDate && { endDate }),
    ...(filter !== undefined && { filter }),
  };
}

/** Reads `US_Top_Search_Terms_Simple_Week_2026_04_11 (1).csv.gz` and its relatives. */
export function parseFileName(name: string): FileNameHints {
  const marketplace = parseMarketplacePrefix(/^([A-Za-z]{2})[_ -]/.exec(name)?.[1] ?? '');
  const range = /(?:^|[^a-z])(week(?:ly)?|month(?:ly)?|quarter(?:ly)?|day|daily)(?![a-z])/i.exec(name)?.[1];
  const date = /(?<![0-9])([0-9]{4})[_-]([0-9]{2})[_-]([0-9]{2})(?![0-9])/.exec(name);
  const endDate = date ? parseIsoDate(`${date[1]}-${date[2]}-${date[3]}`) : undefined;
  const found = range === undefined ? undefined : findRange(range);
  return { ...(marketplace && { marketplace }), ...(found && { range: found }), ...(endDate && { endDate }) };
}

/** Reads a date cell: ISO, or M/D/YYYY as a spreadsheet writes it. */
export function parseReportDate(text: string): IsoDate | undefined {
  const american = /^([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})$/.exec(text.trim());
  if (!american) return parseIsoDate(text.trim().slice(0, 10));
  const [, month = '', day = '', year = ''] = american;
  return parseIsoDate(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
}

function findRange(text: string): ReportingRange | undefined {
  return RANGE_WORDS.find(([words]) => words.test(text))?.[1];
}

function findEndDate(parts: readonly { name: string; value: string }[]): IsoDate | undefined {
  for (const { value } of parts) {
    const span = /([0-9]{4}-[0-9]{2}-[0-9]{2})\s*-\s*([0-9]{4}-[0-9]{2}-[0-9]{2})/.exec(value);
    if (span) return parseIsoDate(span[2] ?? '');
  }
  // "Select year" and "Select month" without a span: the printed month of that year.
  const year = Number(parts.map((part) => /^([0-9]{4})\s*年?$/.exec(part.value.trim())?.[1]).find(Boolean));
  const month = parts.map((part) => findMonth(part.value)).find((number) => number !== undefined);
  if (!year || month === undefined) return undefined;
  return periodDates({ frequency: 'monthly', year, number: month }).end;
}

function findMonth(text: string): number | undefined {
  const chinese = /^([0-9]{1,2})\s*月$/.exec(text.trim());
  if (chinese) return Number(chinese[1]);
  const word = /^([A-Za-z]{3,})\b/.exec(text.trim())?.[1]?.toLowerCase();
  const position = word === undefined ? -1 : MONTHS.findIndex((month) => word.startsWith(month));
  return position < 0 ? undefined : position + 1;
}
