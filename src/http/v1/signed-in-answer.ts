import { Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { SESSION_MS } from '../../domain/session.ts';
import type { SessionToken } from '../../domain/session-token.ts';
import type { SignInRequest } from '../../domain/sign-in.ts';
import type { ClientPlace } from '../client-place.ts';
import type { Answer } from '../endpoint.ts';
import { answerJson, jsonSuccess, strictObject } from '../schemas.ts';
import { cookieName, presentCookie } from '../session-cookie.ts';

/** The session itself is in the cookie, where no script reads it. */
export const signedInSuccess = jsonSuccess({ data: strictObject({ signed_in: Type.Boolean() }) });

/** What a sign-in has to know of the request; refused where the cookie could be read on its way. */
export function signInRequest(place: ClientPlace): SignInRequest {
  requireCookies(place);
  return { place: { userAgent: place.userAgent, address: place.address }, replaces: place.sessionToken };
}

export function answerSignedIn(place: ClientPlace, token: SessionToken): Answer {
  return { ...answerJson({ data: { signed_in: true } }), headers: { 'set-cookie': sessionCookie(place, token) } };
}

export function answerSignedOut(place: ClientPlace): Answer {
  return { ...answerJson({ data: { signed_in: false } }), headers: { 'set-cookie': sessionCookie(place, undefined) } };
}

export function sessionCookie(place: ClientPlace, token: SessionToken | undefined): string {
  const maxAgeSeconds = token === undefined ? 0 : SESSION_MS / 1000;
  return presentCookie({ name: cookieName(requireCookies(place)), value: token ?? '', maxAgeSeconds });
}

function requireCookies({ cookieKind }: ClientPlace) {
  if (cookieKind) return cookieKind;
  throw new RequestError(
    'FORBIDDEN',
    'Signing in takes https.',
    'Use the https address of this service; the operator names it in KEYRANK_PUBLIC_URL.',
  );
}

/** Where links lead that are mailed. A Host header could be anybody's, so without a configured address there are none but on this machine. */
export function linkOrigin({ origin, isOriginKnown }: ClientPlace): string | undefined {
  return isOriginKnown ? origin : undefined;
}
