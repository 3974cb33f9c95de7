// DuckDB numbers the records it read; people look for lines. The two part at line breaks inside quotes and at blank lines,
// and records that could not be split have no number of their own.
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 4 * 1024 * 1024;
const LF = 0x0a;
const QUOTE = 0x22;
const CR = 0x0d;

export interface RecordPlaces {
  /** Places (from 0) among the records that were split into fields, ascending. */
  readonly places: readonly number[];
  /** Record numbers (from 1, the skipped lines included) of those that could not be split, ascending. */
  readonly brokenRecords: readonly number[];
  readonly skipLines: number;
}

/** Record numbers, from 1 for the first line of the file, of rows given by their place in the table. */
export function recordNumbers({ places, brokenRecords, skipLines }: RecordPlaces): readonly number[] {
  let broken = 0;
  return places.map((place) => {
    let record = skipLines + 1 + place + broken;
    while (broken < brokenRecords.length && (brokenRecords[broken] ?? 0) <= record) {
      broken += 1;
      record += 1;
    }
    return record;
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
  const lineEnds = await countLineEnds(path);
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

async function countLineEnds(path: string): Promise<number> {
  let count = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) count += 1;
  }
  return count;
}
