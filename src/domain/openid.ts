// Signing in with an OpenID provider, in two steps: away to the provider, and back with what it says.
import type { VouchedPerson } from './sign-in.ts';

/** What must come back with the browser that went away; it stays in that browser's cookie. */
export interface OpenIdJourney {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface OpenIdProvider {
  /** On the button. */
  readonly name: string;
  begin(redirectUri: string): Promise<{ readonly url: string; readonly journey: OpenIdJourney }>;
  /** Checks state, nonce, issuer, signature and times; throws a RequestError for whatever is not as it should be. */
  finish(callbackUrl: string, journey: OpenIdJourney): Promise<VouchedPerson>;
}
