import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { SignInWaysAnswer } from '../api/wire.ts';
import { TextField } from '../parts/text-field.tsx';
import { enterSession } from './session.ts';
import { useAttempt } from './use-attempt.ts';

/** The ways that the service offers; nothing where a person cannot sign in, as over http from elsewhere. */
export function PersonSignIn({ invitation }: { readonly invitation?: string }) {
  const [ways, setWays] = useState<SignInWaysAnswer['data'] | null>(null);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { fault, attempt } = useAttempt();
  const [said, setSaid] = useState<string | null>(null);

  useEffect(() => {
    ask<SignInWaysAnswer>('/v1/sign-in', { key: null }).then(
      ({ data }) => setWays(data),
      // The form for keys is there in any case.
      () => {},
    );
  }, []);
  if (!ways?.password) return null;

  const submit = (event: Event) => {
    event.preventDefault();
    setSaid(null);
    void attempt(async () => {
      await ask('/v1/sign-in/password', { method: 'POST', body: { email, password }, key: null });
      enterSession();
    });
  };
  const mailLink = () =>
    attempt(async () => {
      await ask('/v1/sign-in/links', { method: 'POST', body: { email }, key: null });
      setSaid('If this address has an account, a link is on its way. It works once, for 15 minutes.');
    });

  return (
    <form onSubmit={submit} noValidate>
      {invitation !== undefined && <h2>Do you have an account here?</h2>}
      {ways.openid !== null && (
        <a
          class="button is-primary is-wide"
          href={`/sign-in/openid${invitation === undefined ? '' : `?invitation=${encodeURIComponent(invitation)}`}`}
        >
          Continue with {ways.openid}
        </a>
      )}
      <TextField label="Mail address" type="email" autocomplete="username" value={email} onText={setEmail} />
      <TextField
        label="Password"
        type="password"
        autocomplete="current-password"
        value={password}
        onText={setPassword}
        faultId={fault === null ? undefined : 'person-fault'}
      />
      {fault !== null && (
        <p class="fault" id="person-fault" role="alert">
          {fault}
        </p>
      )}
      {said !== null && (
        <p class="secret" role="status">
          {said}
        </p>
      )}
      <button type="submit" class="button is-primary is-wide" disabled={email.trim() === '' || password === ''}>
        Continue with password
      </button>
      {ways.link && (
        <button type="button" class="button is-wide" disabled={email.trim() === ''} onClick={mailLink}>
          Mail me a link
        </button>
      )}
    </form>
  );
}
