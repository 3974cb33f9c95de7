// OAuth has its own forms of answers: JSON without our envelope for programs, pages for people.
import type { FastifyReply } from 'fastify';

/** A failure in the words of RFC 6749, 7591 and 8707. */
export class OAuthFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    options: { readonly status?: number; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.status = options.status ?? 400;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function sendJson(reply: FastifyReply, body: object, status = 200): FastifyReply {
  // Clients in browsers ask from their own origin; nothing here goes by cookies.
  return reply
    .code(status)
    .header('access-control-allow-origin', '*')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

export function sendOAuthFailure(reply: FastifyReply, failure: OAuthFailure): FastifyReply {
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
  return sendJson(reply, { error: failure.code, error_description: failure.message }, failure.status);
}

/** One value of each name; a name given twice is no request. */
export function readFields(params: URLSearchParams): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of params) {
    if (fields.has(name)) throw new OAuthFailure('invalid_request', `'${name.slice(0, 40)}' is given more than once.`);
    fields.set(name, value);
  }
  return fields;
}

export function requiredField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value !== undefined && value !== '') return value;
  throw new OAuthFailure('invalid_request', `'${name}' is missing.`);
}
