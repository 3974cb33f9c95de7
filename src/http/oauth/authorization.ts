// A person lets a program in. The question comes from elsewhere and changes nothing; the answer comes from our own page, of whoever is
// signed in, with a token that only this session and this very question have.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Account, Scope } from '../../domain/account.ts';
import { RequestError } from '../../domain/error.ts';
import { requirePlan } from '../auth.ts';
import { type ClientPlace, checkSameOrigin } from '../client-place.ts';
import { errorStatus } from '../envelope.ts';
import type { Resources } from '../resources.ts';
import {
  type AuthorizationRequest,
  answerAddress,
  ClientFailure,
  parseAuthorizationRequest,
  REQUEST_FIELDS,
} from './authorization-request.ts';
import { consentPage, refusalPage, signInPage } from './consent-page.ts';
import { AUTHORIZE_PATH } from './metadata.ts';
import { OAuthFailure } from './oauth-answer.ts';

interface Visit {
  readonly resources: Resources;
  readonly place: ClientPlace;
  readonly reply: FastifyReply;
}

export async function askPerson(visit: Visit, params: URLSearchParams): Promise<FastifyReply> {
  return await answering(visit, async () => {
    const request = await parseAuthorizationRequest(params, originOf(visit));
    const account = await findPerson(visit);
    if (!account) return sendPage(visit.reply.code(401), signInPage(`${AUTHORIZE_PATH}?${params}`));
    requirePlan(account, visit.resources.now());
    const { organizationName, userEmail } = await visit.resources.usage.read(account.caller);
    const person = { organization: organizationName, email: userEmail };
    const text = consentPage(request, { person, formToken: formTokenOf(visit.place, request) });
    return sendPage(visit.reply, text, new URL(request.redirectUri));
  });
}

export async function takeAnswer(visit: Visit, params: URLSearchParams): Promise<FastifyReply> {
  return await answering(visit, async () => {
    checkSameOrigin(visit.place, { needsProof: true });
    const granted = params.getAll('grant');
    params.delete('grant');
    const request = await parseAuthorizationRequest(params, originOf(visit));
    const account = await findPerson(visit);
    if (!account || !isEqual(request.fields.get('form_token') ?? '', formTokenOf(visit.place, request))) {
      throw new OAuthFailure('access_denied', 'The page that was answered is not of this session any more.', {
        status: 403,
      });
    }
    const scopes = request.scopes.filter((scope) => granted.includes(scope));
    if (request.fields.get('decision') !== 'allow' || scopes.length === 0) {
      return sendBack(visit, new ClientFailure(new OAuthFailure('access_denied', 'The person refused.'), request));
    }
    requirePlan(account, visit.resources.now());
    return await letIn(visit, { account, request, scopes });
  });
}

async function letIn(
  { resources, place, reply }: Visit,
  {
    account,
    request,
    scopes,
  }: { readonly account: Account; readonly request: AuthorizationRequest; readonly scopes: readonly Scope[] },
): Promise<FastifyReply> {
  const { client, redirectUri, codeChallenge, resource, state } = request;
  const code = await resources.agents.allow(account.caller, {
    ...{ clientId: client.id, scopes, redirectUri, codeChallenge, resource },
  });
  return reply.redirect(answerAddress(redirectUri, { code, state, iss: place.origin }), 303);
}

async function findPerson({ resources, place }: Visit): Promise<Account | undefined> {
  return place.sessionToken && (await resources.accounts.findSession(place.sessionToken, resources.now()));
}

/** Anybody may register a program and its address: only a person who has seen it is sent there, and by their own click. */
function sendBack({ reply, place }: Visit, { redirectUri, state, code, message }: ClientFailure): FastifyReply {
  const answer = { error: code, error_description: message, state, iss: place.origin };
  return reply.redirect(answerAddress(redirectUri, answer), 303);
}

async function answering(visit: Visit, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  const { reply, place } = visit;
  reply.header('referrer-policy', 'same-origin');
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientFailure) {
      const { redirectUri, state, code, message } = error;
      const answer = { error: code, error_description: message, state, iss: place.origin };
      return sendPage(reply.code(400), refusalPage(message, new URL(answerAddress(redirectUri, answer))));
    }
    if (error instanceof OAuthFailure) return sendPage(reply.code(error.status), refusalPage(error.message));
    if (error instanceof RequestError && error.code !== 'RATE_LIMIT_EXCEEDED') {
      return sendPage(reply.code(errorStatus(error.code)), refusalPage([error.message, error.hint].join(' ')));
    }
    throw error;
  }
}

function originOf({ resources, place }: Visit) {
  return { resources, origin: place.origin };
}

/** Forms may lead to our own page and on to where the program wants the answer: browsers follow the policy through redirects. */
function sendPage(reply: FastifyReply, text: string, next?: URL): FastifyReply {
  const onward = next
    ? ` ${next.protocol === 'https:' || next.protocol === 'http:' ? next.origin : next.protocol}`
    : '';
  return reply
    .headers({
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'${onward}`,
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8')
    .send(text);
}

function formTokenOf({ sessionToken }: ClientPlace, { fields }: AuthorizationRequest): string {
  const question = JSON.stringify(REQUEST_FIELDS.map((name) => fields.get(name) ?? null));
  return createHmac('sha256', `consent ${sessionToken ?? ''}`)
    .update(question)
    .digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
