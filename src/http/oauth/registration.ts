// Dynamic client registration (RFC 7591): any program may say its name and where it wants to be sent. That makes it nobody; a person
// lets it in, and sees both.
import { type AgentClient, isRedirectUri, MAX_REDIRECT_URIS } from '../../domain/agent.ts';
import { printable } from '../query-string.ts';
import { OAuthFailure } from './oauth-answer.ts';

const MAX_NAME_CHARACTERS = 100;
const UNNAMED = 'Unnamed program';

export function parseRegistration(bytes: Uint8Array): Omit<AgentClient, 'id'> {
  const given = parseObject(bytes);
  const uris = given.redirect_uris;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    throw new OAuthFailure('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS}.`);
  }
  for (const uri of uris) {
    if (typeof uri === 'string' && isRedirectUri(uri)) continue;
    const shown = printable(String(uri));
    throw new OAuthFailure(
      'invalid_redirect_uri',
      `'${shown}' is neither https nor an address of the person's own device.`,
    );
  }
  refuseUnless(
    given.token_endpoint_auth_method,
    (method) => method === 'none',
    'token_endpoint_auth_method must be none.',
  );
  refuseUnless(given.response_types, (types) => isListOf(types, ['code']), 'response_types must be ["code"].');
  refuseUnless(
    given.grant_types,
    (types) => isListOf(types, ['authorization_code', 'refresh_token']),
    'grant_types must be authorization_code and refresh_token.',
  );
  return { name: nameOf(given.client_name), redirectUris: [...new Set(uris as string[])] };
}

/** What the client is told; it has no secret. */
export function presentClient({ id, name, redirectUris }: AgentClient, now: Date): object {
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The same answer.
  }
  throw new OAuthFailure('invalid_client_metadata', 'The body must be a JSON object.');
}

/** Visible characters alone: a name is read by a person who decides by it. */
function nameOf(value: unknown): string {
  if (typeof value !== 'string') return UNNAMED;
  const clean = value
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...clean].slice(0, MAX_NAME_CHARACTERS).join('') || UNNAMED;
}

function refuseUnless(value: unknown, isAllowed: (value: unknown) => boolean, message: string): void {
  if (value !== undefined && !isAllowed(value)) throw new OAuthFailure('invalid_client_metadata', message);
}

function isListOf(value: unknown, allowed: readonly string[]): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => allowed.includes(each));
}
