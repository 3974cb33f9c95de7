// MCP over HTTP, without sessions: every request stands for itself, in both eras of the protocol. A tool calls the API as any
// client does, inside this process, with the caller's own key.
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiAnswer, ApiRequest } from '../mcp/api.ts';
import { openMcpServer } from '../mcp/mcp-server.ts';
import { authenticate } from './auth.ts';
import { MAX_BODY_BYTES } from './body.ts';
import type { RequestGuard } from './request-guard.ts';
import type { Resources } from './resources.ts';

export const MCP_PATH = '/mcp';
/** GET and DELETE belong to sessions, which there are none of; the protocol has an answer of its own for them. */
export const MCP_METHODS = ['GET', 'POST', 'DELETE'] as const;

export function registerMcp(
  app: FastifyInstance,
  {
    resources,
    version,
    guard,
  }: { readonly resources: Resources; readonly version: string; readonly guard: RequestGuard },
): void {
  const callAs = (authorization: string) => async (request: ApiRequest) => await callApi(app, authorization, request);
  const handler = createMcpHandler(({ requestInfo }) =>
    openMcpServer({ version, callApi: callAs(requestInfo?.headers.get('authorization') ?? '') }),
  );
  app.addHook('onClose', () => handler.close());
  app.route({
    method: [...MCP_METHODS],
    url: MCP_PATH,
    handler: async (request, reply) => {
      const { caller } = await authenticate(request.headers.authorization, resources);
      guard.enter(caller, { request, reply });
      using reading = guard.openBody(request, reply);
      const body = await reading.read({ owner: caller.organizationId, maxBytes: MAX_BODY_BYTES });
      const response = await handler.fetch(toWebRequest(request, body));
      reply.code(response.status);
      for (const [name, value] of response.headers) reply.header(name, value);
      return await reply.send(Buffer.from(await response.arrayBuffer()));
    },
  });
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
