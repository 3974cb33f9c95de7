// Collects the rows that could not be read: records that could not be split, and rows that failed our own checks. All are counted;
// of very many only the first are listed, so that neither memory nor the rejects file grows with a hostile file.
import { open } from 'node:fs/promises';
import type { DuckDbSession } from '../duckdb-session.ts';
import { presentCsvRecord } from './csv-record.ts';
import type { BrokenRecord } from './record-sieve.ts';
import { countRejects, REJECT_EXPLANATIONS, type RejectCount, type RejectedRow, type RejectReason } from './reject.ts';
import { findLines, recordNumber, restoreLines } from './report-lines.ts';
import { SILENT_MARKS } from './report-rows.ts';

/** Marked rows that are listed, and characters of each of their texts. */
const MAX_LISTED_ROWS = 50_000;
const MAX_TERM_CHARACTERS = 300;
const MAX_DETAIL_CHARACTERS = 1000;
const WRITE_ROWS = 1000;

export interface RejectSearch {
  /** Of the file that the rows were read from. */
  readonly path: string;
  readonly skipLines: number;
  /** Records that are not in that file any more. */
  readonly broken: readonly BrokenRecord[];
}

export interface Rejects {
  /** Of all of them. */
  readonly counts: readonly RejectCount[];
  readonly rows: number;
  /** The first ones, by line. */
  readonly listed: readonly RejectedRow[];
}

const IS_REJECTED = `mark IS NOT NULL AND mark NOT IN (${SILENT_MARKS.map((mark) => `'${mark}'`).join(', ')})`;

export async function listRejects(session: DuckDbSession, search: RejectSearch): Promise<Rejects> {
  const totals = await session.rows(
    `SELECT mark, count(*) AS rows FROM report_rows WHERE ${IS_REJECTED} GROUP BY mark`,
  );
  const marked = totals.length > 0 ? await listMarked(session, search) : [];
  const broken = search.broken.map(({ line, reason, text }) => ({ line, reason, term: '', detail: text }));
  const listed = [...broken, ...marked].toSorted((a, b) => a.line - b.line);
  const rowsOf = new Map(totals.map(({ mark, rows }) => [parseReason(String(mark)), Number(rows)]));
  const counts = countRejects(listed).map((count) => ({ ...count, rows: rowsOf.get(count.reason) ?? count.rows }));
  return {
    counts: counts.toSorted((a, b) => b.rows - a.rows),
    rows: counts.reduce((sum, { rows }) => sum + rows, 0),
    listed,
  };
}

/** The first rows, and the first of each reason. */
async function listMarked(session: DuckDbSession, search: RejectSearch): Promise<readonly RejectedRow[]> {
  const rows = await session.rows(`SELECT rowid AS place, mark,
      left(coalesce(original, normalized), ${MAX_TERM_CHARACTERS}) AS term, left(detail, ${MAX_DETAIL_CHARACTERS}) AS detail
    FROM report_rows WHERE ${IS_REJECTED} AND (rowid IN (SELECT rowid FROM report_rows WHERE ${IS_REJECTED} LIMIT ${MAX_LISTED_ROWS})
      OR rowid IN (SELECT min(rowid) FROM report_rows WHERE ${IS_REJECTED} GROUP BY mark))
    ORDER BY rowid`);
  const lines = await findRowLines(
    session,
    search,
    rows.map(({ place }) => Number(place)),
  );
  return rows.map(({ mark, term, detail }, position) => ({
    line: lines[position] ?? 0,
    reason: parseReason(String(mark)),
    term: String(term ?? ''),
    detail: String(detail ?? ''),
  }));
}

/** The line of the row at a place of the table. */
export async function findRowLine(session: DuckDbSession, search: RejectSearch, place: number): Promise<number> {
  const [line] = await findRowLines(session, search, [place]);
  return line ?? 1;
}

async function findRowLines(
  session: DuckDbSession,
  { path, skipLines, broken }: RejectSearch,
  places: readonly number[],
): Promise<readonly number[]> {
  const { rows } = await session.row('SELECT count(*) AS rows FROM report_rows');
  const records = places.map((place) => recordNumber({ place, skipLines }));
  const lines = await findLines({ path, records, recordCount: Number(rows) + skipLines });
  return restoreLines(lines, broken);
}

export async function writeRejects(path: string, { listed, rows }: Rejects): Promise<void> {
  await using file = await open(path, 'w');
  await file.write(presentCsvRecord(['line', 'reason', 'search_term', 'detail']));
  for (let start = 0; start < listed.length; start += WRITE_ROWS) {
    const records = listed.slice(start, start + WRITE_ROWS);
    await file.write(
      records.map((row) => presentCsvRecord([String(row.line), row.reason, row.term, row.detail])).join(''),
    );
  }
  const left = rows - listed.length;
  if (left > 0) await file.write(presentCsvRecord(['', '', '', `and ${left} more`]));
}

function parseReason(mark: string): RejectReason {
  if (!Object.hasOwn(REJECT_EXPLANATIONS, mark)) throw new Error(`unknown mark: ${mark}`);
  return mark as RejectReason;
}
