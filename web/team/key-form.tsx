import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { Account, MadeKeyAnswer, MembersAnswer, Scope } from '../api/wire.ts';
import { TextField } from '../parts/text-field.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { SCOPE_WORDS } from './roles.ts';

/** What most programs need; the others are chosen knowingly. */
const USUAL: readonly Scope[] = ['search', 'export', 'trends', 'tracked:read', 'tracked:write', 'history', 'account'];
const OF_OPERATORS: readonly Scope[] = ['operator', 'import'];
const LIFETIMES = [
  { days: 0, text: 'never' },
  { days: 30, text: 'in 30 days' },
  { days: 90, text: 'in 90 days' },
  { days: 365, text: 'in a year' },
];
const DAY_MS = 86_400_000;

export function KeyForm({
  account,
  onMade,
}: {
  readonly account: Account;
  readonly onMade: (key: MadeKeyAnswer['data']) => void;
}) {
  const { answer: members } = useAnswer<MembersAnswer>('/v1/members');
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(USUAL.filter((scope) => account.scopes.includes(scope)));
  const [days, setDays] = useState(0);
  const [memberId, setMemberId] = useState(account.user.id);
  const [fault, setFault] = useState<string | null>(null);
  const offered = account.scopes.filter((scope) => !OF_OPERATORS.includes(scope) || account.user.is_operator);
  const make = async (event: Event) => {
    event.preventDefault();
    setFault(null);
    const expiry = days === 0 ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
    try {
      const body = { name: name.trim(), scopes, member_id: memberId, ...expiry };
      onMade((await ask<MadeKeyAnswer>('/v1/keys', { method: 'POST', body })).data);
      setName('');
    } catch (error) {
      setFault(explain(asFailure(error)));
    }
  };
  return (
    <form class="team-form" onSubmit={make} noValidate>
      <TextField label="Name of the new key" value={name} placeholder="Weekly sheet" onText={setName} />
      <label class="field">
        <span>For</span>
        <select value={memberId} onChange={(event) => setMemberId(event.currentTarget.value)}>
          {(members?.data ?? [{ id: account.user.id, email: account.user.email }]).map(({ id, email }) => (
            <option key={id} value={id}>
              {email}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Ends</span>
        <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {LIFETIMES.map((each) => (
            <option key={each.days} value={each.days}>
              {each.text}
            </option>
          ))}
        </select>
      </label>
      <ScopeChoice offered={offered} scopes={scopes} onChange={setScopes} />
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <button type="submit" class="button" disabled={name.trim() === '' || scopes.length === 0}>
        Make key
      </button>
    </form>
  );
}

interface ScopeChoiceProps {
  readonly offered: readonly Scope[];
  readonly scopes: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}

function ScopeChoice({ offered, scopes, onChange }: ScopeChoiceProps) {
  return (
    <fieldset class="team-scopes">
      <legend>Scopes: what the key may do</legend>
      {offered.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))
            }
          />
          <span>
            {scope}
            <small class="muted"> {SCOPE_WORDS[scope]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
