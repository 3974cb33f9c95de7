// Agents: programs that a person lets in with OAuth, for one organization and with some of the scopes that keys have.
import type { Scope, Tenant } from './account.ts';

/** What an agent may be allowed; people are managed by people. */
export const AGENT_SCOPES = [
  'search',
  'export',
  'trends',
  'tracked:read',
  'tracked:write',
  'history',
  'account',
] as const satisfies readonly Scope[];

/** In plain words, for whoever is asked. */
export const SCOPE_WORDS: Readonly<Record<(typeof AGENT_SCOPES)[number], string>> = {
  search: 'search keywords; this spends searches of the organization',
  export: 'download files',
  trends: 'read trends',
  'tracked:read': 'read tracked keywords, products, lists and notes',
  'tracked:write': 'change tracked keywords, products, lists and notes, and share links',
  history: 'read and clear your search history',
  account: 'read usage, and manage webhooks if your role may',
};

export const ACCESS_TOKEN_SECONDS = 3600;
export const REFRESH_TOKEN_DAYS = 30;
export const CODE_SECONDS = 60;
/** Of one member; the oldest go. */
export const MAX_AGENTS = 50;
export const MAX_REDIRECT_URIS = 5;
const MAX_REDIRECT_CHARACTERS = 500;

/** Programs on the device of the person; RFC 8252. */
const PROGRAM_SCHEMES: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:']);
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

export interface AgentClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  /** Null when it has not asked for anything with the token it has. */
  readonly lastUsedAt: Date | null;
}

export interface Consent {
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly resource: string;
}

export interface AgentTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scopes: readonly Scope[];
}

/** Undefined wherever a code, a token or a client is not what it has to be; why is nobody's business. */
export interface Agents {
  /** Undefined when too many have registered just now. */
  register(client: Omit<AgentClient, 'id'>): Promise<AgentClient | undefined>;
  findClient(id: string): Promise<AgentClient | undefined>;
  /** What the person allowed, as a code of one use. */
  allow(tenant: Tenant, consent: Consent): Promise<string>;
  /** A code that comes a second time ends the agent. */
  exchangeCode(request: {
    readonly code: string;
    readonly clientId: string;
    readonly redirectUri: string;
    readonly codeChallenge: string;
    readonly resource: string | undefined;
  }): Promise<AgentTokens | undefined>;
  /** So does a refresh token. */
  refresh(request: {
    readonly refreshToken: string;
    readonly clientId: string;
    readonly resource: string | undefined;
  }): Promise<AgentTokens | undefined>;
  /** Ends the agent whose token it is, of either kind. */
  revoke(request: { readonly token: string; readonly clientId: string }): Promise<void>;
  /** A member's own. */
  list(tenant: Tenant): Promise<readonly Agent[]>;
  delete(tenant: Tenant, id: string): Promise<boolean>;
}

/** Whether a program may be sent there with a code: over TLS, to this device, or to a program known by its scheme. */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_REDIRECT_CHARACTERS || /[\s\\#]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  if (username !== '' || password !== '') return false;
  if (protocol === 'http:') return LOOPBACK_HOSTS.has(hostname);
  return (protocol === 'https:' && hostname !== '') || PROGRAM_SCHEMES.has(protocol);
}

const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):[0-9]{1,5}(?=[/?]|$)/;

/**
 * Whether it is one of those that were registered, as a text. On the device of the person the port may be another: programs take one
 * that is free at the time (RFC 8252, 7.3).
 */
export function isRegistered(redirectUris: readonly string[], uri: string): boolean {
  const withoutPort = (text: string) => text.replace(LOOPBACK_PORT, '$1');
  return isRedirectUri(uri) && redirectUris.some((each) => withoutPort(each) === withoutPort(uri));
}

/** The known ones of a list with spaces between; all where none is asked for. Undefined when none of those asked for is known. */
export function parseAgentScopes(text: string | undefined): readonly Scope[] | undefined {
  if (text === undefined || text.trim() === '') return AGENT_SCOPES;
  const asked = new Set(text.trim().split(/\s+/));
  const known = AGENT_SCOPES.filter((scope) => asked.has(scope));
  return known.length === 0 ? undefined : known;
}
