import { useState } from 'preact/hooks';
import { PersonSignIn } from './person-sign-in.tsx';
import { isKeyShaped, signedOutBecause, signIn } from './session.ts';
import { BrandMark } from './top-bar.tsx';

export function SignIn() {
  const [key, setKey] = useState('');
  const [isKept, setKept] = useState(true);
  const [fault, setFault] = useState<string | null>(null);
  const message = fault ?? signedOutBecause.value;

  const submit = (event: Event) => {
    event.preventDefault();
    const text = key.trim();
    if (!isKeyShaped(text)) {
      setFault('This is not a key: one has the form krk_ and 36 letters and digits.');
      return;
    }
    signIn(text, { isKept });
  };

  return (
    <main class="sign-in">
      <h1>
        <BrandMark /> keyrank
      </h1>
      <p class="muted">Keyword search ranks: search, compare, follow.</p>
      <PersonSignIn />
      <form onSubmit={submit} noValidate>
        <label class="field">
          <span>API key</span>
          <input
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            placeholder="krk_…"
            value={key}
            aria-invalid={message !== null}
            {...(message === null ? {} : { 'aria-describedby': 'sign-in-fault' })}
            onInput={(event) => {
              setKey(event.currentTarget.value);
              setFault(null);
            }}
          />
        </label>
        {message !== null && (
          <p class="fault" id="sign-in-fault" role="alert">
            {message}
          </p>
        )}
        <label class="check">
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
          Remember it on this device
        </label>
        <button type="submit" class="button is-primary is-wide">
          Sign in
        </button>
        <p class="sign-in-note muted">
          The key stays in this browser. Make one under Team, or get one from your operator:{' '}
          <code>keyrank key create</code>. The demo prints a link that signs in.
        </p>
      </form>
    </main>
  );
}
