import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Account } from '../api/wire.ts';
import { enterSession } from '../app/session.ts';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

/** For a person who belongs to several. Another organization is another world: nothing of the last stays. */
export function OrganizationSwitch({ account }: { readonly account: Account }) {
  if (account.session_id === null || account.organizations.length < 2) return null;
  const choose = async (id: string) => {
    try {
      await ask('/v1/account/organization', { method: 'PUT', body: { organization_id: id } });
      enterSession();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
  };
  return (
    <select
      aria-label="Organization"
      value={account.organization.id}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {account.organizations.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
