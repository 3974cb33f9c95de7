// The OpenAPI 3.1 document, made from the list of endpoints. openapi.json in the repository is this document; a test
// compares the two.
import type { TSchema } from 'typebox';
import { ERROR_CODES, type ErrorCode } from '../domain/error.ts';
import { isAllowed, ROLES } from '../domain/role.ts';
import { describeApi } from './api-description.ts';
import type { Body } from './body.ts';
import { actionOf, type Endpoint } from './endpoint.ts';
import { ERROR_MEANINGS } from './envelope.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';
import { PARAMETER_EXAMPLES } from './parameter-examples.ts';
import type { RecordedAnswers } from './recorded-answers.ts';
import { ErrorSchema } from './schemas.ts';
import { PART_BODY, PART_HEADERS } from './sent-part.ts';
import { type DocumentedFailure, shareFailures } from './shared-failures.ts';

type Json = Readonly<Record<string, unknown>>;

const TAGS = [
  { name: 'Search', description: 'Keyword ranks over time, and the history of searches.' },
  { name: 'Products', description: 'What reports name beside ranks: products and brands, their keywords and shares.' },
  { name: 'Trends', description: 'Keywords that move.' },
  { name: 'Tracked keywords', description: 'Keywords that a user watches.' },
  { name: 'Tracked products', description: 'Products that a user watches.' },
  {
    name: 'Lists',
    description: 'What the members of an organization keep together: lists, saved searches, notes on the chart.',
  },
  { name: 'Webhooks', description: 'Programs that are told what happens.' },
  { name: 'Notifications', description: 'Where a user is told, by mail and in chats.' },
  { name: 'Data', description: 'What is published.' },
  { name: 'Imports', description: 'Report files that an operator of the whole installation sends.' },
  { name: 'Connections', description: 'Accounts at Amazon from which reports are fetched by themselves.' },
  { name: 'Account', description: 'Meters, usage and limits; who is asking.' },
  { name: 'Sign-in', description: 'How people come in; programs use keys.' },
  { name: 'People', description: 'Members, invitations, keys, and what was done.' },
  { name: 'Operators', description: 'The whole installation.' },
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

export interface DocumentOptions {
  readonly version: string;
  /** The examples. */
  readonly recorded: RecordedAnswers;
}

export function openApiDocument(endpoints: readonly Endpoint[], { version, recorded }: DocumentOptions): Json {
  const failing = new Map(endpoints.map((endpoint) => [endpoint, failures(endpoint, recorded)]));
  const { responses, share } = shareFailures([...failing.values()]);
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    const described = operation(endpoint, { recorded, failures: share(failing.get(endpoint) ?? {}) });
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'keyrank',
      version,
      summary: 'Keyword search-rank data as a service.',
      description: describeApi(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: TAGS,
    security: [{ apiKey: [] }, { session: [] }],
    paths,
    components: {
      schemas: { Error: ErrorSchema },
      headers: HEADERS,
      responses,
      examples: failureExamples(recorded, { paths, responses }),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `krk_…`, issued by the operator.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-keyrank',
          description: 'The session of a person who is signed in.',
        },
      },
    },
  };
}

/** On every answer. */
const ALWAYS_HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this request in the logs. A request may bring its own, of 1 to 64 characters A-Za-z0-9._-',
    schema: { type: 'string' },
    example: '4f5d1c3a-6f0e-4b7e-9a57-0c1f8e2d6b11',
  },
  'Cache-Control': { description: 'Answers are not kept.', schema: { const: 'no-store' }, example: 'no-store' },
  'X-Content-Type-Options': {
    description: 'An answer is what its Content-Type says.',
    schema: { const: 'nosniff' },
    example: 'nosniff',
  },
};
const COUNT = { type: 'integer', minimum: 0 };
const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': {
    description: 'Searches per hour of the plan.',
    schema: COUNT,
    example: 500,
  },
  'RateLimit-Remaining': {
    description: 'Searches left in the current window.',
    schema: COUNT,
    example: 499,
  },
  'RateLimit-Reset': {
    description: 'Unix second at which the next slot frees: the oldest counted search + 3600 s.',
    schema: COUNT,
    example: 1_794_738_600,
  },
};
/** A response that names one of these has it. */
const REQUIRED_HEADERS = {
  ...ALWAYS_HEADERS,
  ...RATE_LIMIT_HEADERS,
  'Retry-After': {
    description: 'Seconds to wait. A lone client that waits so long is admitted.',
    schema: { type: 'integer', minimum: 1 },
    example: 1740,
  },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  'Content-Disposition': {
    description: 'The name of the file.',
    schema: { type: 'string' },
    example: 'attachment; filename="keywords.xlsx"',
  },
};
const HEADERS: Json = {
  'Upload-Offset': {
    description: 'Where the next part of the file begins.',
    required: true,
    schema: COUNT,
    example: 8_388_608,
  },
  ...Object.fromEntries(
    Object.entries(REQUIRED_HEADERS).map(([name, header]) => [name, { ...header, required: true }]),
  ),
  'Server-Timing': {
    description: 'Milliseconds that each step took; missing where the request ended before it reached its endpoint.',
    schema: { type: 'string' },
    example: 'auth;dur=0.21, total;dur=2.48',
  },
};

