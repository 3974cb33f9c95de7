// The six requests of S3 that keyrank needs, for any service that speaks it. Signatures are aws4fetch's; bodies are streams. What may
// pass is tried again, with backoff and jitter; every attempt has a deadline by the bytes it moves. The digest of a body is signed, so
// that the service refuses one that was damaged on its way.
import { once } from 'node:events';
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as requestPlainly,
} from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { errorCode, errorMessage } from '../domain/error-code.ts';
import { type StoredObject, StoreFault } from '../domain/file-store.ts';
import { addressOf, nameLocation, type S3Access, type S3Location } from './s3-location.ts';
import { readElement, readElements } from './s3-xml.ts';

/** In which nothing moves on a connection, also while it is made. */
const SILENCE_LIMIT_MS = 30_000;
/** Slower ones are cut; what came of a download is kept. */
const MIN_BYTES_PER_MS = 50;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_ATTEMPTS = 6;
const MAX_RETRY_MS = 8_000;
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export interface S3Options {
  readonly access: S3Access;
  readonly location: S3Location;
  /** The first pause before another attempt. */
  readonly minRetryMs?: number;
}

/** Bytes of a known digest, opened anew for each attempt. */
export interface SentBody {
  readonly open: () => Readable | Buffer;
  readonly sizeBytes: number;
  readonly sha256: string;
}

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  /** Below the prefix; undefined: the bucket itself. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SentBody;
  /** Of an answer's body. */
  readonly answerBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

interface S3Answer {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export class S3Client {
  readonly location: string;
  readonly #options: S3Options;
  readonly #minRetryMs: number;
  readonly #agents = {
    'http:': { agent: new PlainAgent({ keepAlive: true }), request: requestPlainly },
    'https:': { agent: new SecureAgent({ keepAlive: true }), request: requestSecurely },
  };

  constructor(options: S3Options) {
    this.#options = options;
    this.location = nameLocation(options.location);
    this.#minRetryMs = options.minRetryMs ?? 250;
  }

  async put(name: string, body: SentBody, signal?: AbortSignal): Promise<void> {
    await this.#ask({ method: 'PUT', name, body, signal });
  }

  async beginUpload(name: string, signal?: AbortSignal): Promise<string> {
    const { text } = await this.#ask({ method: 'POST', name, query: { uploads: '' }, signal });
    return this.#required(readElement(text, 'UploadId'), name);
  }

  async putPart(name: string, part: { uploadId: string; number: number; body: SentBody }, signal?: AbortSignal) {
    const query = { partNumber: String(part.number), uploadId: part.uploadId };
    const { headers } = await this.#ask({ method: 'PUT', name, query, body: part.body, signal });
    return this.#required(typeof headers.etag === 'string' ? headers.etag : undefined, name);
  }

  async endUpload(name: string, upload: { uploadId: string; body: SentBody }, signal?: AbortSignal): Promise<void> {
    const query = { uploadId: upload.uploadId };
    const { text } = await this.#ask({ method: 'POST', name, query, body: upload.body, signal });
    // A failure may come after the status 200 was sent.
    if (/<Error[ >]/.test(text)) throw this.#fault({ status: 500, code: readElement(text, 'Code'), name });
  }

  /** What was sent of an upload is forgotten. That it could not be told so is no failure: services end old ones by themselves. */
  async dropUpload(name: string, uploadId: string): Promise<void> {
    await this.#attempt({ method: 'DELETE', name, query: { uploadId } }).catch(() => {});
  }

  async remove(name: string): Promise<void> {
    await this.#ask({ method: 'DELETE', name });
  }

  /** A small object; undefined when there is none. */
  async find(name: string): Promise<string | undefined> {
    try {
      return (await this.#ask({ method: 'GET', name })).text;
    } catch (error) {
      if (error instanceof StoreFault && error.kind === 'lost') return undefined;
      throw error;
    }
  }

  async list(folder: string): Promise<readonly StoredObject[]> {
    const { prefix } = this.#options.location;
    const found: StoredObject[] = [];
    for (let isWhole = false, last = ''; !isWhole; ) {
      const query = {
        'list-type': '2',
        prefix: prefix + folder,
        ...(last && { 'start-after': last }),
      };
      const { text } = await this.#ask({ method: 'GET', query });
      const entries = readElements(text, 'Contents');
      for (const entry of entries) {
        last = readElement(entry, 'Key') ?? '';
        found.push({ name: last.slice(prefix.length), sizeBytes: Number(readElement(entry, 'Size')) });
      }
      isWhole = entries.length === 0 || readElement(text, 'IsTruncated') !== 'true';
    }
    return found;
  }

  /** The bytes of an object from one on, in one attempt. The caller reads them to their end or destroys them. */
  async open(
    name: string,
    { fromByte, sizeBytes, signal }: { fromByte: number; sizeBytes: number; signal?: AbortSignal | undefined },
  ): Promise<{ readonly fromByte: number; readonly body: Readable }> {
    const headers: Record<string, string> = fromByte > 0 ? { range: `bytes=${fromByte}-` } : {};
    const answer = await this.#send({ method: 'GET', name, headers, answerBytes: sizeBytes - fromByte, signal });
    const isPart =
      answer.statusCode === 206 && String(answer.headers['content-range']).startsWith(`bytes ${fromByte}-`);
    if (answer.statusCode === 200 || isPart) return { fromByte: isPart ? fromByte : 0, body: answer };
    throw await this.#readFault(answer, name);
  }

  /** Runs attempts until one succeeds, fails for good, or too many have failed without getting on. */
  async retry<T>(attempt: () => Promise<T>, options: { signal?: AbortSignal | undefined; gotOn?: () => boolean } = {}) {
    for (let failures = 0; ; ) {
      options.signal?.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        options.signal?.throwIfAborted();
        failures = options.gotOn?.() ? 1 : failures + 1;
        if (!(error instanceof StoreFault) || error.kind !== 'unreachable' || failures >= MAX_ATTEMPTS) throw error;
        const pauseMs = Math.min(MAX_RETRY_MS, this.#minRetryMs * 2 ** (failures - 1));
        await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, options.signal && { signal: options.signal });
      }
    }
  }

