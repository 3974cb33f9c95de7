// One request, from the key to the answer. The order of the checks is a promise (docs/api-design.md): 401, 403, no
// subscription, parameters, rate limit, and only then work.
import type { Caller } from '../domain/account.ts';
import type { Cancellation } from '../domain/cancellation.ts';
import { type ErrorCode, RequestError } from '../domain/error.ts';
import type { RateLimitState } from '../domain/rate-limit.ts';
import { abbreviateParameters } from '../domain/search-history.ts';
import { admit, rateLimitExceeded, rateLimitHeaders } from './admission.ts';
import { authenticate, requirePlan, requireScope } from './auth.ts';
import { parseBody } from './body.ts';
import { type Answer, type Endpoint, failureFieldValues } from './endpoint.ts';
import { errorStatus, failureHeaders, internalError, presentFailure, serviceUnavailable } from './envelope.ts';
import { parseIdempotency } from './idempotency.ts';
import { parseParameters } from './parameters.ts';
import type { BodyOptions } from './request-body.ts';
import type { Resources } from './resources.ts';

export interface IncomingRequest {
  readonly authorization: string | undefined;
  readonly accept: string | undefined;
  readonly lastEventId: string | undefined;
  readonly queryString: string;
  /** What stands in the path in place of braces; empty where it has none. */
  readonly id: string;
  /** Called once it is known whose request it is, before anything is done for it. May throw a RequestError. */
  readonly onCaller: (caller: Caller) => void;
  /** The bytes of the body; empty where there is none. */
  readonly readBody: (options: BodyOptions) => Promise<Uint8Array>;
  readonly idempotencyKey: string | undefined;
  readonly signal: Cancellation;
}

export interface FinishedRequest {
  readonly answer: Required<Answer>;
  /** An unexpected error, to be logged once. */
  readonly defect: unknown;
}

/** On these failures the caller sees where the limit stands; on the others the key or plan itself is in question. */
const CODES_WITH_RATE_LIMIT: ReadonlySet<ErrorCode> = new Set([
  'INVALID_PARAMETERS',
  'NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_SERVER_ERROR',
]);

export async function runEndpoint(
  endpoint: Endpoint,
  { request, resources }: { request: IncomingRequest; resources: Resources },
): Promise<FinishedRequest> {
  const timings: string[] = [];
  const progress: Progress = { endTurn: undefined, caller: undefined, rateLimit: undefined };
  const work: Work = { endpoint, request, resources, progress, time: stopwatch(timings) };
  let answer: Answer;
  let defect: unknown;
  try {
    answer = await work.time('total', () => answerRequest(work));
  } catch (error) {
    // Refusals take turns too: a flood of them would hold up those who are let in.
    progress.endTurn ??= await resources.turns.take(progress.caller?.organizationId ?? 'nobody');
    const outcome = classify(error, resources);
    defect = outcome.defect;
    answer = await answerFailure(outcome.failure, work);
  } finally {
    progress.endTurn?.();
  }
  return {
    defect,
    answer: {
      status: answer.status ?? endpoint.success.status ?? 200,
      contentType: answer.contentType ?? 'application/json; charset=utf-8',
      headers: { ...answer.headers, 'server-timing': timings.join(', ') },
      body: answer.body,
      onSent: answer.onSent ?? (() => undefined),
    },
  };
}

interface Progress {
  endTurn: (() => void) | undefined;
  caller: Caller | undefined;
  rateLimit: RateLimitState | undefined;
}

interface Work {
  readonly endpoint: Endpoint;
  readonly request: IncomingRequest;
  readonly resources: Resources;
  readonly time: Stopwatch;
  readonly progress: Progress;
}

type Stopwatch = <T>(step: string, work: () => Promise<T>) => Promise<T>;

function stopwatch(timings: string[]): Stopwatch {
  return async (step, work) => {
    const start = performance.now();
    try {
      return await work();
    } finally {
      timings.push(`${step};dur=${(performance.now() - start).toFixed(2)}`);
    }
  };
}

