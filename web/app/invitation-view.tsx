import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { InvitationAnswer } from '../api/wire.ts';
import { TextField } from '../parts/text-field.tsx';
import { invitation } from './person-link.ts';
import { PersonSignIn } from './person-sign-in.tsx';
import { apiKey, enterSession, isSession } from './session.ts';
import { BrandMark } from './top-bar.tsx';
import { useAttempt } from './use-attempt.ts';

const MIN_PASSWORD_CHARACTERS = 12;

/** An invitation, for whoever has its link: accepted by who is signed in, or with a password for a new account. */
export function InvitationView({ token }: { readonly token: string }) {
  const [invited, setInvited] = useState<InvitationAnswer['data'] | null>(null);
  const [password, setPassword] = useState('');
  const [needsSignIn, setNeedsSignIn] = useState(false);
  const { fault, attempt } = useAttempt(({ code }) => {
    if (code === 'CONFLICT') setNeedsSignIn(true);
  });
  const hasSession = isSession(apiKey.value);

  useEffect(() => {
    void attempt(async () => {
      const { data } = await ask<InvitationAnswer>('/v1/sign-in/invitations', {
        method: 'POST',
        body: { token },
        key: null,
      });
      setInvited(data);
    });
  }, [token]);
  const accept = (event: Event) => {
    event.preventDefault();
    void attempt(async () => {
      const body = { token, ...(password === '' ? {} : { password }) };
      await ask('/v1/sign-in/invitations/accept', { method: 'POST', body, key: null });
      invitation.value = null;
      enterSession();
    });
  };
  return (
    <main class="sign-in">
      <h1>
        <BrandMark /> keyrank
      </h1>
      <form onSubmit={accept} noValidate>
        <h2>You are invited</h2>
        {invited && <InvitedTo invited={invited} />}
        {invited && !hasSession && !needsSignIn && (
          <TextField
            label="Choose a password"
            type="password"
            autocomplete="new-password"
            value={password}
            onText={setPassword}
          >
            <small class="muted">At least {MIN_PASSWORD_CHARACTERS} characters, such as four words.</small>
          </TextField>
        )}
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        {invited && (
          <button
            type="submit"
            class="button is-primary is-wide"
            disabled={!hasSession && !needsSignIn && [...password].length < MIN_PASSWORD_CHARACTERS}
          >
            Accept
          </button>
        )}
        <button type="button" class="button is-wide" onClick={dismiss}>
          Not now
        </button>
      </form>
      {invited && !hasSession && <PersonSignIn invitation={token} />}
    </main>
  );
}

function dismiss(): void {
  invitation.value = null;
}

function InvitedTo({ invited }: { readonly invited: InvitationAnswer['data'] }) {
  return (
    <p>
      To <b>{invited.organization}</b>, as <b>{invited.role}</b>, with the address <b>{invited.email}</b>.
    </p>
  );
}
