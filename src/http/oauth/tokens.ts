// Codes and refresh tokens become access tokens. Clients have no secrets: they prove by PKCE that it is they who asked.
import { createHash } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, type AgentTokens } from '../../domain/agent.ts';
import type { Resources } from '../resources.ts';
import { OAuthFailure, readFields, requiredField } from './oauth-answer.ts';

/** RFC 7636. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export async function giveTokens(resources: Resources, params: URLSearchParams): Promise<object> {
  const fields = readFields(params);
  const tokens = await tokensFor(resources, fields);
  if (!tokens) throw new OAuthFailure('invalid_grant', 'The code or token is not valid, or not any more.');
  return {
    access_token: tokens.accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: tokens.refreshToken,
    scope: tokens.scopes.join(' '),
  };
}

async function tokensFor({ agents }: Resources, fields: ReadonlyMap<string, string>): Promise<AgentTokens | undefined> {
  const grantType = requiredField(fields, 'grant_type');
  const clientId = requiredField(fields, 'client_id');
  // A program that learns this registers anew by itself; so it comes back after it was forgotten.
  if (!(await agents.findClient(clientId))) {
    throw new OAuthFailure('invalid_client', 'This program is not registered here, or no longer.', { status: 401 });
  }
  const resource = fields.get('resource');
  if (grantType === 'refresh_token') {
    return await agents.refresh({ refreshToken: requiredField(fields, 'refresh_token'), clientId, resource });
  }
  if (grantType !== 'authorization_code') {
    throw new OAuthFailure('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  }
  const verifier = requiredField(fields, 'code_verifier');
  if (!VERIFIER.test(verifier))
    throw new OAuthFailure('invalid_request', 'code_verifier has not the form that it must have.');
  return await agents.exchangeCode({
    clientId,
    code: requiredField(fields, 'code'),
    redirectUri: requiredField(fields, 'redirect_uri'),
    codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
    resource,
  });
}

export async function endTokens({ agents }: Resources, params: URLSearchParams): Promise<void> {
  const fields = readFields(params);
  await agents.revoke({ token: requiredField(fields, 'token'), clientId: requiredField(fields, 'client_id') });
}
