// What a client asks a person for. Until the client and its redirect URI are known to belong together nobody is sent anywhere.

import type { Scope } from '../../domain/account.ts';
import { type AgentClient, isRegistered, parseAgentScopes } from '../../domain/agent.ts';
import type { Resources } from '../resources.ts';
import { resourceOf } from './metadata.ts';
import { OAuthFailure, readFields, requiredField } from './oauth-answer.ts';

const MAX_STATE_CHARACTERS = 2000;
/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** In this order they stand in the form of the consent page. */
export const REQUEST_FIELDS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'state',
  'resource',
] as const;

export interface AuthorizationRequest {
  readonly client: AgentClient;
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
  readonly codeChallenge: string;
  readonly resource: string;
  readonly state: string | undefined;
  /** As they came. */
  readonly fields: ReadonlyMap<string, string>;
}

/** A failure that the client is told of, at its redirect URI, when the person goes back there. */
export class ClientFailure extends OAuthFailure {
  readonly redirectUri: string;
  readonly state: string | undefined;

  constructor(failure: OAuthFailure, { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>) {
    super(failure.code, failure.message);
    this.redirectUri = redirectUri;
    this.state = state;
  }
}

export async function parseAuthorizationRequest(
  params: URLSearchParams,
  { resources, origin }: { readonly resources: Resources; readonly origin: string },
): Promise<AuthorizationRequest> {
  const fields = readFields(params);
  const client = await resources.agents.findClient(requiredField(fields, 'client_id'));
  if (!client) throw new OAuthFailure('invalid_client', 'This program is not registered here, or no longer.');
  const redirectUri = requiredField(fields, 'redirect_uri');
  if (!isRegistered(client.redirectUris, redirectUri)) {
    throw new OAuthFailure('invalid_request', 'The program wants to be sent to another address than it registered.');
  }
  const state = fields.get('state');
  try {
    return { client, redirectUri, state, fields, ...parseQuestion(fields, origin) };
  } catch (error) {
    throw error instanceof OAuthFailure ? new ClientFailure(error, { redirectUri, state }) : error;
  }
}

function parseQuestion(fields: ReadonlyMap<string, string>, origin: string) {
  if (requiredField(fields, 'response_type') !== 'code') {
    throw new OAuthFailure('unsupported_response_type', "response_type must be 'code'.");
  }
  const codeChallenge = requiredField(fields, 'code_challenge');
  if (fields.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge)) {
    throw new OAuthFailure('invalid_request', 'PKCE with S256 is required.');
  }
  if ((fields.get('state') ?? '').length > MAX_STATE_CHARACTERS) {
    throw new OAuthFailure('invalid_request', `state has more than ${MAX_STATE_CHARACTERS} characters.`);
  }
  const resource = fields.get('resource') ?? resourceOf(origin);
  if (resource !== resourceOf(origin)) {
    throw new OAuthFailure('invalid_target', `The resource here is ${resourceOf(origin)}.`);
  }
  const scopes = parseAgentScopes(fields.get('scope'));
  if (!scopes) throw new OAuthFailure('invalid_scope', 'None of these scopes is known.');
  return { codeChallenge, resource, scopes };
}

/** The redirect URI with an answer; what it had stays. */
export function answerAddress(redirectUri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.append(name, value);
  return url.href;
}
