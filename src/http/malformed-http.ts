// What Node's HTTP parser rejects on its own would be answered with an empty body. These answers have the envelope too.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, RequestError } from '../domain/error.ts';
import { errorStatus, presentFailure } from './envelope.ts';

/** Headers of every answer, whatever it is. */
export const STANDARD_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

interface ParserFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

const PARSER_FAULTS: Readonly<Record<string, ParserFault>> = {
  HPE_INVALID_URL: {
    code: 'BAD_REQUEST',
    message: 'The address has characters that must be percent-encoded.',
    hint: 'Encode everything but plain ASCII; with curl: -G --data-urlencode "query=café".',
  },
  HPE_HEADER_OVERFLOW: {
    code: 'HEADERS_TOO_LARGE',
    message: 'The request line and headers are too large.',
    hint: 'Send fewer or smaller headers, such as cookies, and a shorter address.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The chunk extensions of the body are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'REQUEST_TIMEOUT',
    message: 'The request did not arrive in time.',
    hint: 'Send it again, without pauses.',
  },
};

const ANY_FAULT: ParserFault = { code: 'BAD_REQUEST', message: 'The request is not well-formed HTTP.' };

/** For the server's clientError event: there is no request yet, only a socket. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawAnswer(PARSER_FAULTS[error.code ?? ''] ?? ANY_FAULT));
  // A client that keeps writing after its broken request would hold the socket open.
  socket.destroySoon();
}

/** For a connection that there is no place for. */
export function refuseConnection(socket: Socket): void {
  const fault: ParserFault = {
    code: 'SERVICE_UNAVAILABLE',
    message: 'There are too many connections.',
    hint: 'Try again after the number of seconds in the Retry-After header.',
  };
  socket.on('error', () => socket.destroy());
  socket.end(rawAnswer(fault, ['retry-after: 1']));
  socket.destroySoon();
}

/** What is wrong with a message that the parser took. */
export function checkHost({ headers, rawHeaders, httpVersion, url = '' }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  if (hosts.length > 1) {
    // Two readers of the message could take it for requests to different hosts.
    throw new RequestError('BAD_REQUEST', 'There is more than one Host header.', 'Send exactly one Host header.');
  }
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new RequestError('BAD_REQUEST', 'The Host header is missing.', 'HTTP/1.1 requires a Host header.');
  }
  const target = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (target !== undefined && headers.host !== undefined && target.toLowerCase() !== headers.host.toLowerCase()) {
    throw new RequestError(
      'BAD_REQUEST',
      'The address of the request and the Host header name different hosts.',
      'Send the path alone, or the same host in both.',
    );
  }
}

/** Answers that Node gives by itself outside of any route: a wrong Expect header, a CONNECT. */
export function answerUnroutable(server: Server): void {
  // Whoever asks whether to send a body is told when it is read, and not before the key was checked.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const failure = new RequestError(
      'EXPECTATION_FAILED',
      'The Expect header asks for something this service does not do.',
      'Leave the Expect header out.',
    );
    const body = presentFailure(failure);
    request.resume();
    response.writeHead(errorStatus(failure.code), {
      ...STANDARD_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': randomUUID(),
      connection: 'close',
    });
    response.end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(rawAnswer({ code: 'METHOD_NOT_ALLOWED', message: 'CONNECT is not served here.' }, ['allow: GET']));
  });
}

function rawAnswer(
  { code, message, hint = 'Use an HTTP client library to build the request.' }: ParserFault,
  extraHeaders: readonly string[] = [],
): string {
  const body = presentFailure(new RequestError(code, message, hint));
  const status = errorStatus(code);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(STANDARD_HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...extraHeaders,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
