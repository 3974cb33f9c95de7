import { randomUUID } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Caller } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { MAX_TEXT_CHARACTERS } from '../domain/term.ts';
import { ClientDeparture } from './client-departure.ts';
import { readClientPlace } from './client-place.ts';
import { type Endpoint, failureFieldValues } from './endpoint.ts';
import { errorsPage } from './error-pages.ts';
import { frameworkFailure, isFrameworkError, sendFailure } from './failure-reply.ts';
import type { GracefulShutdown } from './graceful-shutdown.ts';
import { registerHealth } from './health.ts';
import { isMuchLeft, lingerOnClose } from './lingering-close.ts';
import { answerClientError, answerUnroutable, checkHost, STANDARD_HEADERS } from './malformed-http.ts';
import { MCP_METHODS, registerMcp } from './mcp-endpoint.ts';
import { MCP_PATH } from './mcp-path.ts';
import type { Metrics } from './metrics.ts';
import { OAUTH_PATHS, registerOAuth } from './oauth/oauth-endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { registerOpenId } from './openid-pages.ts';
import { runEndpoint } from './pipeline.ts';
import { readRecordedAnswers } from './recorded-answers.ts';
import { openGuard, type RequestGuard, type RequestLimits } from './request-guard.ts';
import type { Resources } from './resources.ts';
import { ENDPOINTS } from './routes.ts';
import { openPart } from './sent-part.ts';
import { registerSharePage, SHARE_PAGE_PATH } from './share-page.ts';
import { answerUnknown, ITEM_ID } from './unknown-path.ts';
import { registerUnsubscription, UNSUBSCRIBE_METHODS, UNSUBSCRIBE_PATH } from './unsubscribe-page.ts';
import { makeFile, REFERENCE_PATH, registerWebFiles, sendFile, VIEW_PATHS, type WebFiles } from './web-files.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is served at the route; failures that come before it is run have its fields too. */
    endpoint?: Endpoint;
  }
  interface FastifyRequest {
    /** Whose key it was, once that is known. */
    caller: Caller | undefined;
  }
}

/** A list of 50 values of 256 characters, each of three bytes and percent-encoded, just fits. */
const MAX_TARGET_BYTES = 128 * 1024;
/** A text of the most characters, each of four bytes and percent-encoded. */
const MAX_PATH_PARAMETER_BYTES = MAX_TEXT_CHARACTERS * 12;
const MAX_HEADER_BYTES = MAX_TARGET_BYTES + 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often slow connections are looked for; Node's default would let them live three times as long. */
const TIMEOUT_CHECK_MS = 1_000;
/**
 * Longer than the idle time of common proxies, so that it is they who close and no request meets a closing socket. Clients are
 * told whole seconds, rounded down: one that keeps to the 72 of the Keep-Alive header is a second early.
 */
const KEEP_ALIVE_MS = 72_999;
/** For log and metrics, where nobody was left to be answered; nginx counts them so. */
const CLIENT_LEFT_STATUS = 499;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

export interface AppOptions {
  readonly resources: Resources;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly version: string;
  readonly webFiles: WebFiles;
  /** Served beside those of the API, and not documented. */
  readonly extraEndpoints?: readonly Endpoint[];
  readonly stop: GracefulShutdown;
  readonly limits: RequestLimits;
}

export function buildApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false,
    },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, _request, reply) => sendFailure(reply, frameworkFailure(error)),
    routerOptions: { querystringParser: () => ({}), maxParamLength: MAX_PATH_PARAMETER_BYTES },
  });
  app.decorateRequest('caller', undefined);
  answerUnroutable(app.server);
  const guard = openGuard(app.server, options);
  app.addHook('onClose', async () => guard.stop());
  // Bodies are read when an endpoint asks for them, whatever their type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...STANDARD_HEADERS, 'x-request-id': request.id });
    // Fastify tells of answers that were sent, and of no others.
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) observe(options.metrics, { request, reply, status: CLIENT_LEFT_STATUS });
    });
    checkMessage(request);
    if (options.stop.shut) await options.stop.shut;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (isMuchLeft(request.raw)) {
      reply.header('connection', 'close');
      lingerOnClose(request.raw.socket);
    }
    if (options.stop.isDraining) reply.header('connection', 'close');
    guard.holdAnswer(request, reply, payload);
  });
  app.addHook('onResponse', async (request, reply) =>
    observe(options.metrics, { request, reply, status: reply.statusCode }),
  );
  app.setErrorHandler((error, request, reply) => {
    const isDefect = !(error instanceof RequestError) && !isFrameworkError(error) && !request.raw.errored;
    if (isDefect) request.log.error(error, 'unexpected error');
    const failure = error instanceof RequestError ? error : frameworkFailure(error);
    const { endpoint } = request.routeOptions.config;
    return sendFailure(reply, failure, endpoint && failureFieldValues(endpoint, failure.code));
  });
  const methodsByPath = new Map<string, Set<string>>(PAGE_METHODS.map(([path, methods]) => [path, new Set(methods)]));
  app.setNotFoundHandler((request, reply) => answerUnknown(request, { ...options, reply, methodsByPath }));

  for (const endpoint of [...ENDPOINTS, ...(options.extraEndpoints ?? [])]) {
    const methods = methodsByPath.get(endpoint.path) ?? new Set();
    methodsByPath.set(endpoint.path, methods.add(endpoint.method));
    registerEndpoint(app, { endpoint, resources: options.resources, guard });
  }
  registerMcp(app, { ...options, guard });
  for (const path of registerOpenId(app, options.resources)) methodsByPath.set(path, new Set(['GET']));
  registerOAuth(app, { ...options, guard });
  registerPages(app, options);
  return app;
}

