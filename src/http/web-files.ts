// The page: what the build made of web/, read once and served from memory in the form that was compressed then.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OperatorError } from '../domain/error.ts';

/** Every view has an address of its own, and all of them are one document. */
export const VIEW_PATHS = [
  '/',
  '/keyword',
  '/product',
  '/brand',
  '/trends',
  '/tracked',
  '/lists',
  '/account',
  '/team',
  '/periods',
  '/connections',
  '/imports',
  '/lookup',
] as const;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const REFERENCE_PATH = '/docs';

/** Nothing inline, nothing from elsewhere, and nobody may frame it. */
const PAGE_POLICY = policy("'self'");
/** The reference brings its styles in its script. */
const REFERENCE_POLICY = policy("'self' 'unsafe-inline'");

function policy(styles: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

type Encoding = 'br' | 'gzip' | 'identity';

interface FileForm {
  readonly encoding: Encoding;
  readonly bytes: Buffer;
  readonly etag: string;
}

interface WebFile {
  readonly contentType: string;
  /** The best one first; the last is the plain one. */
  readonly forms: readonly FileForm[];
}

/** By path below the folder, such as `assets/app-1a2b.js`. */
export type WebFiles = ReadonlyMap<string, WebFile>;

export async function openWebFiles(directory: string): Promise<WebFiles> {
  const names = await readdir(directory, { recursive: true }).catch((cause: unknown) => {
    throw new OperatorError(`The web page is missing from ${directory}.`, { hint: 'Run npm run build.', cause });
  });
  const files = names
    .map((name) => name.replaceAll('\\', '/'))
    .flatMap((name) => {
      const contentType = CONTENT_TYPES[extname(name)];
      if (contentType === undefined) return [];
      return [openForms(join(directory, name)).then((forms) => [name, { contentType, forms }] as const)];
    });
  return new Map(await Promise.all(files));
}

function openForms(path: string): Promise<readonly FileForm[]> {
  return Promise.all([openForm(`${path}.br`, 'br'), openForm(`${path}.gz`, 'gzip'), openForm(path, 'identity')]);
}

async function openForm(path: string, encoding: Encoding): Promise<FileForm> {
  return makeForm(await readFile(path), encoding);
}

function makeForm(bytes: Buffer, encoding: Encoding): FileForm {
  return { encoding, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** A document that is made at the start and served like a file. */
export function makeFile(text: string, contentType: string): WebFile {
  const bytes = Buffer.from(text);
  return { contentType, forms: [makeForm(gzipSync(bytes), 'gzip'), makeForm(bytes, 'identity')] };
}

export function registerWebFiles(app: FastifyInstance, files: WebFiles): void {
  const pages = [
    ...VIEW_PATHS.map((path) => ({ path, name: 'index.html', contentPolicy: PAGE_POLICY })),
    { path: REFERENCE_PATH, name: 'reference.html', contentPolicy: REFERENCE_POLICY },
  ];
  for (const { path, name, contentPolicy } of pages) {
    app.get(path, async (request, reply) => {
      const file = files.get(name);
      return file ? sendDocument(request, reply, { file, contentPolicy }) : reply.callNotFound();
    });
  }
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = files.get(`assets/${request.params.name}`);
    // Its name holds its checksum.
    return file
      ? sendFile(request, reply, { file, cacheControl: 'public, max-age=31536000, immutable' })
      : reply.callNotFound();
  });
}

/** For the link of a share: the page, which search engines leave alone and caches do not keep. */
export function openSharePage(files: WebFiles): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const page = files.get('index.html')?.forms.at(-1)?.bytes.toString() ?? '';
  const text = page.replace('<head>', '<head>\n    <meta name="robots" content="noindex, nofollow, noarchive" />');
  const file = makeFile(text, CONTENT_TYPES['.html'] ?? '');
  return (request, reply) => {
    reply.header('x-robots-tag', 'noindex, nofollow, noarchive');
    return sendDocument(request, reply, { file, contentPolicy: PAGE_POLICY, cacheControl: 'no-store' });
  };
}

/** For a path that is none: the page, which says so, with the status that it is. */
export function sendUnknownView(
  request: FastifyRequest,
  reply: FastifyReply,
  files: WebFiles,
): FastifyReply | undefined {
  const file = files.get('index.html');
  return file && sendDocument(request, reply.code(404), { file, contentPolicy: PAGE_POLICY });
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    file,
    contentPolicy,
    cacheControl = 'no-cache',
  }: { readonly file: WebFile; readonly contentPolicy: string; readonly cacheControl?: string },
): FastifyReply {
  reply.headers({ 'content-security-policy': contentPolicy, 'referrer-policy': 'no-referrer' });
  // The names of its scripts change with every build, so it is asked for again each time.
  return sendFile(request, reply, { file, cacheControl });
}

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, cacheControl }: { readonly file: WebFile; readonly cacheControl: string },
): FastifyReply {
  const accepted = acceptedEncodings(request.headers['accept-encoding']);
  const form = file.forms.find(({ encoding }) => accepted.has(encoding));
  if (!form) throw new Error('a file of the page has no plain form');
  const { encoding, bytes, etag } = form;
  reply.headers({ 'cache-control': cacheControl, etag, vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.contentType).send(bytes);
}

/** Names that the header offers and does not refuse with q=0; the plain form always goes. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const offers = String(header ?? '').split(',');
  const names = offers.filter((offer) => !/;\s*q=0(\.0*)?\s*$/.test(offer)).map((offer) => offer.split(';')[0]?.trim());
  return new Set([...names.flatMap((name) => name?.toLowerCase() ?? []), 'identity']);
}
