// DuckDB numbers the records it read; people look for lines. The two part at line breaks inside quotes, at blank lines, and at
// records that could not be split and were taken out before.
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 4 * 1024 * 1024;
const LF = 0x0a;
const QUOTE = 0x22;
const CR = 0x0d;

/** Lines of the file that are not in the copy of it from which rows were read. */
export interface RemovedLines {
  /** The first of them. */
  readonly line: number;
  readonly lines: number;
}

/** From 1 for the first line of the file, of the row at a place (from 0) of the table. */
export function recordNumber({ place, skipLines }: { readonly place: number; readonly skipLines: number }): number {
  return skipLines + 1 + place;
}

/** The lines of the file that those of a copy were; both ascending. */
export function restoreLines(lines: readonly number[], removed: readonly RemovedLines[]): readonly number[] {
  let next = 0;
  let shift = 0;
  return lines.map((line) => {
    for (let hole = removed[next]; hole && hole.line <= line + shift; hole = removed[next]) {
      shift += hole.lines;
      next += 1;
    }
    return line + shift;
  });
}

export interface LineSearch {
  readonly path: string;
  /** Ascending. */
  readonly records: readonly number[];
  /** How many records DuckDB found, the skipped lines included. */
  readonly recordCount: number;
}

/** The line on which each record starts. Without breaks inside quotes and blank lines, records are lines. */
export async function findLines({ path, records, recordCount }: LineSearch): Promise<readonly number[]> {
  if (records.length === 0) return [];
  const lineEnds = await countLinesOf(path);
  if (lineEnds === recordCount || lineEnds === recordCount - 1) return records;
  const lines: number[] = [];
  let line = 1;
  let record = 0;
  let isQuoted = false;
  let isAtStart = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      if (isAtStart && byte !== LF && byte !== CR) {
        record += 1;
        isAtStart = false;
        while (records[lines.length] === record) lines.push(line);
      }
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LF) {
        line += 1;
        if (!isQuoted) isAtStart = true;
      }
    }
    if (lines.length === records.length) break;
  }
  // A stray quote can hide the rest of the file from this count; the record number is then the best there is.
  return records.map((number, position) => lines[position] ?? number);
}

export async function countLinesOf(path: string): Promise<number> {
  let count = 0;
  const chunks = createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) count += countLineEnds(chunk);
  return count;
}

export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
