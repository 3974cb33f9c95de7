// openapi.json as the fuzzer sees it: a list of operations, with every reference followed.
import { readFileSync } from 'node:fs';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface ApiResponse {
  /** Of failures: their codes, each with what it means. */
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** What a key needs for it. */
  readonly scope: string;
  readonly query: readonly ApiParameter[];
  readonly headers: readonly ApiParameter[];
  readonly body: Schema | undefined;
  readonly successStatus: number;
  readonly isMetered: boolean;
  /** Some say who is asking without one. */
  readonly needsSubscription: boolean;
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

const OTHERWISE_TRIED: ReadonlySet<string> = new Set([
  'listenToEvents',
  'tagListItems',
  'deleteAgent',
  'createNotificationChannel',
]);
const SCOPES_OTHERWISE_TRIED = ['people', 'operator', 'import'];

interface RawOperation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly description: string;
  readonly parameters: readonly ApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

/**
 * What the key of a member asks, and what its schema describes wholly. People, operators and whoever signs in have tests of their own
 * (test/people, test/http/v1/imports.test.ts), as has the answer that does not end by itself (test/http/v1/events.test.ts).
 */
export function readOperations(): readonly Operation[] {
  const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  const paths = follow(document.paths, document) as Record<string, Record<string, RawOperation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId, security }]) => security === undefined && !OTHERWISE_TRIED.has(operationId))
      .map(([method, raw]) => toOperation({ path, method, raw }))
      .filter(({ scope }) => !SCOPES_OTHERWISE_TRIED.includes(scope)),
  );
}

function toOperation({ path, method, raw }: { path: string; method: string; raw: RawOperation }): Operation {
  const successStatus = Number(Object.keys(raw.responses).find((status) => status.startsWith('2')));
  return {
    id: raw.operationId,
    method: method.toUpperCase() as Operation['method'],
    path,
    scope: /Needs the scope `([a-z:]+)`/.exec(raw.description)?.[1] ?? '',
    query: raw.parameters.filter((parameter) => parameter.in === 'query'),
    headers: raw.parameters.filter((parameter) => parameter.in === 'header'),
    body: raw.requestBody?.content['application/json']?.schema,
    successStatus,
    isMetered: 'RateLimit-Limit' in (raw.responses[successStatus]?.headers ?? {}),
    needsSubscription: raw.responses[400]?.description.includes('NO_ACTIVE_SUBSCRIPTION') ?? false,
    responses: raw.responses,
  };
}

/** The same value with what a $ref points at in its place. The document has no cycles. */
function follow(value: unknown, document: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => follow(each, document));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string') return follow(pointAt(value.$ref, document), document);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, follow(each, document)]));
}

function pointAt(reference: string, document: unknown): unknown {
  const parts = reference.replace('#/', '').split('/');
  return parts.reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document);
}
