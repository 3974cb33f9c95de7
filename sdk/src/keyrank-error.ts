import type { Error as WireError } from './generated/types.gen.ts';

/** The API's own codes, and those of what happens on this side of the wire. */
export type KeyrankErrorCode =
  | WireError['code']
  | 'UNREACHABLE'
  | 'UNEXPECTED_ANSWER'
  | 'INVALID_WEBHOOK'
  | 'NO_API_KEY';

export interface KeyrankErrorDetails {
  readonly code: KeyrankErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly docs?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Whatever goes wrong, except that a request given up by its signal ends with the signal's own reason, as with `fetch`. */
export class KeyrankError extends Error {
  override readonly name = 'KeyrankError';
  readonly code: KeyrankErrorCode;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** Address of the page about this code. */
  readonly docs: string | undefined;
  /** Of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Stands in the service's log too. */
  readonly requestId: string | undefined;
  /** When the service said how long to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message, hint, docs, status, requestId, retryAfterSeconds, cause }: KeyrankErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.docs = docs;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The error that an answer with a failing status stands for. */
export async function readError(response: Response): Promise<KeyrankError> {
  const about = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  };
  const body: unknown = await response.json().catch(() => null);
  const error = isObject(body) && isObject(body.error) ? (body.error as Partial<WireError>) : {};
  if (error.code === undefined || error.message === undefined)
    return new KeyrankError({ ...unexpected(about.status), ...about });
  const docs = error.docs === undefined ? undefined : new URL(error.docs, response.url).href;
  return new KeyrankError({ code: error.code, message: error.message, hint: error.hint, docs, ...about });
}

function unexpected(status: number) {
  return {
    code: 'UNEXPECTED_ANSWER',
    message: `The answer has status ${status} and is not one of keyrank.`,
    hint: 'Check that baseUrl is the address of the service itself, and what stands between.',
  } as const;
}

/** An answer that no keyrank gives, such as the page of a proxy. */
export function unexpectedAnswer({ status }: Response): KeyrankError {
  return new KeyrankError({ ...unexpected(status), status });
}

/** Seconds, or the date that a proxy may give instead. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
