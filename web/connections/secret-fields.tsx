import { TextField } from '../parts/text-field.tsx';

export const NO_SECRETS = { client_secret: '', refresh_token: '' };
export type Secrets = typeof NO_SECRETS;

export function areEntered({ client_secret, refresh_token }: Secrets): boolean {
  return client_secret.trim() !== '' && refresh_token.trim() !== '';
}

/** They go to the service and never come back. */
export function SecretFields(props: { readonly secrets: Secrets; readonly onChange: (secrets: Secrets) => void }) {
  const { secrets, onChange } = props;
  return (
    <>
      <TextField
        label="Client secret"
        type="password"
        value={secrets.client_secret}
        onText={(client_secret) => onChange({ ...secrets, client_secret })}
      />
      <TextField
        label="Refresh token"
        type="password"
        value={secrets.refresh_token}
        onText={(refresh_token) => onChange({ ...secrets, refresh_token })}
      />
    </>
  );
}
