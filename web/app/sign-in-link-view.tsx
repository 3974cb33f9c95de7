import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { SignInLinkAnswer } from '../api/wire.ts';
import { signInLink } from './person-link.ts';
import { apiKey, enterSession } from './session.ts';
import { BrandMark } from './top-bar.tsx';
import { useAttempt } from './use-attempt.ts';

/** A link that signs in, once: says as whom, and asks. Whoever is signed in may have got the link of somebody else. */
export function SignInLinkView({ token }: { readonly token: string }) {
  const [email, setEmail] = useState<string | null>(null);
  const { fault, attempt } = useAttempt();
  useEffect(() => {
    void attempt(async () => {
      const body = { token };
      const { data } = await ask<SignInLinkAnswer>('/v1/sign-in/links/read', { method: 'POST', body, key: null });
      setEmail(data.email);
    });
  }, [token]);

  const enter = (event: Event) => {
    event.preventDefault();
    void attempt(async () => {
      await ask('/v1/sign-in/links/redeem', { method: 'POST', body: { token }, key: null });
      signInLink.value = null;
      enterSession();
    });
  };
  return (
    <main class="sign-in" id="content">
      <form onSubmit={enter} noValidate>
        <h1>
          <BrandMark /> Sign in
        </h1>
        {email !== null && (
          <p>
            The link signs you in as <b>{email}</b>.
            {apiKey.value !== null && ' What you are signed in with now ends in this browser.'} Go on only if you asked
            for it.
          </p>
        )}
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        {email !== null && (
          <button type="submit" class="button is-primary is-wide">
            Sign in as {email}
          </button>
        )}
        <button type="button" class="button is-wide" onClick={dismiss}>
          Not now
        </button>
      </form>
    </main>
  );
}

function dismiss(): void {
  signInLink.value = null;
}
