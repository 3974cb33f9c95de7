// The cookie that a session's token stands in. Over TLS its name begins with __Host-, with which browsers take it from nobody but this
// very host; on this machine's own http, where browsers refuse that, it has a plain name. Over http from elsewhere nobody signs in.
import { parseSessionToken, type SessionToken } from '../domain/session-token.ts';

const SECURE_NAME = '__Host-keyrank';
const LOOPBACK_NAME = 'keyrank';
const LOOPBACK_HOST = /^(127(\.[0-9]{1,3}){3}|localhost|\[::1\])(:[0-9]{1,5})?$/i;

export type CookieKind = 'secure' | 'loopback';

/** What kind of cookie a request to this address can have; undefined: none, because others could read it on its way. */
export function cookieKind({
  isSecure,
  host,
}: {
  readonly isSecure: boolean;
  readonly host: string;
}): CookieKind | undefined {
  if (isSecure) return 'secure';
  return LOOPBACK_HOST.test(host) ? 'loopback' : undefined;
}

/** Names of all other cookies of ours begin so too. */
export function cookieName(kind: CookieKind, suffix = ''): string {
  return (kind === 'secure' ? SECURE_NAME : LOOPBACK_NAME) + suffix;
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

export function readSessionCookie(header: string | undefined, kind: CookieKind | undefined): SessionToken | undefined {
  return kind && parseSessionToken(readCookie(header, cookieName(kind)) ?? '');
}

/** A Set-Cookie header; seconds of 0 remove it. */
export function presentCookie(cookie: {
  readonly name: string;
  readonly value: string;
  readonly maxAgeSeconds: number;
}): string {
  const secure = cookie.name.startsWith('__Host-') ? '; Secure' : '';
  return `${cookie.name}=${cookie.value}; Path=/; Max-Age=${cookie.maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
