// MCP over HTTP, without sessions: every request stands for itself, in both eras of the protocol. A tool calls the API as any
// client does, inside this process, with the caller's own key.
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../domain/error.ts';
import type { ApiAnswer, ApiRequest } from '../mcp/api.ts';
import { openMcpServer } from '../mcp/mcp-server.ts';
import { authenticate } from './auth.ts';
import { MAX_BODY_BYTES } from './body.ts';
import { readClientPlace } from './client-place.ts';
import { unauthorized } from './envelope.ts';
import { sendFailure } from './failure-reply.ts';
import { MCP_PATH } from './mcp-path.ts';
import { challenge } from './oauth/metadata.ts';
import type { RequestGuard } from './request-guard.ts';
import type { Resources } from './resources.ts';

/** GET and DELETE belong to sessions, which there are none of; the protocol has an answer of its own for them. */
export const MCP_METHODS = ['GET', 'POST', 'DELETE'] as const;

/** Messages of a batch are worked on together; each call of a tool counts as the request that it is. */
export const MAX_BATCH = 10;
/** JSON-RPC's code. */
const INVALID_REQUEST = -32_600;

export function registerMcp(
  app: FastifyInstance,
  {
    resources,
    version,
    guard,
  }: { readonly resources: Resources; readonly version: string; readonly guard: RequestGuard },
): void {
  /** The calls of a batch go one after the other: together they would keep the event loop from everybody else. */
  const callAs = (authorization: string) => {
    let last: Promise<unknown> = Promise.resolve();
    return (request: ApiRequest): Promise<ApiAnswer> => {
      const call = last.then(() => callApi(app, authorization, request));
      last = call.catch(() => undefined);
      return call;
    };
  };
  const handler = createMcpHandler(({ requestInfo }) =>
    openMcpServer({ version, callApi: callAs(requestInfo?.headers.get('authorization') ?? '') }),
  );
  app.addHook('onClose', () => handler.close());
  app.route({
    method: [...MCP_METHODS],
    url: MCP_PATH,
    handler: async (request, reply) => {
      const account = await authenticate(request.headers.authorization, resources).catch((error: unknown) => {
        if (error instanceof RequestError && error.code === 'UNAUTHORIZED') return undefined;
        throw error;
      });
      if (!account) return refuse(request, { reply, resources });
      const { caller } = account;
      guard.enter(caller, { request, reply });
      using reading = guard.openBody(request, reply);
      const body = await reading.read({ owner: caller.organizationId, maxBytes: MAX_BODY_BYTES });
      // What the tools ask for takes turns of its own.
      (await resources.turns.take(caller.organizationId))();
      const messageCount = countMessages(body);
      if (messageCount > MAX_BATCH) return await refuseBatch(reply, messageCount);
      const response = await handler.fetch(toWebRequest(request, body));
      reply.code(response.status);
      for (const [name, value] of response.headers) reply.header(name, value);
      return await reply.send(Buffer.from(await response.arrayBuffer()));
    },
  });
}

/** The 401 of all endpoints, which says too where an agent finds out how to be let in. */
function refuse(
  request: FastifyRequest,
  { reply, resources }: { readonly reply: FastifyReply; readonly resources: Resources },
): FastifyReply {
  const { origin } = readClientPlace(request.raw, resources);
  return sendFailure(reply, unauthorized(), {}, { 'www-authenticate': challenge(origin) });
}

/** Of a batch; what is no batch counts as one message, well-formed or not. */
function countMessages(body: unknown): number {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : '';
  if (!/^\s*\[/.test(text)) return 1;
  try {
    return (JSON.parse(text) as readonly unknown[]).length;
  } catch {
    return 1;
  }
}

async function refuseBatch(reply: FastifyReply, messageCount: number): Promise<FastifyReply> {
  const message = `A batch has at most ${MAX_BATCH} messages, and this one has ${messageCount}. Send several batches, one after the other.`;
  const error = { code: INVALID_REQUEST, message };
  return await reply
    .code(400)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

async function callApi(app: FastifyInstance, authorization: string, request: ApiRequest): Promise<ApiAnswer> {
  const { method, target, body } = request;
  const response = await app.inject({
    method,
    url: target,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  return { status: response.statusCode, headers, body: response.json() };
}

function toWebRequest(request: FastifyRequest, body: Uint8Array): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value);
  // The origin is of no matter: the key says who may call.
  return new Request(`http://localhost${MCP_PATH}`, {
    method: request.method,
    headers,
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
}
