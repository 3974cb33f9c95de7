import type { FastifyReply } from 'fastify';
import { RequestError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import { errorStatus, failureHeaders, internalError, presentFailure } from './envelope.ts';
import { STANDARD_HEADERS } from './malformed-http.ts';

/** `fields` is what the endpoint, if there is one, puts beside data and error. */
export function sendFailure(
  reply: FastifyReply,
  failure: RequestError,
  fields: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  return reply
    .code(errorStatus(failure.code))
    .headers({ ...STANDARD_HEADERS, ...failureHeaders(failure), ...headers, 'x-request-id': reply.request.id })
    .type('application/json; charset=utf-8')
    .send(presentFailure(failure, fields));
}

export function isFrameworkError(error: unknown): boolean {
  return errorCode(error)?.startsWith('FST_ERR') === true;
}

/** Fastify's own refusals in our words. */
export function frameworkFailure(error: unknown): RequestError {
  switch (errorCode(error)) {
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RequestError('BAD_REQUEST', 'The request is not well-formed.', 'Check the path and the headers.');
    default:
      return internalError();
  }
}
