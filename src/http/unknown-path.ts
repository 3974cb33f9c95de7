import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../domain/error.ts';
import { sendFailure } from './failure-reply.ts';
import { sendUnknownView, type WebFiles } from './web-files.ts';

/** What an {id} in a path looks like: whatever looks otherwise is no path of ours. */
export const ITEM_ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const ITEM_ID_PART = new RegExp(`^${ITEM_ID}$`);

/** Methods by path, with path parameters in braces. */
export type MethodsByPath = ReadonlyMap<string, ReadonlySet<string>>;

export interface UnknownPathOptions {
  readonly reply: FastifyReply;
  readonly methodsByPath: MethodsByPath;
  /** With the page, which says in words that there is nothing. */
  readonly webFiles: WebFiles;
}

/** What programs ask for, and never a person who mistyped an address. */
const PROGRAM_PATH = /^\/(v1|mcp|assets|oauth|\.well-known)(\/|$)/;

/** 404 where there is nothing, 405 where another method would be served. Browsers get the 404 as a page. */
export function answerUnknown(
  request: FastifyRequest,
  { reply, methodsByPath, webFiles }: UnknownPathOptions,
): FastifyReply {
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? '';
  const known = [...methodsByPath].find(([pattern]) => pathMatches(path, pattern));
  if (!known) {
    const isBrowser = request.method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? '');
    const page = isBrowser && !PROGRAM_PATH.test(path) ? sendUnknownView(request, reply, webFiles) : undefined;
    if (page) return page;
    return sendFailure(
      reply,
      new RequestError('NOT_FOUND', 'There is nothing at this path.', 'The paths are listed in /openapi.json.'),
    );
  }
  const allowed = [...known[1]].join(', ');
  reply.header('allow', allowed);
  return sendFailure(
    reply,
    new RequestError('METHOD_NOT_ALLOWED', `${request.method} is not served at this path.`, `Use ${allowed}.`),
  );
}

function pathMatches(path: string, pattern: string): boolean {
  const given = path.split('/');
  const expected = pattern.split('/');
  return (
    given.length === expected.length &&
    expected.every((part, index) => {
      const text = given[index] ?? '';
      if (part === '{id}') return ITEM_ID_PART.test(text);
      return part.startsWith('{') ? text !== '' : part === text;
    })
  );
}
