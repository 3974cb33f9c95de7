// Collects the rows that could not be read, from DuckDB's CSV reader and from our own checks, and writes them to a file.
import { writeFile } from 'node:fs/promises';
import type { Calculator } from './calculator.ts';
import { presentCsvRecord } from './csv-record.ts';
import { REJECT_REASONS, type RejectedRow, type RejectReason } from './reject.ts';
import { findLines, recordNumbers } from './report-lines.ts';
import { SILENT_MARKS } from './report-rows.ts';

const MAX_DETAIL_CHARACTERS = 1000;

/** What DuckDB calls the faults of a record that it could not split. */
const REASON_BY_FAULT: Readonly<Record<string, RejectReason>> = {
  'MISSING COLUMNS': 'fields',
  'TOO MANY COLUMNS': 'fields',
  'UNQUOTED VALUE': 'quotes',
  'INVALID ENCODING': 'encoding',
  'INVALID STATE': 'quotes',
  'LINE SIZE OVER MAXIMUM': 'too-long',
};

export interface RejectSearch {
  readonly path: string;
  readonly skipLines: number;
}

export async function listRejects(calculator: Calculator, search: RejectSearch): Promise<readonly RejectedRow[]> {
  const broken = await listBroken(calculator);
  const marked =
    await calculator.rows(`SELECT rowid AS place, mark, coalesce(original, normalized) AS term, detail FROM report_rows
    WHERE mark IS NOT NULL AND mark NOT IN (${SILENT_MARKS.map((mark) => `'${mark}'`).join(', ')}) ORDER BY rowid`);
  if (broken.length === 0 && marked.length === 0) return [];
  const { rows } = await calculator.row('SELECT count(*) AS rows FROM report_rows');
  const brokenRecords = broken.map((row) => row.record);
  const markedRecords = recordNumbers({
    places: marked.map((row) => Number(row.place)),
    brokenRecords,
    skipLines: search.skipLines,
  });
  const records = [...brokenRecords, ...markedRecords].toSorted((a, b) => a - b);
  const recordCount = Number(rows) + broken.length + search.skipLines;
  const lines = await findLines({ path: search.path, records, recordCount });
  const lineOf = new Map(records.map((record, position) => [record, lines[position] ?? record]));
  const rejects = [
    ...broken.map((row) => ({ line: lineOf.get(row.record) ?? 0, reason: row.reason, term: '', detail: row.text })),
    ...marked.map((row, position) => ({
      line: lineOf.get(markedRecords[position] ?? 0) ?? 0,
      reason: parseReason(String(row.mark)),
      term: String(row.term ?? ''),
      detail: String(row.detail ?? ''),
    })),
  ];
  return rejects.toSorted((a, b) => a.line - b.line);
}

/** The line of the row at a place of the table. */
export async function findRowLine(calculator: Calculator, search: RejectSearch, place: number): Promise<number> {
  const brokenRecords = (await listBroken(calculator)).map(({ record }) => record);
  const records = recordNumbers({ places: [place], brokenRecords, skipLines: search.skipLines });
  const { rows } = await calculator.row('SELECT count(*) AS rows FROM report_rows');
  const recordCount = Number(rows) + brokenRecords.length + search.skipLines;
  const [line] = await findLines({ path: search.path, records, recordCount });
  return line ?? 1;
}

export async function writeRejects(path: string, rejects: readonly RejectedRow[]): Promise<void> {
  const records = rejects.map((row) => presentCsvRecord([String(row.line), row.reason, row.term, row.detail]));
  await writeFile(path, `${presentCsvRecord(['line', 'reason', 'search_term', 'detail'])}${records.join('')}`);
}

interface BrokenRecord {
  readonly record: number;
  readonly reason: RejectReason;
  readonly text: string;
}

/** Records that DuckDB could not split. Each counts once, however many faults it has. */
async function listBroken(calculator: Calculator): Promise<readonly BrokenRecord[]> {
  const faults = await calculator.rows(`SELECT line AS record, arg_min(error_type::VARCHAR, byte_position) AS fault,
      left(any_value(csv_line), ${MAX_DETAIL_CHARACTERS}) AS text
    FROM reject_errors GROUP BY line ORDER BY line`);
  return faults.map((row) => ({
    record: Number(row.record),
    reason: REASON_BY_FAULT[String(row.fault)] ?? 'fields',
    text: String(row.text ?? ''),
  }));
}

function parseReason(mark: string): RejectReason {
  const reason = REJECT_REASONS.find((known) => known === mark);
  if (!reason) throw new Error(`unknown mark: ${mark}`);
  return reason;
}
