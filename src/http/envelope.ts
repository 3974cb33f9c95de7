// The one place that knows status codes. A failure is always {data: null, error: {code, message, hint?, docs}}, plus what
// an endpoint's own success shape puts in place of data.
import type { ErrorCode } from '../domain/error.ts';
import { RequestError } from '../domain/error.ts';

interface ErrorMeaning {
  readonly status: number;
  /** Why a caller meets this code, and what helps; shown on the page that `docs` links to. */
  readonly cause: string;
  readonly fix: string;
}

export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  INVALID_PARAMETERS: {
    status: 400,
    cause: 'A parameter is missing, unknown, given too often, or its value breaks a rule. Nothing was counted.',
    fix: 'The message names the parameter and the rule, the hint how to mend it.',
  },
  NO_ACTIVE_SUBSCRIPTION: {
    status: 400,
    cause: 'The organization of this key has no subscription that is active now.',
    fix: 'Ask the operator to activate one: keyrank organization set-plan NAME --plan pro --status active.',
  },
  BAD_REQUEST: {
    status: 400,
    cause: 'The message is not a well-formed HTTP request, or its body is not well-formed JSON.',
    fix: 'Use an HTTP client library; check what stands between the client and the service.',
  },
  UNAUTHORIZED: {
    status: 401,
    cause: 'The API key is missing, malformed, unknown, disabled or expired.',
    fix: 'Send the header "Authorization: Bearer <API_KEY>" with a valid key.',
  },
  FORBIDDEN: {
    status: 403,
    cause: 'The key is valid, but lacks the scope that this endpoint needs.',
    fix: 'Use a key with that scope; the operator makes one with keyrank key create --scopes.',
  },
  NOT_FOUND: {
    status: 404,
    cause: 'There is nothing at this path, or no such item that belongs to the caller.',
    fix: 'Compare the path with /openapi.json.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    cause: 'The path exists, but not for this method.',
    fix: 'Use one of the methods in the Allow header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    cause: 'The request did not arrive completely in time.',
    fix: 'Send it again, over a faster connection or without pauses.',
  },
  CONFLICT: {
    status: 409,
    cause: 'The item exists already, a limit is reached, or the Idempotency-Key was used for another request.',
    fix: 'Nothing was changed. The message says which of them it is, the hint what to do.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    cause: 'The body is larger than the service accepts.',
    fix: 'Split it into several requests.',
  },
  URI_TOO_LONG: {
    status: 414,
    cause: 'The path and query string together are too long.',
    fix: 'Give fewer or shorter values and split the request.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    cause: 'The Expect header asks for something other than 100-continue.',
    fix: 'Leave the Expect header out.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    cause:
      'The organization has used up its searches of the last hour, its changes of the last minute, or its exports at one time.',
    fix: 'Wait as many seconds as the Retry-After header says. A larger plan raises the hourly limit at once.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    cause: 'The request line and headers together are too large.',
    fix: 'Send fewer or smaller headers, such as cookies.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    cause: 'A defect in the service. It was logged with the request id.',
    fix: 'Try again later; report the X-Request-Id if it stays.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    cause: 'The service is overloaded, starting, stopping, or cannot reach its database.',
    fix: 'Try again after the seconds in the Retry-After header.',
  },
};

export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly docs: string;
}

export function errorStatus(code: ErrorCode): number {
  return ERROR_MEANINGS[code].status;
}

/** The JSON of a failure. */
export function presentFailure(error: RequestError, fields: Readonly<Record<string, unknown>> = {}): string {
  const body: ErrorBody = {
    code: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    docs: `/docs/errors#${error.code}`,
  };
  return JSON.stringify({ data: null, ...fields, error: body });
}

/** What a failure says beside its body. */
export function failureHeaders({ code, retryAfterSeconds }: RequestError): Readonly<Record<string, string>> {
  return {
    ...(code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  };
}

/** One body for every way in which a key can be no key, so that nothing can be learned from it. */
export function unauthorized(): RequestError {
  return new RequestError(
    'UNAUTHORIZED',
    'A valid API key is required.',
    'Send the header "Authorization: Bearer <API_KEY>" with a key that is enabled and not expired.',
  );
}

/** The caller has no such item, whether or not someone else does. */
export function noSuchItem(item: string): RequestError {
  return new RequestError('NOT_FOUND', `There is no ${item} with this id.`, 'List them to see their ids.');
}

export function serviceUnavailable(): RequestError {
  return new RequestError(
    'SERVICE_UNAVAILABLE',
    'The service cannot answer right now.',
    'Try again after the number of seconds in the Retry-After header.',
    { retryAfterSeconds: 1 },
  );
}

export function internalError(): RequestError {
  return new RequestError(
    'INTERNAL_SERVER_ERROR',
    'The service failed to answer this request.',
    'Try again later; if it stays, report the X-Request-Id of this answer to the operator.',
  );
}
