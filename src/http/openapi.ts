// The OpenAPI 3.1 document, made from the list of endpoints. openapi.json in the repository is this document; a test
// compares the two.
import type { TSchema } from 'typebox';
import { ERROR_CODES, type ErrorCode } from '../domain/error.ts';
import type { Body } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { ERROR_MEANINGS } from './envelope.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';
import { ErrorSchema } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const TAGS = [
  { name: 'Search', description: 'Keyword ranks over time, and the history of searches.' },
  { name: 'Trends', description: 'Keywords that move.' },
  { name: 'Tracked keywords', description: 'Keywords that a user watches.' },
  { name: 'Webhooks', description: 'Programs that are told what happens.' },
  { name: 'Data', description: 'What is published.' },
  { name: 'Account', description: 'Meters, usage and limits.' },
];

/** Codes that every endpoint can answer with. Whatever is not about a known path and method is described once, in prose. */
const COMMON_CODES: readonly ErrorCode[] = [
  'INVALID_PARAMETERS',
  'NO_ACTIVE_SUBSCRIPTION',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'URI_TOO_LONG',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
];

export function openApiDocument(endpoints: readonly Endpoint[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'keyrank',
      version,
      summary: 'Keyword search-rank data as a service.',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: TAGS,
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: { Error: ErrorSchema },
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `krk_…`, issued by the operator.' },
      },
    },
  };
}

const DESCRIPTION = [
  'Every JSON answer has `data` and `error`; exactly one of them is set. On failure `error` has a `code`, a `message`, and',
  'mostly a `hint`. Unknown paths answer 404 `NOT_FOUND`, known paths with another method 405 `METHOD_NOT_ALLOWED` and an',
  '`Allow` header. List parameters are repeated (`query=a&query=b`); commas do not split. Unknown parameters are refused.',
  'A request body is JSON in UTF-8 of at most 1 MiB, whatever its `Content-Type` says. Unknown fields are refused.',
  '',
  'The checks run in this order: path and method, key, scope, subscription, parameters, rate limit.',
].join('\n');

const HEADERS: Json = {
  'X-Request-Id': { description: 'Identifies this request in the logs.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Searches per hour of the plan.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Searches left in the current window.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Unix second at which the next slot frees.', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'The scheme to authenticate with.', schema: { type: 'string' } },
};

function operation(endpoint: Endpoint): Json {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: `${endpoint.description}\n\nNeeds the scope \`${endpoint.scope}\`.`,
    tags: [endpoint.tag],
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(endpoint.body && { requestBody: requestBody(endpoint.body) }),
    responses: { [endpoint.success.status ?? 200]: success(endpoint), ...failures(endpoint) },
  };
}

function pathParameters({ item }: Endpoint): readonly Json[] {
  if (item === undefined) return [];
  const schema = { type: 'string', format: 'uuid' };
  return [{ name: 'id', in: 'path', required: true, description: `Identifier of the ${item}.`, schema }];
}

function queryParameters({ parameters }: Endpoint): readonly Json[] {
  return Object.entries(parameters).map(([name, { schema, required }]) => {
    const { description, ...rest } = schema as TSchema & { readonly description?: string };
    return { name, in: 'query', required, description, schema: rest };
  });
}

function headerParameters({ isIdempotent }: Endpoint): readonly Json[] {
  return isIdempotent ? [{ name: 'Idempotency-Key', in: 'header', required: false, ...IDEMPOTENCY_KEY }] : [];
}

function requestBody({ schema, examples }: Body<unknown>): Json {
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
  return { required: true, content: { 'application/json': { schema, examples: named } } };
}

function success({ success: { contentType, schema }, meter }: Endpoint): Json {
  return {
    description: 'Success',
    headers: headers(meter ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []),
    content: { [contentType]: { schema } },
  };
}

function failures(endpoint: Endpoint): Json {
  const codes: readonly ErrorCode[] = [
    ...COMMON_CODES,
    ...(endpoint.meter || endpoint.scope === 'export' ? (['RATE_LIMIT_EXCEEDED'] as const) : []),
    ...(endpoint.body ? (['BAD_REQUEST', 'PAYLOAD_TOO_LARGE'] as const) : []),
    ...(endpoint.item ? (['NOT_FOUND'] as const) : []),
    ...(endpoint.codes ?? []),
  ];
  const statuses = new Set(codes.map((code) => ERROR_MEANINGS[code].status));
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const here = ERROR_CODES.filter((code) => codes.includes(code) && ERROR_MEANINGS[code].status === status);
      return [status, failure(endpoint, { status, codes: here })];
    }),
  );
}

function failure(endpoint: Endpoint, { status, codes }: { status: number; codes: readonly ErrorCode[] }): Json {
  const [code] = codes;
  const fields = Object.entries((code && endpoint.failureFields?.(code)) ?? {});
  return {
    description: codes.map((each) => `\`${each}\`: ${ERROR_MEANINGS[each].cause}`).join('\n\n'),
    headers: headers([
      ...(endpoint.meter && (status === 429 || status === 500)
        ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
        : []),
      ...(status === 429 || status === 503 ? ['Retry-After'] : []),
      ...(status === 401 ? ['WWW-Authenticate'] : []),
    ]),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['data', ...fields.map(([name]) => name), 'error'],
          properties: {
            data: { type: 'null' },
            ...Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
            error: { $ref: '#/components/schemas/Error' },
          },
          additionalProperties: false,
        },
      },
    },
  };
}

function headers(names: readonly string[]): Json {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
