// Which marketplace and period a report is for. The rows are believed first, then the metadata line, then the file name;
// what the operator says stands above all of them.
import { OperatorError } from '../../domain/error.ts';
import {
  type Frequency,
  type IsoDate,
  isoWeekOf,
  isSamePeriod,
  isUnfinished,
  MIN_YEAR,
  monthOf,
  type Period,
  parsePeriodKey,
  periodDates,
  periodKey,
} from '../../domain/period.ts';
import type { ReportingRange } from '../formats/report-dates.ts';
import type { PeriodRules, ReportFormat, ReportMetadata } from '../formats/report-format.ts';
import type { FileNameHints } from './file-name.ts';
import { ReportFault } from './report-fault.ts';

/** What the operator said, which stands above what the file says. */
export interface ReportFlags {
  readonly marketplace?: string;
  readonly frequency?: Frequency;
  /** A period key; it needs a frequency, from the flag or the file. */
  readonly period?: string;
  /** A file whose content says otherwise is refused, not believed less. */
  readonly isStrict?: boolean;
}

export interface PeriodEvidence {
  readonly rules: PeriodRules;
  readonly flags: ReportFlags;
  readonly metadata: ReportMetadata;
  readonly fileName: FileNameHints;
  /** The dates found in the rows, each once. */
  readonly rowDates: readonly IsoDate[];
  /** Of the first row whose date is not that of most others. */
  readonly otherDateLine?: number | undefined;
  readonly firstRowLine: number;
  readonly now: Date;
}

export interface FoundPeriod {
  readonly period: Period;
  readonly warnings: readonly string[];
}

const SATURDAY = 6;

export function findMarketplace(evidence: {
  readonly format: Pick<ReportFormat, 'marketplace'>;
  readonly flags: ReportFlags;
  readonly fileName: FileNameHints;
  /** From the content of the file, where the format has it. */
  readonly content?: string | undefined;
  readonly fallback: string;
}): string {
  const { format, flags, fileName, content, fallback } = evidence;
  if (flags.isStrict && flags.marketplace !== undefined && content !== undefined && content !== flags.marketplace) {
    throw otherThanAsked(`is of the marketplace ${content}, not ${flags.marketplace}`);
  }
  if (flags.marketplace !== undefined) return flags.marketplace;
  if (content !== undefined) return content;
  if (format.marketplace.from === 'format') return format.marketplace.code;
  if (fileName.marketplace !== undefined) return fileName.marketplace;
  if (format.marketplace.from === 'file name or settings') return fallback;
  throw new OperatorError('Which marketplace is this report for? Neither its content nor its name says it.', {
    hint: 'Add --marketplace US, or keep the name that Amazon gave the file, such as US_Top_Search_Terms_….csv.',
  });
}

export function findPeriod(evidence: PeriodEvidence): FoundPeriod {
  const { flags, metadata, fileName, rowDates } = evidence;
  const frequency = findFrequency(evidence);
  if (rowDates.length > 1) {
    throw new ReportFault(`The rows are of several dates: ${rowDates.toSorted().join(', ')}.`, {
      line: evidence.otherDateLine ?? 1,
      hint: 'One report is one period. Split the file, or download it again.',
    });
  }
  const [rowDate] = rowDates;
  const date = rowDate ?? metadata.endDate ?? fileName.endDate;
  const dateLine = rowDate ? evidence.firstRowLine : 1;
  const dated = { frequency, rules: evidence.rules, line: dateLine };
  const found = date === undefined ? undefined : periodOf({ ...dated, date });
  const warnings: string[] = [];
  if (found && rowDate && metadata.endDate && flags.period === undefined) {
    const named = periodOf({ ...dated, date: metadata.endDate, line: 1 });
    if (!isSamePeriod(found, named)) {
      throw new ReportFault(`The first line says ${metadata.endDate}, but the rows are of ${rowDate}.`, {
        line: 1,
        hint: 'The file was changed after the download. Download it again, or say which period is right with --period.',
      });
    }
  }
  if (flags.period !== undefined)
    return overridden({ ...flags, key: flags.period, frequency, found, now: evidence.now });
  if (!found) {
    throw new OperatorError('Which period is this report for? Neither its content nor its name says it.', {
      hint: `Add --period, for example --type ${frequency} --period ${frequency === 'weekly' ? '28-2026' : '07-2026'}.`,
    });
  }
  if (isUnfinished(found, evidence.now)) throw unfinished(found, { line: dateLine });
  if (fileName.endDate && !isWithin(fileName.endDate, found)) {
    warnings.push(`The file name says ${fileName.endDate}, the content says ${date}: the content was believed.`);
  }
  return { period: found, warnings };
}

