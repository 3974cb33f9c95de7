// Where a request comes from, as far as it can be known: the address, the program, and for browsers the page that sent it.
import type { IncomingMessage } from 'node:http';
import { RequestError } from '../domain/error.ts';
import type { SignInPlace } from '../domain/session.ts';
import type { SessionToken } from '../domain/session-token.ts';
import { type CookieKind, cookieKind, readSessionCookie } from './session-cookie.ts';

export interface ClientPlace extends SignInPlace {
  /** How the page reaches us: scheme, host and port. */
  readonly origin: string;
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
const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;

/** With the address that clients use, where one is configured: a proxy may tell another host. */
export function readClientPlace(request: IncomingMessage, publicUrl: string | null): ClientPlace {
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const isForwardedSecurely = header('x-forwarded-proto')?.split(',').at(-1)?.trim() === 'https';
  const { protocol, host } = publicUrl
    ? new URL(publicUrl)
    : { protocol: isForwardedSecurely ? 'https:' : 'http:', host: (header('host') ?? '').toLowerCase() };
  const kind = cookieKind({ isSecure: protocol === 'https:', host });
  return {
    origin: `${protocol}//${host}`,
    cookieKind: kind,
    cookies: header('cookie'),
    sessionToken: readSessionCookie(header('cookie'), kind),
    method: request.method ?? 'GET',
    fetchSite: header('sec-fetch-site'),
    sentOrigin: header('origin'),
    userAgent: printable(header('user-agent') ?? '').slice(0, MAX_USER_AGENT_CHARACTERS),
    address: addressOf(request.socket.remoteAddress ?? '', header('x-forwarded-for')),
  };
}

/** A proxy on this machine tells whom it speaks for, as the last in its list; others could invent it. */
function addressOf(remote: string, forwarded: string | undefined): string {
  const told = LOOPBACK_ADDRESS.test(remote) ? forwarded?.split(',').at(-1)?.trim() : undefined;
  return (told && /^[0-9a-fA-F.:]{2,45}$/.test(told) ? told : remote).replace(/^::ffff:/, '');
}

function printable(text: string): string {
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
