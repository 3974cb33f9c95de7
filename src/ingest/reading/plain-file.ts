// DuckDB reads plain files fastest, and in parallel. A report that is compressed, or whose bytes would confuse a CSV
// reader (NULs, two kinds of line end), is first written out clean; any other is read where it lies.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { OperatorError } from '../../domain/error.ts';
import { errorCode } from '../../domain/error-code.ts';
import { LineGuard } from './line-guard.ts';
import { ReportFault, type ReportLimits } from './report-fault.ts';
import { countLineEnds } from './report-lines.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;
/** Below this size the ratio does not matter. */
const FREE_UNPACKED_BYTES = 64_000_000;
const NUL = 0x00;
const LF = 0x0a;
const CR = 0x0d;

export interface PlainFileOptions {
  readonly path: string;
  /** Where to write the clean copy, if one is needed. */
  readonly copyPath: string;
  readonly limits: ReportLimits;
  readonly onBytes: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface PlainFile {
  readonly path: string;
  readonly removedNuls: number;
}

export async function isGzip(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

/** The bytes of a report, unpacked if need be. Counts what is read from disk, which is what progress is about. */
export async function* readBytes({
  path,
  limits,
  onBytes,
  signal,
}: Omit<PlainFileOptions, 'copyPath'>): AsyncGenerator<Buffer> {
  const isPacked = await isGzip(path);
  const { size } = await stat(path);
  const source = createReadStream(path, { highWaterMark: CHUNK_BYTES, ...(signal && { signal }) });
  if (!isPacked) {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      onBytes(chunk.length);
      yield chunk;
    }
    return;
  }
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on('data', (chunk) => onBytes(chunk.length));
  source.once('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  let line = 1;
  let unpackedBytes = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      unpackedBytes += chunk.length;
      checkUnpacked({ unpackedBytes, packedBytes: size, limits, line });
      line += countLineEnds(chunk);
      yield chunk;
    }
  } catch (error) {
    throw gzipError(error, line);
  } finally {
    source.destroy();
  }
}

/** Makes a report readable for DuckDB: the file itself, or a clean copy of it. */
export async function openPlainFile(options: PlainFileOptions): Promise<PlainFile> {
  if (!(await isGzip(options.path)) && (await isClean(options))) return { path: options.path, removedNuls: 0 };
  const cleaner = new ByteCleaner();
  const guard = new LineGuard(options.limits, { countsLines: true });
  const clean = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        guard.check(chunk);
        done(null, cleaner.clean(chunk));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    flush(done) {
      done(null, cleaner.finish());
    },
  });
  const copy = await open(options.copyPath, 'w');
  // Passing a generator keeps the errors of every stage in one place.
  await pipeline(readBytes(options), clean, copy.createWriteStream(), {
    ...(options.signal && { signal: options.signal }),
  });
  return { path: options.copyPath, removedNuls: cleaner.removedNuls };
}

/** Whether the file has no NUL and one kind of line end. Carriage returns are looked at only when there are any. */
async function isClean({ path, limits, signal }: PlainFileOptions): Promise<boolean> {
  const guard = new LineGuard(limits, { countsLines: false });
  let lineEnds = 0;
  let doubleLineEnds = 0;
  let isAfterReturn = false;
  for await (const chunk of readReused({ path, signal })) {
    if (!guard.passes(chunk)) throw await locateLongLine({ path, limits, signal });
    if (chunk.includes(NUL)) return false;
    if (!isAfterReturn && doubleLineEnds === 0 && !chunk.includes(CR)) {
      lineEnds += chunk.includes(LF) ? 1 : 0;
      continue;
    }
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
      lineEnds += 1;
      if (at > 0 ? chunk[at - 1] === CR : isAfterReturn) doubleLineEnds += 1;
    }
    if (doubleLineEnds > 0 && doubleLineEnds < lineEnds) return false;
    isAfterReturn = chunk[chunk.length - 1] === CR;
  }
  return true;
}

/** Reads again to find the line of a fault: counting lines all the time would be slow. */
async function locateLongLine(options: Pick<PlainFileOptions, 'path' | 'limits' | 'signal'>): Promise<Error> {
  const guard = new LineGuard(options.limits, { countsLines: true });
  try {
    for await (const chunk of readReused(options)) guard.check(chunk);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return new OperatorError('The file changed while it was read.', { hint: 'Wait for the download to finish.' });
}

/** Double buffering: one buffer is filled while the caller reads the other. */
async function* readReused({ path, signal }: Pick<PlainFileOptions, 'path' | 'signal'>): AsyncGenerator<Buffer> {
  const file = await open(path);
  const read = (buffer: Buffer) => file.read(buffer, 0, CHUNK_BYTES, null);
  let spare: Buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let reading = read(Buffer.allocUnsafe(CHUNK_BYTES));
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { buffer, bytesRead } = await reading;
      if (bytesRead === 0) return;
      reading = read(spare);
      spare = buffer;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await reading.catch(() => {});
    await file.close();
  }
}

/** Removes NULs and makes every line end one byte. */
class ByteCleaner {
  #removedNuls = 0;
  /** A CR at the end of a chunk waits for the next one to show whether an LF follows. */
  #hasPendingReturn = false;

  get removedNuls(): number {
    return this.#removedNuls;
  }

  clean(chunk: Buffer): Buffer {
    if (!this.#hasPendingReturn && !chunk.includes(NUL) && !chunk.includes(CR)) return chunk;
    const kept = Buffer.allocUnsafe(chunk.length + 1);
    let length = 0;
    for (const byte of chunk) {
      if (byte === NUL) {
        this.#removedNuls += 1;
        continue;
      }
      if (this.#hasPendingReturn && byte !== LF) kept[length++] = CR;
      this.#hasPendingReturn = byte === CR;
      if (byte !== CR) kept[length++] = byte;
    }
    return kept.subarray(0, length);
  }

  finish(): Buffer {
    return this.#hasPendingReturn ? Buffer.from([CR]) : Buffer.alloc(0);
  }
}

/** Stops gzip bombs before they fill the disk. */
function checkUnpacked({
  unpackedBytes,
  packedBytes,
  limits,
  line,
}: {
  readonly unpackedBytes: number;
  readonly packedBytes: number;
  readonly limits: ReportLimits;
  readonly line: number;
}): void {
  if (unpackedBytes > limits.unpackedBytes) throw tooLarge(limits, line);
  if (unpackedBytes <= Math.max(FREE_UNPACKED_BYTES, packedBytes * limits.unpackedRatio)) return;
  throw new ReportFault(`The gzip file unpacks to more than ${limits.unpackedRatio} times its size.`, {
    line,
    hint: 'No report does. If this one is right, unpack it first, or raise KEYRANK_IMPORT_MAX_RATIO.',
  });
}

export function tooLarge({ unpackedBytes }: ReportLimits, line: number): ReportFault {
  return new ReportFault(`The report is larger than ${Math.floor(unpackedBytes / 1e6).toLocaleString('en-US')} MB.`, {
    line,
    hint: 'If it is right, raise KEYRANK_IMPORT_MAX_MB.',
  });
}

function gzipError(error: unknown, line: number): unknown {
  const code = errorCode(error);
  if (!code?.startsWith('Z_')) return error;
  const what = code === 'Z_BUF_ERROR' ? 'ends too early' : 'is damaged';
  return new ReportFault(`The gzip file ${what}.`, { line, hint: 'Download it again.', cause: error });
}
