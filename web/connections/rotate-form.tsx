import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { ConnectionRow } from '../api/wire.ts';
import { useAttempt } from '../app/use-attempt.ts';
import { TextField } from '../parts/text-field.tsx';
import { showToast } from '../parts/toast.tsx';
import { areEntered, NO_SECRETS, SecretFields } from './secret-fields.tsx';

interface RotateFormProps {
  readonly connection: ConnectionRow;
  readonly onDone: () => void;
}

/** The old secrets stay until Amazon has answered to the new ones. */
export function RotateForm({ connection, onDone }: RotateFormProps) {
  const [clientId, setClientId] = useState(connection.client_id);
  const [secrets, setSecrets] = useState(NO_SECRETS);
  const { fault, attempt } = useAttempt();
  const rotate = (event: Event) => {
    event.preventDefault();
    void attempt(async () => {
      const body = { client_id: clientId.trim(), ...secrets };
      await ask(`/v1/connections/${connection.id}/rotate`, { method: 'POST', body });
      setSecrets(NO_SECRETS);
      showToast(`${connection.name} has new secrets.`);
      onDone();
    });
  };
  return (
    <form class="team-form" aria-label={`New secrets of ${connection.name}`} onSubmit={rotate} noValidate>
      <TextField label="Client id" value={clientId} onText={setClientId} />
      <SecretFields secrets={secrets} onChange={setSecrets} />
      <button type="submit" class="button" disabled={clientId.trim() === '' || !areEntered(secrets)}>
        Replace the secrets
      </button>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