function operation(
  endpoint: Endpoint,
  { recorded, failures }: { readonly recorded: RecordedAnswers; readonly failures: Json },
): Json {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: `${endpoint.description}\n\n${needs(endpoint)}`,
    tags: [endpoint.tag],
    ...(endpoint.access === 'anyone' && { security: [] }),
    ...(endpoint.access === 'person' && { security: [{ session: [] }] }),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(endpoint.body && { requestBody: requestBody(endpoint.body) }),
    ...(endpoint.takesPart && { requestBody: PART_BODY }),
    responses: { [endpoint.success.status ?? 200]: success(endpoint, recorded), ...failures },
  };
}

function needs(endpoint: Endpoint): string {
  if (endpoint.access === 'anyone') return 'Needs no key.';
  const action = actionOf(endpoint);
  const who =
    action === 'operate'
      ? 'an operator of the installation'
      : ROLES.every((role) => isAllowed(action, { role, isOperator: false }))
        ? undefined
        : `one of the roles ${ROLES.filter((role) => isAllowed(action, { role, isOperator: false })).join(', ')}${isAllowed(action, { role: 'viewer', isOperator: true }) ? ', or an operator of the installation' : ''}`;
  const what = endpoint.access === 'person' ? 'a person who is signed in' : `the scope \`${endpoint.scope}\``;
  return `Needs ${what}${who === undefined ? '' : ` and ${who}`}.`;
}

function pathParameters({ item, pathParameter }: Endpoint): readonly Json[] {
  if (pathParameter) {
    const { name, parameter } = pathParameter;
    const { description, examples, ...rest } = parameter.schema as DocumentedSchema;
    return [{ name, in: 'path', required: true, description, schema: rest, example: examples?.[0] }];
  }
  if (item === undefined) return [];
  const schema = { type: 'string', format: 'uuid' };
  const description = `Identifier of the ${item}.`;
  return [{ name: 'id', in: 'path', required: true, description, schema, example: PARAMETER_EXAMPLES.id }];
}

type DocumentedSchema = TSchema & {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
};

function queryParameters({ parameters }: Endpoint): readonly Json[] {
  return Object.entries(parameters).map(([name, { schema, required }]) => {
    const { description, examples, ...rest } = schema as DocumentedSchema;
    const example = examples?.[0] ?? rest.default ?? parameterExample(name, schema);
    return { name, in: 'query', required, description, schema: rest, example };
  });
}

/** The first of the values where the parameter takes only one. */
function parameterExample(name: string, schema: TSchema): unknown {
  const example = PARAMETER_EXAMPLES[name];
  return Array.isArray(example) && (schema as { readonly type?: unknown }).type !== 'array' ? example[0] : example;
}

function headerParameters({ isIdempotent, takesPart }: Endpoint): readonly Json[] {
  if (takesPart) return PART_HEADERS.map((header) => ({ in: 'header', ...header }));
  const name = 'Idempotency-Key';
  return isIdempotent
    ? [{ name, in: 'header', required: false, ...IDEMPOTENCY_KEY, example: PARAMETER_EXAMPLES[name] }]
    : [];
}

function requestBody({ schema, examples }: Body<unknown>): Json {
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
  return { required: true, content: { 'application/json': { schema, examples: named } } };
}

