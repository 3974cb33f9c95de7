// A session's token is "kru_" and 256 random bits: opaque, and kept as its hash alone.

export type SessionId = string & { readonly __brand: 'SessionId' };
/** 256 random bits, `kru_…`. */
export type SessionToken = string & { readonly __brand: 'SessionToken' };

const TOKEN_PATTERN = /^kru_[A-Za-z0-9_-]{43}$/;

export function parseSessionToken(text: string): SessionToken | undefined {
  return TOKEN_PATTERN.test(text) ? (text as SessionToken) : undefined;
}

/** Of 32 random bytes. */
export function sessionToken(base64url: string): SessionToken {
  const token = parseSessionToken(`kru_${base64url}`);
  if (!token) throw new Error('a session token is made of 32 random bytes');
  return token;
}
