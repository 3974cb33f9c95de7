// Where a request comes from, as far as it can be known: the address, the program, and for browsers the page that sent it.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { RequestError } from '../domain/error.ts';
import type { SignInPlace } from '../domain/session.ts';
import type { SessionToken } from '../domain/session-token.ts';
import type { Resources } from './resources.ts';
import { type CookieKind, cookieKind, readSessionCookie } from './session-cookie.ts';

export interface ClientPlace extends SignInPlace {
  /** How the page reaches us: scheme, host and port. */
  readonly origin: string;
  /** Whether that is known otherwise than from the request: configured, or of this very machine and port. */
  readonly isOriginKnown: boolean;
  /** Undefined over http from elsewhere: then nobody can sign in. */
  readonly cookieKind: CookieKind | undefined;
  /** The Cookie header. */
  readonly cookies: string | undefined;
  readonly sessionToken: SessionToken | undefined;
  readonly method: string;
  /** What the browser says of the page that sent it, in headers that no page can set. */
  readonly fetchSite: string | undefined;
  readonly sentOrigin: string | undefined;
}

const MAX_USER_AGENT_CHARACTERS = 300;
/** With the address that clients use, where one is configured: a proxy may tell another host. */
export function readClientPlace(
  request: IncomingMessage,
  { publicUrl, isTrustedProxy }: Pick<Resources, 'publicUrl' | 'isTrustedProxy'>,
): ClientPlace {
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const remote = plainAddress(request.socket.remoteAddress ?? '');
  const isForwardedSecurely =
    header('x-forwarded-proto')?.split(',').at(-1)?.trim() === 'https' && isTrustedProxy(remote);
  const { protocol, host } = publicUrl
    ? new URL(publicUrl)
    : { protocol: isForwardedSecurely ? 'https:' : 'http:', host: (header('host') ?? '').toLowerCase() };
  const kind = cookieKind({ isSecure: protocol === 'https:', host });
  return {
    origin: `${protocol}//${host}`,
    isOriginKnown: publicUrl !== null || (kind === 'loopback' && host.endsWith(`:${request.socket.localPort}`)),
    cookieKind: kind,
    cookies: header('cookie'),
    sessionToken: readSessionCookie(header('cookie'), kind),
    method: request.method ?? 'GET',
    fetchSite: header('sec-fetch-site'),
    sentOrigin: header('origin'),
    userAgent: printable(header('user-agent') ?? '').slice(0, MAX_USER_AGENT_CHARACTERS),
    address: addressOf(remote, { forwarded: header('x-forwarded-for') ?? '', isTrustedProxy }),
  };
}

/** Each proxy tells whom it heard it from, behind what it was told; whoever is no proxy of ours could have invented the rest. */
function addressOf(
  remote: string,
  { forwarded, isTrustedProxy }: { readonly forwarded: string } & Pick<Resources, 'isTrustedProxy'>,
): string {
  if (forwarded === '') return remote;
  const told = forwarded.split(',').map((each) => plainAddress(each.trim()));
  let address = remote;
  for (let before = told.pop(); before !== undefined && isTrustedProxy(address); before = told.pop()) {
    if (isIP(before) === 0) return address;
    address = before;
  }
  return address;
}

/** IPv4 as such, also where a socket for both tells it as IPv6. */
function plainAddress(text: string): string {
  return text.replace(/^::ffff:(?=[0-9.]+$)/i, '');
}

function printable(text: string): string {
  if (text === '') return text;
  return text.replace(/[\p{Cc}\p{Co}\p{Cn}]/gu, '').trim();
}

/**
 * Refuses what another site's page sent with a cookie of ours, or in order to get one: browsers say where a request comes from, in
 * Sec-Fetch-Site or at least, for writes, in Origin. Whoever says nothing is let read, and may write with `needsProof: false` alone.
 */
export function checkSameOrigin(
  { fetchSite, sentOrigin, origin, method }: ClientPlace,
  { needsProof }: { readonly needsProof: boolean },
): void {
  const isReading = method === 'GET' || method === 'HEAD';
  if (fetchSite !== undefined) {
    if (fetchSite === 'same-origin' || (fetchSite === 'none' && isReading)) return;
  } else if (sentOrigin === undefined ? isReading || !needsProof : sentOrigin === origin) return;
  throw new RequestError(
    'FORBIDDEN',
    'This request does not come from a page of this service.',
    'Open the page of this service and try there; programs use an API key.',
  );
}
