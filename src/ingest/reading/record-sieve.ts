// Most files are CSV as it should be, and DuckDB reads them in one pass. Of a file that is not, the records that cannot be split
// into fields are taken out here, one by one and in bounded memory: DuckDB itself would hold every one of them, and a quote
// that is never closed would swallow the records behind it.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RejectReason } from './reject.ts';
import { ReportFault } from './report-fault.ts';
import type { RemovedLines } from './report-lines.ts';
import { countLineEnds } from './report-lines.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;
/** A file with more of them is no report, whatever share of its rows is allowed to be bad. */
const MAX_BROKEN_RECORDS = 100_000;
/** Kept of a broken record, to be shown. */
const MAX_TEXT_BYTES = 1000;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;

export interface BrokenRecord extends RemovedLines {
  readonly reason: RejectReason;
  readonly text: string;
}

export interface SieveOptions {
  readonly path: string;
  /** Where the records go that can be split. */
  readonly copyPath: string;
  readonly columns: number;
  /** Copied as they are. */
  readonly skipLines: number;
  readonly lineBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the records that were left out, in the order of the file. */
export async function sieveRecords(options: SieveOptions): Promise<readonly BrokenRecord[]> {
  const broken: BrokenRecord[] = [];
  await using copy = await open(options.copyPath, 'w');
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  const sieve = async (bytes: Buffer, isEnd: boolean): Promise<Buffer> => {
    let goodFrom = 0;
    let position = 0;
    for (;;) {
      const record =
        line <= options.skipLines ? readLine(bytes, position) : readRecord(bytes, position, { ...options, isEnd });
      if (!record) break;
      const lines = countLineEnds(bytes.subarray(position, record.end));
      if (record.reason) {
        if (position > goodFrom) await copy.write(bytes.subarray(goodFrom, position));
        goodFrom = record.end;
        const text = bytes.toString('utf8', position, Math.min(record.end, position + MAX_TEXT_BYTES)).trimEnd();
        broken.push({ line, lines, reason: record.reason, text });
        if (broken.length > MAX_BROKEN_RECORDS) throw tooManyBroken(broken[0]?.line ?? 1);
      }
      line += lines;
      position = record.end;
    }
    if (position > goodFrom) await copy.write(bytes.subarray(goodFrom, position));
    return bytes.subarray(position);
  };
  const source = createReadStream(options.path, { highWaterMark: CHUNK_BYTES });
  for await (const chunk of source as AsyncIterable<Buffer>) {
    options.signal?.throwIfAborted();
    rest = await sieve(rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk, false);
  }
  await sieve(rest, true);
  return broken;
}

function tooManyBroken(line: number): ReportFault {
  return new ReportFault(`More than ${MAX_BROKEN_RECORDS.toLocaleString('en-US')} lines cannot be split into fields.`, {
    line,
    hint: 'This is the first of them. Download the report again.',
  });
}

interface FoundRecord {
  /** Position behind it and its line end. */
  readonly end: number;
  /** Why it cannot be split; undefined when it can. */
  readonly reason?: RejectReason;
}

function readLine(bytes: Buffer, start: number): FoundRecord | undefined {
  const end = bytes.indexOf(LF, start);
  return end < 0 ? undefined : { end: end + 1 };
}

type RecordOptions = Pick<SieveOptions, 'columns' | 'lineBytes'> & { readonly isEnd: boolean };

/** Undefined when the record goes on behind these bytes, or there is none. */
function readRecord(bytes: Buffer, start: number, options: RecordOptions): FoundRecord | undefined {
  if (start >= bytes.length) return undefined;
  if (bytes[start] === LF) return { end: start + 1 };
  if (bytes[start] === CR && bytes[start + 1] === LF) return { end: start + 2 };
  const limit = Math.min(bytes.length, start + options.lineBytes);
  let fields = 1;
  let fieldStart = start;
  for (;;) {
    const isLast = options.isEnd && limit === bytes.length;
    const field = readField(bytes, fieldStart, { limit, isLast });
    if (field === 'open') {
      // It goes on; if there is nothing more to come, or it may not be longer, it never ends.
      if (!options.isEnd && limit === bytes.length) return undefined;
      const isQuoted = bytes[skipSpaces(bytes, fieldStart, limit)] === QUOTE;
      if (isLast && !isQuoted) return finish(bytes, { start, end: limit, fields }, options);
      return resume(bytes, { start, reason: isQuoted ? 'quotes' : 'too-long' }, options);
    }
    if (field === 'broken') return resume(bytes, { start, reason: 'quotes' }, options);
    if (bytes[field] === COMMA) {
      fields += 1;
      fieldStart = field + 1;
      continue;
    }
    const end = field + (bytes[field] === CR ? 2 : bytes[field] === LF ? 1 : 0);
    const isLastEmpty = fields === options.columns + 1 && fieldStart === field;
    return finish(bytes, { start, end, fields: isLastEmpty ? fields - 1 : fields }, options);
  }
}

function finish(
  bytes: Buffer,
  { start, end, fields }: { readonly start: number; readonly end: number; readonly fields: number },
  { columns }: RecordOptions,
): FoundRecord {
  if (fields !== columns) return { end, reason: 'fields' };
  return isUtf8(bytes.subarray(start, end)) ? { end } : { end, reason: 'encoding' };
}

/** A record with wrong quotes has no known end: resume at the next line. */
function resume(
  bytes: Buffer,
  { start, reason }: { readonly start: number; readonly reason: RejectReason },
  { isEnd }: RecordOptions,
): FoundRecord | undefined {
  const end = bytes.indexOf(LF, start);
  if (end >= 0) return { end: end + 1, reason };
  return isEnd ? { end: bytes.length, reason } : undefined;
}

/** The position behind a field: of a comma, of a line end, or the end of the bytes where a quote was closed. */
function readField(
  bytes: Buffer,
  start: number,
  { limit, isLast }: { readonly limit: number; readonly isLast: boolean },
): number | 'open' | 'broken' {
  let position = skipSpaces(bytes, start, limit);
  if (bytes[position] !== QUOTE) return findFieldEnd(bytes, start, limit);
  for (position += 1; ; position += 2) {
    const quote = bytes.indexOf(QUOTE, position);
    if (quote < 0 || quote >= limit) return 'open';
    if (bytes.subarray(position, quote).includes(CR) && hasLoneReturn(bytes, position, quote)) return 'broken';
    position = quote;
    if (bytes[quote + 1] !== QUOTE) break;
  }
  position = skipSpaces(bytes, position + 1, limit);
  if (position >= limit) return isLast ? position : 'open';
  return isFieldEnd(bytes, position) ? position : 'broken';
}

function findFieldEnd(bytes: Buffer, start: number, limit: number): number | 'open' | 'broken' {
  for (let position = start; position < limit; position += 1) {
    const byte = bytes[position];
    if (byte === COMMA || byte === LF) return position;
    if (byte === CR) {
      if (position + 1 >= limit) return 'open';
      return bytes[position + 1] === LF ? position : 'broken';
    }
  }
  return 'open';
}

function isFieldEnd(bytes: Buffer, position: number): boolean {
  const byte = bytes[position];
  return byte === COMMA || byte === LF || (byte === CR && bytes[position + 1] === LF);
}

function hasLoneReturn(bytes: Buffer, start: number, end: number): boolean {
  for (let at = bytes.indexOf(CR, start); at >= 0 && at < end; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] !== LF) return true;
  }
  return false;
}

function skipSpaces(bytes: Buffer, start: number, limit: number): number {
  let position = start;
  while (position < limit && bytes[position] === SPACE) position += 1;
  return position;
}
