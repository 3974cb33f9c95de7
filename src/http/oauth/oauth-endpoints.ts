// OAuth 2.1 for agents, as the Model Context Protocol wants it (docs/decisions/0010-oauth-for-agents.md).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../../domain/error.ts';
import { networkOf } from '../../domain/network.ts';
import { readClientPlace } from '../client-place.ts';
import type { RequestGuard } from '../request-guard.ts';
import type { Resources } from '../resources.ts';
import { WriteLimit } from '../write-limit.ts';
import { askPerson, takeAnswer } from './authorization.ts';
import {
  AUTHORIZATION_SERVER_PATH,
  AUTHORIZE_PATH,
  authorizationServer,
  PROTECTED_RESOURCE_PATH,
  protectedResource,
  REGISTER_PATH,
  REVOKE_PATH,
  TOKEN_PATH,
} from './metadata.ts';
import { OAuthFailure, sendJson, sendOAuthFailure } from './oauth-answer.ts';
import { parseRegistration, presentClient } from './registration.ts';
import { endTokens, giveTokens } from './tokens.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** Of one address: far more than a program needs. */
const REGISTRATIONS_PER_MINUTE = 10;
const REQUESTS_PER_MINUTE = 120;

/** Methods by path, for what is asked with another one. */
export const OAUTH_PATHS: readonly (readonly [string, readonly string[]])[] = [
  [PROTECTED_RESOURCE_PATH, ['GET']],
  [`${PROTECTED_RESOURCE_PATH}/mcp`, ['GET']],
  [AUTHORIZATION_SERVER_PATH, ['GET']],
  [AUTHORIZE_PATH, ['GET', 'POST']],
  [TOKEN_PATH, ['POST']],
  [REGISTER_PATH, ['POST']],
  [REVOKE_PATH, ['POST']],
];

interface OAuthOptions {
  readonly resources: Resources;
  readonly guard: RequestGuard;
}

export function registerOAuth(app: FastifyInstance, options: OAuthOptions): void {
  const { resources, guard } = options;
  const registrations = new WriteLimit(REGISTRATIONS_PER_MINUTE);
  const requests = new WriteLimit(REQUESTS_PER_MINUTE);
  const placeOf = (request: FastifyRequest) => readClientPlace(request.raw, resources);
  const readBody = async (request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array> => {
    using reading = guard.openBody(request, reply);
    return await reading.read({ owner: `address ${networkOf(placeOf(request).address)}`, maxBytes: MAX_BODY_BYTES });
  };
  const readForm = async (request: FastifyRequest, reply: FastifyReply) =>
    new URLSearchParams(Buffer.from(await readBody(request, reply)).toString());
  const queryOf = (request: FastifyRequest) =>
    new URLSearchParams((request.raw.url ?? '').split('?').slice(1).join('?'));

  for (const path of [PROTECTED_RESOURCE_PATH, `${PROTECTED_RESOURCE_PATH}/mcp`]) {
    app.get(path, async (request, reply) => sendJson(reply, protectedResource(placeOf(request).origin)));
  }
  app.get(AUTHORIZATION_SERVER_PATH, async (request, reply) =>
    sendJson(reply, authorizationServer(placeOf(request).origin)),
  );
  app.get(AUTHORIZE_PATH, async (request, reply) =>
    limited(requests, { request, reply, place: placeOf(request) }, () =>
      askPerson({ resources, reply, place: placeOf(request) }, queryOf(request)),
    ),
  );
  app.post(AUTHORIZE_PATH, async (request, reply) =>
    limited(requests, { request, reply, place: placeOf(request) }, async () =>
      takeAnswer({ resources, reply, place: placeOf(request) }, await readForm(request, reply)),
    ),
  );
  app.post(TOKEN_PATH, async (request, reply) =>
    limited(requests, { request, reply, place: placeOf(request) }, async () =>
      sendJson(reply, await giveTokens(resources, await readForm(request, reply))),
    ),
  );
  app.post(REVOKE_PATH, async (request, reply) =>
    limited(requests, { request, reply, place: placeOf(request) }, async () => {
      await endTokens(resources, await readForm(request, reply));
      return sendJson(reply, {});
    }),
  );
  app.post(REGISTER_PATH, async (request, reply) =>
    limited(registrations, { request, reply, place: placeOf(request) }, async () => {
      const client = await resources.agents.register(parseRegistration(await readBody(request, reply)));
      if (client) return sendJson(reply, presentClient(client, resources.now()), 201);
      throw new OAuthFailure('temporarily_unavailable', 'Too many programs have registered; try again later.', {
        ...{ status: 503, retryAfterSeconds: 3600 },
      });
    }),
  );
}

/** Each address has so many requests in a minute. Failures are told in the form of OAuth. */
async function limited(
  limit: WriteLimit,
  {
    reply,
    place,
  }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly place: { readonly address: string } },
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    takeFrom(limit, networkOf(place.address));
    return await work();
  } catch (error) {
    if (error instanceof OAuthFailure) return sendOAuthFailure(reply, error);
    throw error;
  }
}

function takeFrom(limit: WriteLimit, address: string): void {
  try {
    limit.take(address);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { retryAfterSeconds = 1 } = error;
    throw new OAuthFailure('slow_down', 'Too many requests; wait and try again.', { status: 429, retryAfterSeconds });
  }
}
