// Fetches the body of a report into one file, as it comes: packed bodies stay packed, and nothing but a piece of it is in memory. What
// was cut is continued where it ended, also by another server, as long as it is the same file at Amazon.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { ifMissing } from '../domain/error-code.ts';
import { AmazonFault, noAnswer, quote } from './amazon-fault.ts';
import type { ReportsClient } from './reports-client.ts';

export interface BodyRequest {
  readonly client: Pick<ReportsClient, 'openBody'>;
  readonly url: URL;
  /** Of this body alone. */
  readonly directory: string;
  readonly fileName: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** For tests. */
  readonly paceWindowMs?: number;
}

/** So many bytes in so long a time at least. */
const MIN_PACE_BYTES = 500_000;
const PACE_WINDOW_MS = 120_000;
const PART_PREFIX = 'part-';
const NO_TAG = 'none';
/** Of a message about a failure. */
const MAX_NOTE_BYTES = 64 * 1024;

/** The finished file, if it was fetched before. */
export async function findBody({
  directory,
  fileName,
}: Pick<BodyRequest, 'directory' | 'fileName'>): Promise<string | undefined> {
  const path = join(directory, fileName);
  const found = await stat(path).catch(ifMissing(undefined));
  return found ? path : undefined;
}

/** Of all finished files, below the folder that has one folder for each. */
export async function countBodyBytes(directory: string): Promise<number> {
  let bytes = 0;
  for (const folder of await readdir(directory).catch(() => [])) {
    for (const name of await readdir(join(directory, folder)).catch(() => [])) {
      // Another server may be removing it.
      const found = name.startsWith(PART_PREFIX)
        ? undefined
        : await stat(join(directory, folder, name)).catch(() => undefined);
      bytes += found?.size ?? 0;
    }
  }
  return bytes;
}

export async function fetchBody(request: BodyRequest): Promise<void> {
  const { client, url, directory, signal } = request;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const part = await findPart(directory);
  const answer = await client.openBody(url, { fromByte: part?.sizeBytes ?? 0, signal });
  const { statusCode } = answer;
  if (statusCode === 206 && part && tagOf(answer) === part.tag && firstByteOf(answer) === part.sizeBytes) {
    return await receive(request, answer, part);
  }
  if (part && (statusCode === 206 || statusCode === 416)) {
    // Another file than the one that was begun, or one that is as long as what came of it: from the start.
    answer.destroy();
    await rm(join(directory, part.name), { force: true });
    return await fetchBody(request);
  }
  if (statusCode !== 200) throw refusal(answer);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const tag = tagOf(answer);
  await receive(request, answer, { name: `${PART_PREFIX}${tag}`, tag, sizeBytes: 0 });
}

/** The beginning of a short body, unpacked, in words for people. */
export async function readNote(client: Pick<ReportsClient, 'openBody'>, url: URL): Promise<string> {
  const answer = await client.openBody(url, { fromByte: 0 });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_NOTE_BYTES) break;
  }
  if (answer.statusCode !== 200) return '';
  const bytes = Buffer.concat(chunks);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_NOTE_BYTES }) : bytes).toString('utf8');
  return quote(/"errorDetails"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text);
}

interface Part {
  readonly name: string;
  /** Of the file at Amazon. */
  readonly tag: string;
  readonly sizeBytes: number;
}

async function findPart(directory: string): Promise<Part | undefined> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(PART_PREFIX)) continue;
    const tag = name.slice(PART_PREFIX.length);
    const { size: sizeBytes } = await stat(join(directory, name));
    if (tag !== NO_TAG && sizeBytes > 0) return { name, tag, sizeBytes };
  }
  return undefined;
}

async function receive(request: BodyRequest, answer: IncomingMessage, part: Part): Promise<void> {
  const { directory, fileName, maxBytes, signal } = request;
  const path = join(directory, part.name);
  let sizeBytes = part.sizeBytes;
  const pace = new Pace(request.paceWindowMs ?? PACE_WINDOW_MS);
  const guard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      if (!pace.keeps(chunk.length)) return done(new AmazonFault('cut', 'it came too slowly.'));
      if (sizeBytes <= maxBytes) return done(null, chunk);
      const limit = Math.floor(maxBytes / 1e6).toLocaleString('en-US');
      done(
        new AmazonFault(
          'declined',
          `The file is larger than ${limit} MB: raise KEYRANK_IMPORT_MAX_MB if that is right.`,
        ),
      );
    },
  });
  try {
    await pipeline(answer, guard, createWriteStream(path, { flags: 'a', mode: 0o600 }), {
      ...(signal && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AmazonFault) throw error;
    if (isOfDisk(error)) throw error;
    throw new AmazonFault('cut', noAnswer(error));
  }
  const expectedBytes = wholeSizeOf(answer);
  if (expectedBytes !== undefined && sizeBytes !== expectedBytes) {
    throw new AmazonFault(
      'cut',
      `${sizeBytes.toLocaleString('en-US')} of ${expectedBytes.toLocaleString('en-US')} bytes came.`,
    );
  }
  await using file = await open(path, 'r+');
  // Somebody else may have written to it.
  if ((await file.stat()).size !== sizeBytes) {
    await rm(path, { force: true });
    throw new AmazonFault('cut', 'the file on disk is not what came.');
  }
  await file.sync();
  await rename(path, join(directory, fileName));
}

/** Whether enough comes: a body in drops would keep the others waiting for days. What came so far is continued later. */
class Pace {
  readonly #windowMs: number;
  #startedMs = performance.now();
  #bytes = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  keeps(bytes: number): boolean {
    this.#bytes += bytes;
    if (performance.now() - this.#startedMs < this.#windowMs) return true;
    const isEnough = this.#bytes >= MIN_PACE_BYTES;
    this.#startedMs = performance.now();
    this.#bytes = 0;
    return isEnough;
  }
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && /^(open|write|ftruncate)/.test(String(error.syscall));
}

function refusal(answer: IncomingMessage): AmazonFault {
  const { statusCode } = answer;
  answer.destroy();
  if (statusCode === 403) return new AmazonFault('address-expired', 'the storage answered 403.');
  if (statusCode === 404 || statusCode === 410) return new AmazonFault('gone', `the storage answered ${statusCode}.`);
  return new AmazonFault('unavailable', `the storage answered ${statusCode}.`);
}

/** A name for the version of the file at Amazon. */
function tagOf({ headers }: IncomingMessage): string {
  const { etag } = headers;
  return typeof etag === 'string' && etag !== ''
    ? createHash('sha256').update(etag).digest('hex').slice(0, 16)
    : NO_TAG;
}

function firstByteOf({ headers }: IncomingMessage): number | undefined {
  const match = /^bytes (\d+)-/.exec(String(headers['content-range'] ?? ''));
  return match ? Number(match[1]) : undefined;
}

function wholeSizeOf({ statusCode, headers }: IncomingMessage): number | undefined {
  const text =
    statusCode === 206 ? /\/(\d+)$/.exec(String(headers['content-range'] ?? ''))?.[1] : headers['content-length'];
  return typeof text === 'string' ? Number(text) : undefined;
}
