// Signing in with an OpenID provider, by the authorization code flow with PKCE. What the provider can do is read from its discovery
// document when somebody first signs in, so that the service starts without it.
import * as client from 'openid-client';
import { RequestError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-code.ts';
import type { OpenIdProvider } from '../domain/openid.ts';
import type { VouchedPerson } from '../domain/sign-in.ts';
import type { OpenIdSettings } from './openid-settings.ts';

const TIMEOUT_SECONDS = 10;

export function openOpenIdProvider(settings: OpenIdSettings, onError: (error: unknown) => void): OpenIdProvider {
  let discovered: Promise<client.Configuration> | undefined;
  const discover = (): Promise<client.Configuration> => {
    // One that failed is tried again by the next who comes.
    discovered ??= openConfiguration(settings).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  };
  return {
    name: settings.name,
    begin: (redirectUri) =>
      explaining(onError, async () => {
        const config = await discover();
        const journey = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        };
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid email',
          code_challenge: await client.calculatePKCECodeChallenge(journey.verifier),
          code_challenge_method: 'S256',
          state: journey.state,
          nonce: journey.nonce,
        });
        return { url: url.href, journey };
      }),
    finish: (callbackUrl, { state, nonce, verifier }) =>
      explaining(onError, async () => {
        const config = await discover();
        const tokens = await client.authorizationCodeGrant(config, new URL(callbackUrl), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new Error('the provider sent no identity');
        const said =
          claims.email === undefined ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
        return personOf({ ...said, sub: claims.sub, iss: claims.iss }, settings);
      }),
  };
}

async function openConfiguration({ issuer, clientId, clientSecret }: OpenIdSettings): Promise<client.Configuration> {
  const url = new URL(issuer);
  const isLocal = url.protocol === 'http:';
  const config = await client.discovery(url, clientId, clientSecret, undefined, {
    timeout: TIMEOUT_SECONDS,
    // Settings allow plain http on this machine alone.
    ...(isLocal && { execute: [client.allowInsecureRequests] }),
  });
  return config;
}

function personOf(
  claims: { readonly iss: string; readonly sub: string; readonly email?: unknown; readonly email_verified?: unknown },
  { trustsEmail }: OpenIdSettings,
): VouchedPerson {
  const email = typeof claims.email === 'string' ? claims.email.normalize('NFC').trim() : '';
  // Some write the word.
  const isEmailVerified =
    email !== '' && (trustsEmail || claims.email_verified === true || claims.email_verified === 'true');
  return { issuer: claims.iss, subject: claims.sub, email, isEmailVerified };
}

async function explaining<T>(onError: (error: unknown) => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Whoever signs in learns that it failed, and the operator why.
    onError(new Error(`Signing in with the OpenID provider failed: ${errorMessage(error)}`, { cause: error }));
    throw new RequestError('UNAUTHORIZED', 'Signing in with the provider failed.', 'Try again from the start.');
  }
}
