import { OperatorError } from '../domain/error.ts';

export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** On the button. */
  readonly name: string;
  /** Addresses count as verified though the provider does not say so. */
  readonly trustsEmail: boolean;
}

const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** Null without an issuer. */
export function readOpenId(given: OpenIdSettings): OpenIdSettings | null {
  const { issuer } = given;
  if (issuer === '') return null;
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isLocal = url?.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLocal)) {
    throw new OperatorError(`KEYRANK_OIDC_ISSUER=${issuer} is not valid.`, {
      hint: 'Write it like https://login.example.com.',
    });
  }
  if (given.clientId === '' || given.clientSecret === '') {
    throw new OperatorError('KEYRANK_OIDC_ISSUER needs KEYRANK_OIDC_CLIENT_ID and KEYRANK_OIDC_CLIENT_SECRET.', {
      hint: 'Register keyrank with the provider; docs/guides/people.md says how.',
    });
  }
  return { ...given, name: given.name || url.host };
}
