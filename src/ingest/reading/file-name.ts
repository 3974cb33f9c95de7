import { parseMarketplacePrefix } from '../../domain/marketplace.ts';
import { type IsoDate, parseIsoDate } from '../../domain/period.ts';
import { findRange, type ReportingRange } from '../formats/report-dates.ts';

export interface FileNameHints {
  readonly marketplace?: string;
  readonly range?: ReportingRange;
  readonly endDate?: IsoDate;
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
