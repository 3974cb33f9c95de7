import type { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import type { Caller, Scope } from '../domain/account.ts';
import type { Cancellation } from '../domain/cancellation.ts';
import type { ErrorCode } from '../domain/error.ts';
import type { Plan } from '../domain/plan.ts';
import type { SearchMeter } from '../domain/rate-limit.ts';
import type { SentPart } from '../domain/report-import.ts';
import type { Action } from '../domain/role.ts';
import type { Body } from './body.ts';
import type { ClientPlace } from './client-place.ts';
import type { Parameter, Parameters, ParameterValues } from './parameters.ts';
import type { Resources } from './resources.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may ask. `subscriber`: whoever has a key or a session, in an organization with an active subscription. `member`: the same
 * without asking for the subscription. `person`: whoever is signed in; a key does not do. `anyone`: who nobody is yet.
 */
export type Access = 'subscriber' | 'member' | 'person' | 'anyone';

export interface Answer {
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
  /** Called when the whole body is on its way, and never when it was not sent. */
  readonly onSent?: () => void;
}

/** What a handler knows: who asks, for what, and with what means. */
export interface RequestContext<P extends Parameters, B = undefined> {
  /** Of an endpoint for anyone it is nobody, and reading it throws. */
  readonly caller: Caller;
  /** Where it was asked for; reading it throws otherwise. */
  readonly plan: Plan;
  readonly place: ClientPlace;
  readonly parameters: ParameterValues<P>;
  /** What stands in the path in place of braces, the {id} of an item or a checked parameter; empty where the path has none. */
  readonly id: string;
  readonly body: B;
  /** Undefined unless the endpoint takes parts of files. */
  readonly part: SentPart | undefined;
  /** Undefined unless the endpoint takes an Idempotency-Key and the request has one. */
  readonly idempotency: { readonly key: string; readonly fingerprint: Uint8Array } | undefined;
  readonly resources: Resources;
  /** The Accept header. */
  readonly accept: string | undefined;
  /** The Last-Event-ID header. */
  readonly lastEventId: string | undefined;
  /** The plan of the caller as it is by now; throws when they may ask this no more. For what goes on for long. */
  readonly recheck: () => Promise<Plan>;
  /** Aborted when the client leaves. */
  readonly signal: Cancellation;
  /**
   * Spends one search of a rate-limited endpoint, or throws. Whatever can be found wrong with the request must have been
   * found before, because a 400 is free.
   */
  readonly admit: () => Promise<{ readonly searchId: string }>;
  /** Runs a step and reports its duration in the Server-Timing header. */
  readonly time: <T>(step: string, work: () => Promise<T>) => Promise<T>;
}

/** Fields of a failure, each with the schema that documents it. */
export type FailureFields = Readonly<Record<string, { readonly schema: TSchema; readonly value: unknown }>>;

export interface EndpointDefinition<P extends Parameters, B = undefined> {
  readonly method: Method;
  /** As in the OpenAPI document, with path parameters in braces. */
  readonly path: `/v1/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly scope: Scope;
  /** What of the table of roles (domain/role.ts) it is. Unless given it follows from scope and method. */
  readonly action?: Action;
  /** `subscriber` unless given. */
  readonly access?: Access;
  /** Set for endpoints that count against the hourly limit. */
  readonly meter?: SearchMeter;
  readonly parameters: P;
  /** What the {id} in the path names, such as "tracked keyword". */
  readonly item?: string;
  /** A parameter in the path that is no {id}: its name in braces, and how it is read. */
  readonly pathParameter?: { readonly name: string; readonly parameter: Parameter<string> };
  /** Set for endpoints that read a JSON body. */
  readonly body?: Body<B>;
  /** Set for endpoints that take a part of a file: it is read as it comes, by the handler. */
  readonly takesPart?: { readonly maxBytes: number };
  /** Whether a request may be repeated under an Idempotency-Key. */
  readonly isIdempotent?: true;
  /** Schema of the body of a success, or of the file that is returned in its place. The status is 200 unless given. */
  readonly success: {
    readonly status?: 201;
    readonly contentType: string;
    /** Other forms of the same, that a request may ask for. */
    readonly otherContentTypes?: readonly string[];
    /** Headers of the success beside those that follow from the rest of the definition. */
    readonly headerNames?: readonly string[];
    readonly schema: TSchema;
  };
  /** Failures beyond those that follow from the rest of the definition. */
  readonly codes?: readonly ErrorCode[];
  /** What failures of this endpoint carry beside data and error. */
  readonly failureFields?: (code: ErrorCode) => FailureFields;
  readonly handle: (context: RequestContext<P, B>) => Promise<Answer>;
}

const WRITING_ACTIONS: Readonly<Partial<Record<Scope, Action>>> = {
  'tracked:write': 'track',
  history: 'search',
  people: 'members',
  operator: 'operate',
};

/** What of the table of roles an endpoint is. */
export function actionOf({ action, method, scope, meter }: Endpoint): Action {
  if (action) return action;
  if (scope === 'operator') return 'operate';
  if (scope === 'export') return 'export';
  if (meter) return 'search';
  const writing = method === 'GET' ? 'read' : WRITING_ACTIONS[scope];
  if (!writing) throw new Error(`${method} with the scope ${scope} needs an action`);
  return writing;
}

/** What a failure of the endpoint carries beside data and error. */
export function failureFieldValues(endpoint: Endpoint, code: ErrorCode): Readonly<Record<string, unknown>> {
  const fields = Object.entries(endpoint.failureFields?.(code) ?? {});
  return Object.fromEntries(fields.map(([name, { value }]) => [name, value]));
}

/** An endpoint whose parameter types are its own business. */
export type Endpoint = EndpointDefinition<Parameters, unknown>;

export function defineEndpoint<const P extends Parameters, B = undefined>(
  definition: EndpointDefinition<P, B>,
): Endpoint {
  return definition as unknown as Endpoint;
}