/** A report with a wrong date in the future would be the newest period until then. */
export function unfinished(period: Period, { line }: { readonly line: number }): ReportFault {
  return new ReportFault(`The report is of a period that is not over: ${describePeriod(period)}.`, {
    line,
    hint: 'Check the date in the file, and the clock of this machine. Reports are imported when their period is over.',
  });
}

function describePeriod(period: Period): string {
  return `${period.frequency} ${periodKey(period)}, which ends on ${periodDates(period).end}`;
}

function overridden({
  key,
  frequency,
  found,
  now,
  isStrict = false,
}: {
  key: string;
  frequency: Frequency;
  found: Period | undefined;
  now: Date;
  isStrict?: boolean;
}): FoundPeriod {
  const period = parsePeriodKey(key, frequency);
  if (!period) {
    throw new OperatorError(`There is no ${frequency} period "${key}".`, {
      hint: 'Months are written MM-YYYY, ISO weeks WW-YYYY.',
    });
  }
  if (isUnfinished(period, now)) {
    throw new OperatorError(`The period that --period names is not over: ${describePeriod(period)}.`, {
      hint: 'Check --period, and the clock of this machine.',
    });
  }
  if (!found || isSamePeriod(found, period)) return { period, warnings: [] };
  if (isStrict) throw otherThanAsked(`is of ${frequency} ${periodKey(found)}, not ${key}`);
  return { period, warnings: [`Imported as ${key} by request; the file itself says ${periodKey(found)}.`] };
}

function otherThanAsked(what: string): ReportFault {
  return new ReportFault(`The report ${what}.`, { line: 1, hint: 'Without --strict it is imported as asked for.' });
}

function findFrequency({ rules, flags, metadata, fileName, rowDates }: PeriodEvidence): Frequency {
  const range: ReportingRange | undefined = flags.frequency ?? metadata.range ?? fileName.range;
  if (flags.isStrict && flags.frequency !== undefined && metadata.range && metadata.range !== flags.frequency) {
    throw otherThanAsked(`is ${metadata.range}, not ${flags.frequency}`);
  }
  for (const given of [metadata.range, range]) {
    if (given === 'quarterly' || given === 'daily') {
      throw new ReportFault(`This is a ${given} report; keyrank keeps monthly and weekly ranks.`, {
        line: 1,
        hint: 'Download the weekly or the monthly report of the same name.',
      });
    }
  }
  if (range === 'weekly' || range === 'monthly') return range;
  const [date] = rowDates;
  const found = date && rules.findFrequency?.(date);
  if (found) return found;
  throw new OperatorError('Is this report weekly or monthly? Neither its content nor its name says it.', {
    hint: 'Add --type weekly or --type monthly.',
  });
}

function periodOf({
  frequency,
  date,
  rules,
  line,
}: {
  frequency: Frequency;
  date: IsoDate;
  rules: PeriodRules;
  line: number;
}): Period {
  if (Number(date.slice(0, 4)) <= MIN_YEAR) {
    throw new ReportFault(`The report is dated ${date}, and there are no reports of that year.`, {
      line,
      hint: 'The date was damaged. Download the report again, or correct the date.',
    });
  }
  if (frequency === 'monthly') return monthOf(date);
  if (rules.weekEndsOn === 'any day' || new Date(`${date}T00:00:00Z`).getUTCDay() === SATURDAY) return isoWeekOf(date);
  throw new ReportFault(`A weekly report ends on a Saturday, and ${date} is none.`, {
    line,
    hint: 'If the file is right, say which week it is with --type weekly --period WW-YYYY and a corrected date.',
  });
}

function isWithin(date: IsoDate, period: Period): boolean {
  const { start, end } = periodDates(period);
  return start <= date && date <= end;
}