const PAGE_PATHS = [
  ...VIEW_PATHS,
  SHARE_PAGE_PATH,
  REFERENCE_PATH,
  '/openapi.json',
  '/docs/errors',
  '/healthz',
  '/readyz',
];
const PAGE_METHODS: readonly (readonly [path: string, methods: readonly string[]])[] = [
  ...PAGE_PATHS.map((path) => [path, ['GET']] as const),
  [UNSUBSCRIBE_PATH, UNSUBSCRIBE_METHODS],
  [MCP_PATH, MCP_METHODS],
  ...OAUTH_PATHS,
];

function registerEndpoint(
  app: FastifyInstance,
  { endpoint, resources, guard }: { endpoint: Endpoint; resources: Resources; guard: RequestGuard },
): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path.replace('{id}', `:id(^${ITEM_ID}$)`).replace(/\{([a-z]+)\}/, ':$1'),
    config: { endpoint },
    handler: async (request, reply) => {
      const departure = new ClientDeparture();
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) departure.leave();
      });
      using body = guard.openBody(request, reply);
      const { answer, defect } = await runEndpoint(endpoint, {
        request: {
          authorization: request.headers.authorization,
          place: readClientPlace(request.raw, resources),
          accept: request.headers.accept,
          lastEventId: headerOf(request, 'last-event-id'),
          queryString: queryStringOf(request),
          // A path has one parameter at most.
          id: Object.values(request.params as Readonly<Record<string, string>>)[0] ?? '',
          onCaller: (caller) => guard.enter(caller, { request, reply }),
          readBody: (options) => body.read(options),
          openPart: (options) => openPart(request.headers, body.stream(options)),
          idempotencyKey: headerOf(request, 'idempotency-key'),
          signal: departure,
        },
        resources,
      });
      if (defect !== undefined && !departure.aborted) request.log.error({ err: defect }, 'request failed');
      reply.raw.once('finish', answer.onSent);
      return await reply.code(answer.status).headers(answer.headers).type(answer.contentType).send(answer.body);
    },
  });
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function registerPages(app: FastifyInstance, { resources, version, webFiles, stop }: AppOptions): void {
  const recorded = readRecordedAnswers();
  const document = JSON.stringify(openApiDocument(ENDPOINTS, { version, recorded }), null, 2);
  const description = makeFile(document, 'application/json; charset=utf-8');
  const errors = errorsPage(recorded.failures);
  app.get('/openapi.json', async (request, reply) =>
    sendFile(request, reply, { file: description, cacheControl: 'no-cache' }),
  );
  app.get('/docs/errors', async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'")
      .send(errors),
  );
  registerWebFiles(app, webFiles);
  registerSharePage(app, { resources, webFiles });
  registerUnsubscription(app, resources);
  registerHealth(app, { ...resources, isDraining: () => stop.isDraining });
}

/** The part of the target after the question mark, as it came. */
function queryStringOf(request: FastifyRequest): string {
  const target = request.raw.url ?? '';
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark + 1);
}

function checkMessage(request: FastifyRequest): void {
  if ((request.raw.url ?? '').length > MAX_TARGET_BYTES) {
    throw new RequestError(
      'URI_TOO_LONG',
      `The path and query string are longer than ${MAX_TARGET_BYTES} bytes.`,
      'Give fewer or shorter values and split the request.',
    );
  }
  checkHost(request.raw);
}

function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

function observe(
  metrics: Metrics,
  { request, reply, status }: { request: FastifyRequest; reply: FastifyReply; status: number },
): void {
  const route = request.routeOptions.url ?? 'unknown';
  const durationMs = Math.round(reply.elapsedTime * 100) / 100;
  metrics.observeRequest({ method: request.method, route, status, durationMs });
  // Not a child of the request's own log: what is the prototype of another object lives on as long as old objects do.
  const { organizationId: organization, keyId: key, sessionId: session } = request.caller ?? {};
  const credential = session ? { session } : { key };
  request.log.info({ method: request.method, route, status, durationMs, organization, ...credential }, 'request');
}
