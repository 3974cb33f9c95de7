// One request, from the key to the answer. The order of the checks is a promise (docs/api-design.md): 401, 403, no
// subscription, parameters, rate limit, and only then work.
import type { Account, Caller } from '../domain/account.ts';
import type { Cancellation } from '../domain/cancellation.ts';
import { type ErrorCode, RequestError } from '../domain/error.ts';
import { networkOf } from '../domain/network.ts';
import type { Plan } from '../domain/plan.ts';
import type { RateLimitState } from '../domain/rate-limit.ts';
import type { SentPart } from '../domain/report-import.ts';
import { abbreviateParameters } from '../domain/search-history.ts';
import { admit, rateLimitExceeded, rateLimitHeaders } from './admission.ts';
import { authenticateClient, requirePlan, requireRole, requireScope, requireSession } from './auth.ts';
import { parseBody } from './body.ts';
import { type ClientPlace, checkSameOrigin } from './client-place.ts';
import { type Answer, actionOf, type Endpoint, failureFieldValues } from './endpoint.ts';
import { errorStatus, failureHeaders, internalError, presentFailure, serviceUnavailable } from './envelope.ts';
import { parseIdempotency } from './idempotency.ts';
import { parseParameters } from './parameters.ts';
import type { BodyOptions } from './request-body.ts';
import type { Resources } from './resources.ts';
import { ownerOf, requireShared, takeSharedSearch } from './shared-calls.ts';

export interface IncomingRequest {
  readonly authorization: string | undefined;
  readonly place: ClientPlace;
  readonly accept: string | undefined;
  readonly lastEventId: string | undefined;
  readonly queryString: string;
  /** What stands in the path in place of braces; empty where it has none. */
  readonly id: string;
  /** Called once it is known whose request it is, before anything is done for it. May throw a RequestError. */
  readonly onCaller: (caller: Caller) => void;
  /** The bytes of the body; empty where there is none. */
  readonly readBody: (options: BodyOptions) => Promise<Uint8Array>;
  /** A part of a file, not read yet. */
  readonly openPart: (options: Pick<BodyOptions, 'maxBytes'>) => SentPart;
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
    progress.endTurn ??= await resources.turns.take(progress.caller ? ownerOf(progress.caller) : 'nobody');
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

/** The account of whoever asks; undefined where anyone may, whose requests count by their address. */
async function enter({ endpoint, request, resources, time, progress }: Work): Promise<Account | undefined> {
  if (endpoint.access === 'anyone') {
    checkSameOrigin(request.place, { needsProof: false });
    return undefined;
  }
  const account = await time('auth', () => authenticateClient(request, resources));
  progress.caller = account.caller;
  request.onCaller(account.caller);
  return account;
}

/** Scope and role, and where it is asked for the subscription. */
function checkRights(account: Account, { endpoint, request, resources }: Work): Plan | undefined {
  const { access = 'subscriber' } = endpoint;
  requireShared(account.caller, { ...request, endpoint });
  requireScope(account, endpoint.scope);
  requireRole(account, actionOf(endpoint));
  if (access === 'person') requireSession(account);
  return access === 'subscriber' ? requirePlan(account, resources.now()) : undefined;
}

async function answerRequest(work: Work): Promise<Answer> {
  const { endpoint, request, resources, time, progress } = work;
  const account = await enter(work);
  const owner = account ? ownerOf(account.caller) : `address ${networkOf(request.place.address)}`;
  const { body: form, takesPart } = endpoint;
  const takeTurn = async () => {
    progress.endTurn = await resources.turns.take(owner);
  };
  if (!form && !takesPart) await takeTurn();
  // Before all else that costs time: under overload nothing is worth more than the time that is not spent on those who are sent
  // away, and none of them has spent a search. Then again for the organization, which may be the only one that has to wait.
  if (endpoint.meter && account) {
    resources.ranks.checkRoom();
    resources.ranks.checkRoom(account.caller.organizationId);
  }
  const plan = account && checkRights(account, work);
  const { pathParameter } = endpoint;
  const id = pathParameter?.parameter.parse(pathParameter.name, [request.id]) ?? request.id;
  const parameters = parseParameters(endpoint.parameters, request.queryString);
  const bytes = form && (await request.readBody({ owner, maxBytes: form.maxBytes }));
  const part = takesPart && request.openPart(takesPart);
  // Who sends a body slowly has no turn meanwhile.
  if (form) await takeTurn();
  const body = form && bytes && parseBody(form, bytes);
  const idempotency = endpoint.isIdempotent && bytes && parseIdempotency(request.idempotencyKey, { id, body: bytes });
  if (endpoint.method !== 'GET') resources.writeLimit.take(owner, bytes?.length ?? 0);
  const answer = await endpoint.handle({
    get caller() {
      return given(account?.caller);
    },
    get plan() {
      return given(plan);
    },
    place: request.place,
    parameters,
    id,
    body,
    part,
    idempotency,
    resources,
    accept: request.accept,
    lastEventId: request.lastEventId,
    recheck: async () => given(checkRights(await authenticateClient(request, resources), work)),
    signal: request.signal,
    time,
    admit: async () => {
      const { meter } = endpoint;
      if (!meter) throw new Error(`${endpoint.operationId} is not rate limited`);
      const caller = given(account?.caller);
      const attempt = {
        caller,
        meter,
        endpoint: endpoint.path,
        parameters: abbreviateParameters({
          ...(pathParameter && { [pathParameter.name]: id }),
          ...withoutAbsent(parameters),
        }),
      };
      if (caller.share) return await time('admit', () => takeSharedSearch(resources, { attempt, plan: given(plan) }));
      const admission = await time('admit', () => admit(resources, attempt));
      progress.rateLimit = admission.rateLimit;
      if (!admission.admitted) throw rateLimitExceeded(admission.rateLimit);
      return admission;
    },
  });
  const { rateLimit } = progress;
  return rateLimit ? { ...answer, headers: { ...answer.headers, ...rateLimitHeaders(rateLimit) } } : answer;
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the endpoint did not ask for this');
  return value;
}

/** Parameters as they stand in the history: what was asked for or defaulted, without what was left out. */
function withoutAbsent(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const present: Record<string, unknown> = {};
  for (const name in parameters) {
    const value = parameters[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    present[name] = value;
  }
  return present;
}

function classify(error: unknown, resources: Resources): { failure: RequestError; defect: unknown } {
  if (error instanceof RequestError) return { failure: error, defect: undefined };
  if (resources.isUnavailable(error)) return { failure: serviceUnavailable(), defect: error };
  return { failure: internalError(), defect: error };
}

async function answerFailure(failure: RequestError, { endpoint, resources, progress }: Work): Promise<Answer> {
  if (
    endpoint.meter &&
    progress.caller &&
    !progress.caller.share &&
    !progress.rateLimit &&
    failure.code === 'INVALID_PARAMETERS'
  ) {
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