async function answerRequest({ endpoint, request, resources, time, progress }: Work): Promise<Answer> {
  const account = await time('auth', () => authenticate(request.authorization, resources));
  const { caller } = account;
  progress.caller = caller;
  request.onCaller(caller);
  const { body: form } = endpoint;
  const takeTurn = async () => {
    progress.endTurn = await resources.turns.take(caller.organizationId);
  };
  if (!form) await takeTurn();
  // Before all else that costs time: under overload nothing is worth more than the time that is not spent on those who are sent
  // away, and none of them has spent a search. Then again for the organization, which may be the only one that has to wait.
  if (endpoint.meter) {
    resources.ranks.checkRoom();
    resources.ranks.checkRoom(caller.organizationId);
  }
  requireScope(account, endpoint.scope);
  const plan = requirePlan(account, resources.now());
  const { pathParameter } = endpoint;
  const id = pathParameter?.parameter.parse(pathParameter.name, [request.id]) ?? request.id;
  const parameters = parseParameters(endpoint.parameters, request.queryString);
  const bytes = form && (await request.readBody({ owner: caller.organizationId, maxBytes: form.maxBytes }));
  // Who sends a body slowly has no turn meanwhile.
  if (form) await takeTurn();
  const body = form && bytes && parseBody(form, bytes);
  const idempotency = endpoint.isIdempotent && bytes && parseIdempotency(request.idempotencyKey, { id, body: bytes });
  if (endpoint.method !== 'GET') resources.writeLimit.take(caller.organizationId, bytes?.length ?? 0);
  const answer = await endpoint.handle({
    caller,
    plan,
    parameters,
    id,
    body,
    idempotency,
    resources,
    accept: request.accept,
    lastEventId: request.lastEventId,
    recheck: async () => {
      const known = await authenticate(request.authorization, resources);
      requireScope(known, endpoint.scope);
      return requirePlan(known, resources.now());
    },
    signal: request.signal,
    time,
    admit: async () => {
      const { meter } = endpoint;
      if (!meter) throw new Error(`${endpoint.operationId} is not rate limited`);
      const attempt = {
        caller,
        meter,
        endpoint: endpoint.path,
        parameters: abbreviateParameters({
          ...(pathParameter && { [pathParameter.name]: id }),
          ...withoutAbsent(parameters),
        }),
      };
      const admission = await time('admit', () => admit(resources, attempt));
      progress.rateLimit = admission.rateLimit;
      if (!admission.admitted) throw rateLimitExceeded(admission.rateLimit);
      return admission;
    },
  });
  const { rateLimit } = progress;
  return rateLimit ? { ...answer, headers: { ...answer.headers, ...rateLimitHeaders(rateLimit) } } : answer;
}

/** Parameters as they stand in the history: what was asked for or defaulted, without what was left out. */
function withoutAbsent(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

function classify(error: unknown, resources: Resources): { failure: RequestError; defect: unknown } {
  if (error instanceof RequestError) return { failure: error, defect: undefined };
  if (resources.isUnavailable(error)) return { failure: serviceUnavailable(), defect: error };
  return { failure: internalError(), defect: error };
}

async function answerFailure(failure: RequestError, { endpoint, resources, progress }: Work): Promise<Answer> {
  if (endpoint.meter && progress.caller && !progress.rateLimit && failure.code === 'INVALID_PARAMETERS') {
    // Read, not spent. If that fails too, the caller still learns what was wrong with the request.
    progress.rateLimit = await resources.rateLimiter.read(progress.caller.organizationId).catch(() => undefined);
  }
  const { rateLimit } = progress;
  const headers = {
    ...(rateLimit && CODES_WITH_RATE_LIMIT.has(failure.code) && rateLimitHeaders(rateLimit)),
    ...failureHeaders(failure),
  };
  return {
    status: errorStatus(failure.code),
    headers,
    body: presentFailure(failure, failureFieldValues(endpoint, failure.code)),
  };
}