function success({ operationId, success: forms, meter }: Endpoint, { successes }: RecordedAnswers): Json {
  const answers = Object.entries(successes[operationId] ?? {});
  const content = [forms.contentType, ...(forms.otherContentTypes ?? [])].map((contentType) => {
    const examples = answers
      .filter(([, { headers }]) => bare(headers['content-type'] ?? '') === bare(contentType))
      .map(([name, { request, body }]) => [name, { summary: request, value: body }]);
    return [
      contentType,
      { schema: forms.schema, ...(examples.length > 0 && { examples: Object.fromEntries(examples) }) },
    ];
  });
  return {
    description: 'Success',
    headers: headers([...(meter ? Object.keys(RATE_LIMIT_HEADERS) : []), ...(forms.headerNames ?? [])]),
    content: Object.fromEntries(content),
  };
}

/** A content type without its parameters. */
function bare(contentType: string): string {
  return contentType.split(';', 1)[0] ?? '';
}

/** In the words that most endpoints use, for every code that one refers to. */
function failureExamples({ failures }: RecordedAnswers, document: Json): Json {
  const text = JSON.stringify(document);
  return Object.fromEntries(
    Object.entries(failures)
      .filter(([code]) => text.includes(JSON.stringify(failureReference(code))))
      .map(([code, { request, body }]) => [code, { summary: request, value: body }]),
  );
}

function failureReference(code: string): string {
  return `#/components/examples/${code}`;
}

function failures(endpoint: Endpoint, recorded: RecordedAnswers): Readonly<Record<string, DocumentedFailure>> {
  const codes: readonly ErrorCode[] = [
    ...COMMON_CODES.filter(
      (code) => code !== 'NO_ACTIVE_SUBSCRIPTION' || (endpoint.access ?? 'subscriber') === 'subscriber',
    ),
    ...(endpoint.meter || isFile(endpoint) || endpoint.method !== 'GET' ? (['RATE_LIMIT_EXCEEDED'] as const) : []),
    ...(endpoint.body || endpoint.takesPart ? (['BAD_REQUEST', 'PAYLOAD_TOO_LARGE'] as const) : []),
    ...(endpoint.item ? (['NOT_FOUND'] as const) : []),
    ...(endpoint.codes ?? []),
  ];
  const statuses = new Set(codes.map((code) => ERROR_MEANINGS[code].status));
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const here = ERROR_CODES.filter((code) => codes.includes(code) && ERROR_MEANINGS[code].status === status);
      return [status, failure(endpoint, { status, codes: here, recorded })];
    }),
  );
}

/** Of files an organization makes a few at a time. */
function isFile({ success }: Endpoint): boolean {
  return success.headerNames?.includes('Content-Disposition') ?? false;
}

interface Failure {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
  readonly recorded: RecordedAnswers;
}

function failure(endpoint: Endpoint, { status, codes, recorded }: Failure) {
  const [code] = codes;
  const fields = Object.entries((code && endpoint.failureFields?.(code)) ?? {});
  return {
    description: codes.map((each) => `\`${each}\`: ${ERROR_MEANINGS[each].cause}`).join('\n\n'),
    headers: {
      ...headers([
        ...(endpoint.meter && (status === 404 || status === 429 || status === 500)
          ? Object.keys(RATE_LIMIT_HEADERS)
          : []),
        ...(status === 429 || status === 503 ? ['Retry-After'] : []),
        ...(status === 401 ? ['WWW-Authenticate'] : []),
      ]),
      // Where the plan itself is in question there is no limit to tell of.
      ...(endpoint.meter && status === 400 ? RATE_LIMIT_HEADERS : {}),
    },
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['data', ...fields.map(([name]) => name), 'error'],
          properties: {
            data: { type: 'null' },
            ...Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
            error: { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] },
          },
          additionalProperties: false,
        },
        examples: Object.fromEntries(codes.map((each) => [each, failureExample(endpoint, each, recorded)])),
      },
    },
  };
}

function failureExample({ operationId }: Endpoint, code: ErrorCode, { operationFailures }: RecordedAnswers): Json {
  const own = operationFailures[operationId]?.[code];
  return own === undefined ? { $ref: failureReference(code) } : { value: own };
}

function headers(names: readonly string[]): Json {
  const all = [...Object.keys(ALWAYS_HEADERS), ...names, 'Server-Timing'];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
