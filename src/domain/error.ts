// Failures that a caller or an operator can act on. Anything else that is thrown is a defect and is answered as one.

/** Spec 7 and the extra codes of docs/api-design.md. The list is closed: http/envelope.ts maps each one to a status. */
export const ERROR_CODES = [
  'INVALID_PARAMETERS',
  'NO_ACTIVE_SUBSCRIPTION',
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'URI_TOO_LONG',
  'EXPECTATION_FAILED',
  'RATE_LIMIT_EXCEEDED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What is wrong with a parameter. Whoever calls it otherwise, as the command line does, can say it in its own words. */
export interface ParameterFault {
  readonly name: string;
  /** What follows the name in the message, to the end of the sentence. */
  readonly fault: string;
  /** A value that would do. */
  readonly example?: string;
}

/** A request that cannot be answered as asked. Message and hint are one sentence each and safe to show. */
export class RequestError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** When it is worth trying again; for codes that carry a Retry-After header. */
  readonly retryAfterSeconds: number | undefined;
  /** Undefined where no parameter is at fault. */
  readonly parameter: ParameterFault | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    hint?: string,
    options: { readonly retryAfterSeconds?: number; readonly parameter?: ParameterFault } = {},
  ) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
    this.hint = hint;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.parameter = options.parameter;
  }
}

/** The hint is an example unless it is given. */
export function invalidParameter(parameter: ParameterFault, hint?: string): RequestError {
  const { name, fault, example } = parameter;
  const message = `Parameter '${name}' ${fault}`;
  return new RequestError('INVALID_PARAMETERS', message, hint ?? `Use for example ${name}=${example}.`, { parameter });
}

/** Something the operator must change: a setting, a file, a command. Printed without a stack trace; exit code 1. */
export class OperatorError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OperatorError';
    this.hint = options.hint;
  }
}

/** Why a server should get no requests for now, in words for whoever asks whether it is ready. */
export class NotReadyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NotReadyError';
  }
}
