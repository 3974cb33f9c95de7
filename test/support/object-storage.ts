// A real S3 server, which checks signatures, behind a stand-in for the network that can go wrong on the way. What S3 does and this server
// does not, comparing a body with its signed digest, is done on the way too.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openTemporaryDirectory } from './temporary-directory.ts';

const require = createRequire(import.meta.url);
const S3rver = require('@20minutes/s3rver') as new (
  options: object,
) => { run(): Promise<{ port: number }>; close(): Promise<void> };
const { DUMMY_ACCOUNT } = require('@20minutes/s3rver/lib/models/account') as {
  DUMMY_ACCOUNT: { createKeyPair(id: string, secret: string): void };
};

export const BUCKET = 'ranks';
export const ACCESS_KEY_ID = 'KEYRANKTESTKEY';
export const SECRET_ACCESS_KEY = 'a/secret+that=nobody/may/see0123456789abc';

/** What goes wrong with a request. */
export type StorageTrouble =
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  /** The connection breaks off in the middle of the answer, or before it when that is short. */
  | { readonly kind: 'cut' }
  /** A bit of the answer is another. */
  | { readonly kind: 'wrong-answer' }
  /** A bit of what is sent is another. */
  | { readonly kind: 'wrong-body' }
  /** Nothing comes for so long. */
  | { readonly kind: 'slow'; readonly ms: number };

export interface StorageRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface ObjectStorage extends AsyncDisposable {
  readonly url: string;
  /** Where objects lie on disk. */
  readonly directory: string;
  readonly requests: StorageRequest[];
  /** Asked of every request; undefined: it goes well. */
  trouble: ((request: StorageRequest) => StorageTrouble | undefined) | undefined;
  /** Lists come in pieces of so many objects. */
  pageSize: number;
  /** What a keyrank needs to use it. */
  settings(prefix: string): Record<string, string>;
}

export async function openObjectStorage(): Promise<ObjectStorage> {
  const directory = await openTemporaryDirectory();
  DUMMY_ACCOUNT.createKeyPair(ACCESS_KEY_ID, SECRET_ACCESS_KEY);
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: directory.path },
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  const front = createServer((incoming, answer) => void forward(incoming, answer).catch(() => answer.destroy()));
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const address = front.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const storage: ObjectStorage = {
    url,
    directory: join(directory.path, BUCKET),
    requests: [],
    trouble: undefined,
    pageSize: 1_000,
    settings: (prefix) => ({
      KEYRANK_STORAGE: `s3://${BUCKET}/${prefix}`,
      KEYRANK_STORAGE_ENDPOINT: url,
      KEYRANK_STORAGE_ACCESS_KEY_ID: ACCESS_KEY_ID,
      KEYRANK_STORAGE_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY,
    }),
    [Symbol.asyncDispose]: async () => {
      front.closeAllConnections();
      front.close();
      await server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
  return storage;

  async function forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const asked = { method, path, headers };
    storage.requests.push(asked);
    const trouble = storage.trouble?.(asked);
    const body = await readAll(incoming);
    if (trouble?.kind === 'status') return refuse(answer, trouble);
    if (trouble?.kind === 'wrong-body') flip(body);
    if (trouble?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, trouble.ms));
    const signed = headers['x-amz-content-sha256'];
    if (signed !== 'UNSIGNED-PAYLOAD' && signed !== createHash('sha256').update(body).digest('hex')) {
      return refuse(answer, { status: 400, code: 'XAmzContentSHA256Mismatch' });
    }
    const passed = request({ host: '127.0.0.1', port, method, path, headers: { ...headers, connection: 'close' } });
    passed.end(body);
    const [given] = (await once(passed, 'response')) as [IncomingMessage];
    const whole = await readAll(given);
    const bytes = path.includes('list-type=2') ? cutList(whole, storage.pageSize) : whole;
    if (bytes !== whole) given.headers['content-length'] = String(bytes.length);
    if (trouble?.kind === 'wrong-answer') flip(bytes);
    if (trouble?.kind === 'cut' && bytes.length < 2) return void answer.destroy();
    answer.writeHead(given.statusCode ?? 500, given.headers);
    if (trouble?.kind !== 'cut') return void answer.end(bytes);
    answer.write(bytes.subarray(0, bytes.length >> 1), () => answer.destroy());
  }
}

function refuse(answer: ServerResponse, { status, code }: { readonly status: number; readonly code: string }): void {
  const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${SECRET_ACCESS_KEY}</Message></Error>`;
  answer.writeHead(status, { 'content-type': 'application/xml' }).end(text);
}

/** The server cannot do so itself: it makes tokens with a cipher that OpenSSL does not have any more. */
function cutList(answer: Buffer, pageSize: number): Buffer {
  const entries = answer.toString().match(/<Contents>.*?<\/Contents>/g) ?? [];
  if (entries.length <= pageSize) return answer;
  const shown = entries.slice(0, pageSize).join('');
  return Buffer.from(`<ListBucketResult><IsTruncated>true</IsTruncated>${shown}</ListBucketResult>`);
}

function flip(bytes: Buffer): void {
  if (bytes.length > 0) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
