// Which periods the rows of a file belong to. A vendor's report is one period; in other files each row names its own.
import {
  FREQUENCIES,
  type IsoDate,
  isSamePeriod,
  isUnfinished,
  type Period,
  parsePeriodKey,
} from '../../domain/period.ts';
import { type DuckDbSession, literal } from '../duckdb-session.ts';
import { parseReportDate } from '../formats/report-dates.ts';
import { type FilePeriod, isOfPeriod } from './period-rows.ts';
import { ReportFault } from './report-fault.ts';
import type { ReportFile } from './report-file.ts';
import { findPeriod, type ReportFlags, unfinished } from './report-period.ts';
import { findRowLine, type RejectSearch } from './report-rejects.ts';

interface FileSearch {
  readonly file: ReportFile;
  readonly search: RejectSearch;
  readonly now: Date;
}

export interface FilePeriods {
  readonly periods: readonly FilePeriod[];
  readonly warnings: readonly string[];
}

/** More different dates or periods than this are no report. */
const MAX_LABELS = 2000;
/** Longer than any date or period; the cell may be as long as a line. */
const MAX_LABEL_CHARACTERS = 40;

/** Finds the periods, and marks the rows whose date or period cannot be read. */
export async function findFilePeriods(
  session: DuckDbSession,
  { file, search, flags, now }: FileSearch & { readonly flags: ReportFlags },
): Promise<FilePeriods> {
  const { format, metadata, skipLines } = file.layout;
  if (format.period === 'of each row') {
    const periods = await findLabelledPeriods(session, file);
    await checkFinished(session, { search, periods, now });
    return { periods, warnings: [] };
  }
  const rowDates = await findRowDates(session);
  const otherPlace = rowDates.length > 1 ? await findOtherDate(session) : undefined;
  const otherDateLine = otherPlace === undefined ? undefined : await findRowLine(session, search, otherPlace);
  const { period, warnings } = findPeriod({
    rules: format.period,
    flags,
    metadata,
    fileName: file.fileName,
    rowDates,
    otherDateLine,
    firstRowLine: skipLines + 1,
    now,
  });
  return { periods: [{ period }], warnings };
}

/** Refuses the whole file at the first row of a period that is not over. */
async function checkFinished(
  session: DuckDbSession,
  { search, periods, now }: Pick<FileSearch, 'search' | 'now'> & { readonly periods: readonly FilePeriod[] },
): Promise<void> {
  const early = periods.find(({ period }) => isUnfinished(period, now));
  if (!early) return;
  const { place } = await session.row(
    `SELECT min(rowid) AS place FROM report_rows WHERE mark IS NULL AND ${isOfPeriod(early)}`,
  );
  throw unfinished(early.period, { line: await findRowLine(session, search, Number(place)) });
}

async function findRowDates(session: DuckDbSession): Promise<readonly IsoDate[]> {
  const texts = await session.rows(`SELECT left(date, ${MAX_LABEL_CHARACTERS}) AS date FROM report_rows
    WHERE mark IS NULL GROUP BY ALL ORDER BY count(*) DESC, date LIMIT ${MAX_LABELS}`);
  // A column that is there but empty throughout says nothing; one that is empty in places is damaged.
  if (texts.every(({ date }) => date === null)) return [];
  const dates = new Set<IsoDate>();
  const readable: string[] = [];
  for (const { date } of texts) {
    const parsed = parseReportDate(String(date ?? ''));
    if (!parsed) continue;
    dates.add(parsed);
    readable.push(String(date));
  }
  if (readable.length < texts.length) {
    const isReadable = readable.map((text) => `left(date, ${MAX_LABEL_CHARACTERS}) = ${literal(text)}`);
    await session.run(`UPDATE report_rows SET mark = 'date', detail = date
      WHERE mark IS NULL AND (${['false', ...isReadable].join(' OR ')}) IS NOT TRUE`);
  }
  return [...dates];
}

/** Place of the first row whose date is not the most frequent one. */
async function findOtherDate(session: DuckDbSession): Promise<number> {
  const { place } = await session.row(`SELECT min(rowid) AS place FROM report_rows
    WHERE mark IS NULL AND date <> (SELECT mode(date) FROM report_rows WHERE mark IS NULL)`);
  return Number(place);
}

async function findLabelledPeriods(session: DuckDbSession, { layout }: ReportFile): Promise<readonly FilePeriod[]> {
  // Too long to be a period: treated as blank.
  const label = (column: string) => `CASE WHEN length(${column}) <= ${MAX_LABEL_CHARACTERS} THEN ${column} ELSE '' END`;
  const labels = await session.rows(`SELECT ${label('period_type')} AS period_type, ${label('period')} AS period
    FROM report_rows WHERE mark IS NULL GROUP BY ALL ORDER BY ALL LIMIT ${MAX_LABELS}`);
  if (labels.length === MAX_LABELS) {
    throw new ReportFault(`The file has ${MAX_LABELS} or more different periods.`, {
      line: layout.skipLines + 1,
      hint: 'Check the columns period_type (monthly or weekly) and period (MM-YYYY or WW-YYYY).',
    });
  }
  const found: { period: Period; labels: { periodType: string; period: string }[] }[] = [];
  for (const row of labels) {
    const label = { periodType: String(row.period_type), period: String(row.period) };
    const frequency = FREQUENCIES.find((known) => known === label.periodType.toLowerCase());
    const period = frequency && parsePeriodKey(label.period, frequency);
    if (!period) continue;
    const same = found.find((candidate) => isSamePeriod(candidate.period, period));
    if (same) same.labels.push(label);
    else found.push({ period, labels: [label] });
  }
  const readable = found.flatMap((period) => period.labels);
  if (readable.length < labels.length) {
    const isReadable = readable.length > 0 ? isOfPeriod({ labels: readable }) : 'false';
    await session.run(`UPDATE report_rows SET mark = 'period', detail = concat_ws(' ', period_type, period)
      WHERE mark IS NULL AND (${isReadable}) IS NOT TRUE`);
  }
  await unifyLabels(session, found);
  return found.toSorted((a, b) => a.period.year - b.period.year || a.period.number - b.period.number);
}

/** "1-2026" and "01-2026" are one period, inside which twins are merged; so they get one label. */
async function unifyLabels(
  session: DuckDbSession,
  periods: readonly { readonly labels: { periodType: string; period: string }[] }[],
): Promise<void> {
  for (const { labels } of periods) {
    const [first, ...others] = labels;
    if (!first || others.length === 0) continue;
    const pairs = others.map(({ periodType, period }) => `(${literal(periodType)}, ${literal(period)})`);
    await session.run(`UPDATE report_rows SET period_type = ${literal(first.periodType)}, period = ${literal(first.period)}
      WHERE (period_type, period) IN (${pairs.join(', ')})`);
    labels.length = 1;
  }
}
