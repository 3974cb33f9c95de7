import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { MadeInvitationAnswer, Role } from '../api/wire.ts';
import { copyText } from '../parts/copied-text.ts';
import { TextField } from '../parts/text-field.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { ROLES } from './roles.ts';

export function InviteForm({ isOwner, onInvited }: { readonly isOwner: boolean; readonly onInvited: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [fault, setFault] = useState<string | null>(null);
  const [made, setMade] = useState<MadeInvitationAnswer['data'] | null>(null);
  const link = made && window.location.origin + made.path;
  const invite = async (event: Event) => {
    event.preventDefault();
    setFault(null);
    try {
      const { data } = await ask<MadeInvitationAnswer>('/v1/invitations', {
        method: 'POST',
        body: { email: email.trim(), role },
      });
      setMade(data);
      setEmail('');
      onInvited();
    } catch (error) {
      setFault(explain(asFailure(error)));
    }
  };
  return (
    <form class="team-form" onSubmit={invite} noValidate>
      <TextField
        label="Invite by mail address"
        type="email"
        value={email}
        placeholder="ada@example.com"
        onText={setEmail}
      />
      <label class="field">
        <span>Role</span>
        <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
          {ROLES.filter(({ name }) => isOwner || name !== 'owner').map(({ name, text }) => (
            <option key={name} value={name}>
              {name}: {text}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button" disabled={email.trim() === ''}>
        Invite
      </button>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {made && link && (
        <p class="secret" role="status">
          {made.is_mailed ? 'A mail is on its way. The same link' : 'The link'} for {made.email}, shown once:{' '}
          <code>{link}</code>{' '}
          <button type="button" class="button is-small" onClick={() => copyText(link, 'The link is copied.')}>
            Copy
          </button>
        </p>
      )}
    </form>
  );
}
