// Which periods the rows of a file belong to. A vendor's report is one period; a plain file may hold many.
import { OperatorError } from '../domain/error.ts';
import { FREQUENCIES, type IsoDate, isSamePeriod, type Period, parsePeriodKey } from '../domain/period.ts';
import { type Calculator, literal } from './calculator.ts';
import type { FilePeriod } from './period-rows.ts';
import type { ReportFile } from './report-file.ts';
import { parseReportDate } from './report-metadata.ts';
import { findPeriod, type ReportFlags } from './report-period.ts';
import { findRowLine } from './report-rejects.ts';

export interface FilePeriods {
  readonly periods: readonly FilePeriod[];
  readonly warnings: readonly string[];
}

/** More different dates or periods than this are no report. */
const MAX_LABELS = 2000;

/** Finds the periods, and marks the rows whose date or period cannot be read. */
export async function findFilePeriods(
  calculator: Calculator,
  { file, flags }: { readonly file: ReportFile; readonly flags: ReportFlags },
): Promise<FilePeriods> {
  if (file.layout.format === 'plain') return { periods: await findLabelledPeriods(calculator), warnings: [] };
  const rowDates = await findRowDates(calculator);
  const { format, metadata, skipLines } = file.layout;
  const otherPlace = rowDates.length > 1 ? await findOtherDate(calculator) : undefined;
  const search = { path: file.path, skipLines };
  const otherDateLine = otherPlace === undefined ? undefined : await findRowLine(calculator, search, otherPlace);
  const { period, warnings } = findPeriod({
    format,
    flags,
    metadata,
    fileName: file.fileName,
    rowDates,
    otherDateLine,
  });
  return { periods: [{ period }], warnings };
}

async function findRowDates(calculator: Calculator): Promise<readonly IsoDate[]> {
  const texts = await calculator.rows(`SELECT date, count(*) AS rows FROM report_rows WHERE mark IS NULL
    GROUP BY date ORDER BY rows DESC, date LIMIT ${MAX_LABELS}`);
  // A column that is there but empty throughout says nothing; one that is empty in places is damaged.
  if (texts.every(({ date }) => date === null)) return [];
  const dates = new Set<IsoDate>();
  const unreadable: string[] = [];
  for (const { date } of texts) {
    const parsed = parseReportDate(String(date ?? ''));
    if (parsed) dates.add(parsed);
    else unreadable.push(String(date ?? ''));
  }
  if (unreadable.length > 0) {
    await calculator.run(`UPDATE report_rows SET mark = 'date', detail = date
      WHERE mark IS NULL AND coalesce(date, '') IN (${unreadable.map(literal).join(', ')})`);
  }
  return [...dates];
}

/** Place of the first row whose date is not the most frequent one. */
async function findOtherDate(calculator: Calculator): Promise<number> {
  const { place } = await calculator.row(`SELECT min(rowid) AS place FROM report_rows
    WHERE mark IS NULL AND date <> (SELECT mode(date) FROM report_rows WHERE mark IS NULL)`);
  return Number(place);
}

async function findLabelledPeriods(calculator: Calculator): Promise<readonly FilePeriod[]> {
  const labels = await calculator.rows(`SELECT coalesce(period_type, '') AS period_type, coalesce(period, '') AS period
    FROM report_rows WHERE mark IS NULL GROUP BY ALL ORDER BY ALL LIMIT ${MAX_LABELS}`);
  if (labels.length === MAX_LABELS) {
    throw new OperatorError(`The file has ${MAX_LABELS} or more different periods.`, {
      hint: 'Check the columns period_type (monthly or weekly) and period (MM-YYYY or WW-YYYY).',
    });
  }
  const found: { period: Period; labels: { periodType: string; period: string }[] }[] = [];
  const unreadable: string[] = [];
  for (const row of labels) {
    const label = { periodType: String(row.period_type), period: String(row.period) };
    const frequency = FREQUENCIES.find((known) => known === label.periodType.toLowerCase());
    const period = frequency && parsePeriodKey(label.period, frequency);
    if (!period) {
      unreadable.push(`(${literal(label.periodType)}, ${literal(label.period)})`);
      continue;
    }
    const same = found.find((candidate) => isSamePeriod(candidate.period, period));
    if (same) same.labels.push(label);
    else found.push({ period, labels: [label] });
  }
  if (unreadable.length > 0) {
    await calculator.run(`UPDATE report_rows SET mark = 'period', detail = concat_ws(' ', period_type, period)
      WHERE mark IS NULL AND (coalesce(period_type, ''), coalesce(period, '')) IN (${unreadable.join(', ')})`);
  }
  await unifyLabels(calculator, found);
  return found.toSorted((a, b) => a.period.year - b.period.year || a.period.number - b.period.number);
}

/** "1-2026" and "01-2026" are one period, inside which twins are merged; so they get one label. */
async function unifyLabels(
  calculator: Calculator,
  periods: readonly { readonly labels: { periodType: string; period: string }[] }[],
): Promise<void> {
  for (const { labels } of periods) {
    const [first, ...others] = labels;
    if (!first || others.length === 0) continue;
    const pairs = others.map(({ periodType, period }) => `(${literal(periodType)}, ${literal(period)})`);
    await calculator.run(`UPDATE report_rows SET period_type = ${literal(first.periodType)}, period = ${literal(first.period)}
      WHERE (period_type, period) IN (${pairs.join(', ')})`);
    labels.length = 1;
  }
}
