// The one place that talks to the API. Answers to GET are kept for a while, so that going back costs neither time nor quota.
import { signal } from '@preact/signals';
import { apiKey, dropKey, isSession } from '../app/session.ts';
import { showToast } from '../parts/toast.tsx';
import type { RateLimit, WireError } from './wire.ts';

const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 200;

export type ApiPath = `/v1/${string}`;

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another key than the one in use, or null for none: whether it is good changes nothing for the page. */
  readonly key?: string | null;
}

/** What went wrong, in the words of the service where it said any. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly docs: string | undefined;
  /** When it may be tried again, in milliseconds since 1970. */
  readonly retryAtMs: number | undefined;

  constructor(status: number, error: WireError, retryAtMs?: number) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
    this.docs = error.docs;
    this.retryAtMs = retryAtMs;
  }
}

/** The hourly limit as the latest answer told it. */
export const rateLimit = signal<RateLimit | null>(null);

const kept = new Map<string, { readonly answer: unknown; readonly atMs: number }>();
const asked = new Map<string, Promise<unknown>>();

// Another key is another reader: nothing that one may see is left for the next.
apiKey.subscribe(() => {
  kept.clear();
  asked.clear();
  rateLimit.value = null;
});

export function forgetAnswers(prefix: ApiPath): void {
  for (const path of kept.keys()) if (path.startsWith(prefix)) kept.delete(path);
}

/** An answer that is at hand. */
export function recall<T>(path: ApiPath): T | undefined {
  const entry = kept.get(path);
  return entry && Date.now() - entry.atMs < KEPT_MS ? (entry.answer as T) : undefined;
}

/** Reads; the same question asked twice at once goes out once. */
export function read<T>(path: ApiPath): Promise<T> {
  const known = recall<T>(path);
  if (known !== undefined) return Promise.resolve(known);
  const key = apiKey.value;
  const keepOwn = (answer: T) => (key === apiKey.value ? keep(path, answer) : answer);
  const running = asked.get(path) ?? ask<T>(path).then(keepOwn);
  asked.set(path, running);
  const done = () => asked.get(path) === running && asked.delete(path);
  running.then(done, done);
  return running as Promise<T>;
}

function keep<T>(path: ApiPath, answer: T): T {
  kept.delete(path);
  kept.set(path, { answer, atMs: Date.now() });
  for (const oldest of kept.keys()) {
    if (kept.size <= MAX_KEPT) break;
    kept.delete(oldest);
  }
  return answer;
}

export async function ask<T>(path: ApiPath, question: Question = {}): Promise<T> {
  const text = await (await send(path, question)).text();
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** The bare response of a success; throws an ApiFailure otherwise. */
export async function send(path: ApiPath, question: Question = {}): Promise<Response> {
  const { method = 'GET', body, signal, headers } = question;
  const ownKey = apiKey.value ?? '';
  const response = await fetch(path, {
    method,
    headers: {
      ...authorizationOf(question.key === undefined ? ownKey : question.key),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable();
  });
  if (question.key === undefined) noteRateLimit(response.headers);
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (failure.status === 401 && question.key === undefined) giveUp(ownKey, failure);
  throw failure;
}

/** A session goes along in its cookie. */
function authorizationOf(key: string | null): { readonly authorization?: string } {
  return key === null || isSession(key) ? {} : { authorization: `Bearer ${key}` };
}

function giveUp(key: string, { message }: ApiFailure): void {
  dropKey(key, message);
  if (apiKey.value !== null) showToast(`${message} The key that this device remembers is used.`, { isFailure: true });
}

function noteRateLimit(headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));
  if (!limit || !remaining || !reset) return;
  const [total, left] = [Number(limit), Number(remaining)];
  rateLimit.value = { limit: total, remaining: left, used: total - left, reset: Number(reset) };
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAtMs = Number.isNaN(retryAfter) ? undefined : Date.now() + retryAfter * 1000;
  const body: unknown = await response.json().catch(() => null);
  const error = body && typeof body === 'object' && 'error' in body ? (body.error as WireError) : null;
  const unknown = { code: 'UNKNOWN', message: `The service answered with status ${response.status}.` };
  return new ApiFailure(response.status, error ?? unknown, retryAtMs);
}

function unreachable(): ApiFailure {
  return new ApiFailure(0, {
    code: 'UNREACHABLE',
    message: 'The service cannot be reached.',
    hint: 'Check that it is running and that you are connected, then try again.',
  });
}
