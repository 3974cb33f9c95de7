import { useState } from 'preact/hooks';
import { ask, forgetAnswers } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import { TextField } from '../parts/text-field.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

const MIN_CHARACTERS = 12;

export function PasswordForm({
  hasPassword,
  onChanged,
}: {
  readonly hasPassword: boolean;
  readonly onChanged: () => void;
}) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const change = async (event: Event) => {
    event.preventDefault();
    setFault(null);
    try {
      const body = { ...(hasPassword ? { current_password: current } : {}), new_password: next };
      await ask('/v1/account/password', { method: 'PUT', body });
      showToast('The password is changed, and all other sessions are ended.');
      setCurrent('');
      setNext('');
      forgetAnswers('/v1/account');
      forgetAnswers('/v1/sessions');
      onChanged();
    } catch (error) {
      setFault(explain(asFailure(error)));
    }
  };
  return (
    <form class="team-form" onSubmit={change} noValidate>
      {hasPassword && (
        <TextField
          label="Current password"
          type="password"
          autocomplete="current-password"
          value={current}
          onText={setCurrent}
        />
      )}
      <TextField label="New password" type="password" autocomplete="new-password" value={next} onText={setNext} />
      <button
        type="submit"
        class="button"
        disabled={[...next].length < MIN_CHARACTERS || (hasPassword && current === '')}
      >
        {hasPassword ? 'Change password' : 'Set password'}
      </button>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