  async #ask(asked: S3Request): Promise<S3Answer> {
    return await this.retry(() => this.#attempt(asked), { signal: asked.signal });
  }

  async #attempt(asked: S3Request): Promise<S3Answer> {
    const answer = await this.#send(asked);
    if ((answer.statusCode ?? 500) >= 300) throw await this.#readFault(answer, asked.name);
    return { headers: answer.headers, text: await this.#readText(answer, asked.name) };
  }

  async #send({ method, name, query = {}, headers = {}, body, answerBytes = 0, signal }: S3Request) {
    const { access, location } = this.#options;
    const url = addressOf(access, location, name === undefined ? '' : location.prefix + name);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const { accessKeyId, secretAccessKey, sessionToken, region } = access;
    const signed = await new AwsV4Signer({
      ...{ method, url: url.href, service: 's3', region, accessKeyId, secretAccessKey },
      ...(sessionToken && { sessionToken }),
      headers: { ...headers, 'x-amz-content-sha256': body?.sha256 ?? EMPTY_SHA256 },
    }).sign();
    const limitMs = SILENCE_LIMIT_MS + Math.ceil(((body?.sizeBytes ?? 0) + answerBytes) / MIN_BYTES_PER_MS);
    const deadline = AbortSignal.timeout(limitMs);
    const until = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const { agent, request } = this.#agents[signed.url.protocol === 'http:' ? 'http:' : 'https:'];
    const asking = request(signed.url, {
      ...{ method, agent, signal: until, timeout: SILENCE_LIMIT_MS },
      headers: { ...Object.fromEntries(signed.headers), 'content-length': body?.sizeBytes ?? 0 },
    });
    asking.on('timeout', () => asking.destroy(new Error('nothing came for too long')));
    // What goes wrong is told by what waits for it; later on by the body.
    asking.on('error', () => {});
    try {
      const answered = once(asking, 'response') as Promise<[IncomingMessage]>;
      // An answer may come before all is sent, and end the sending: then it is the answer that counts.
      const sent = send(body, asking);
      answered.catch(() => {});
      const [answer] = await Promise.race([answered, sent.then(() => answered)]);
      sent.catch(() => {});
      answer.on('error', () => {});
      return answer;
    } catch (error) {
      asking.destroy();
      signal?.throwIfAborted();
      throw this.noAnswer(name, deadline.aborted ? deadline.reason : error);
    }
  }

  async #readText(answer: IncomingMessage, name: string | undefined): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
        chunks.push(chunk);
      }
    } catch (error) {
      throw this.noAnswer(name, error);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  async #readFault(answer: IncomingMessage, name: string | undefined): Promise<StoreFault> {
    const text = await this.#readText(answer, name).catch(() => '');
    return this.#fault({ status: answer.statusCode ?? 500, code: readElement(text, 'Code'), name });
  }

  #required(value: string | undefined, name: string): string {
    if (value) return value;
    throw this.#fault({ status: 500, code: 'an answer that is not one', name });
  }

  /** Of what the service says, only its code is passed on: its messages may repeat what was signed. */
  #fault({ status, code, name }: { status: number; code: string | undefined; name: string | undefined }): StoreFault {
    const said = `${this.#nameOf(name)}: the object storage answered ${status}${code ? ` (${code.slice(0, 60)})` : ''}.`;
    const isBucketMissing = code === 'NoSuchBucket';
    // 416: it is shorter than it should be.
    if ((status === 404 && !isBucketMissing) || status === 416) return new StoreFault('lost', said);
    const mayPass = status >= 500 || status === 429 || status === 408 || code === 'RequestTimeout';
    // Damaged on its way there.
    if (mayPass || /Sha256Mismatch|BadDigest|IncompleteBody/i.test(code ?? ''))
      return new StoreFault('unreachable', said);
    return new StoreFault('refused', said, { hint: isBucketMissing ? MISSING_BUCKET : hintFor(code) });
  }

  /** The service could not be reached, was silent, too slow, or broke off. */
  noAnswer(name: string | undefined, cause: unknown): StoreFault {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError';
    const why = isLate ? 'it was too slow' : (errorCode(cause) ?? errorMessage(cause));
    return new StoreFault('unreachable', `${this.#nameOf(name)}: the object storage gave no whole answer: ${why}.`, {
      hint: 'Look whether KEYRANK_STORAGE_ENDPOINT can be reached from here, and try again.',
    });
  }

  #nameOf(name: string | undefined): string {
    return name === undefined ? this.location : `${this.location}/${name}`;
  }
}

const MISSING_BUCKET = 'Make the bucket first, or mend KEYRANK_STORAGE.';

function hintFor(code: string | undefined): string {
  if (code === 'RequestTimeTooSkewed') return 'Set the clock of this machine right.';
  if (/Region|Malformed|PermanentRedirect/i.test(code ?? '')) {
    return 'Set KEYRANK_STORAGE_REGION and KEYRANK_STORAGE_ENDPOINT to those of the bucket.';
  }
  return 'Check KEYRANK_STORAGE_ACCESS_KEY_ID and KEYRANK_STORAGE_SECRET_ACCESS_KEY, and what they may do in the bucket.';
}

async function send(body: SentBody | undefined, asking: Writable): Promise<void> {
  const opened = body?.open();
  if (opened instanceof Readable) await pipeline(opened, asking);
  else asking.end(opened);
}
