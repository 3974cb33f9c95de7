import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { Account, ApiKeyRow, KeysAnswer, MadeKeyAnswer } from '../api/wire.ts';
import { copyText } from '../parts/copied-text.ts';
import { formatAge, formatInstant } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { SureButton } from '../parts/sure-button.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { KeyForm } from './key-form.tsx';

type ShownKey = MadeKeyAnswer['data'] & { readonly isRotated: boolean };

export function KeysPanel({ account }: { readonly account: Account }) {
  const { answer, failure, reload } = useAnswer<KeysAnswer>('/v1/keys');
  const [made, setMade] = useState<ShownKey | null>(null);
  const mayManage = account.actions.includes('keys');
  const show = (key: MadeKeyAnswer['data'], isRotated = false) => {
    setMade({ ...key, isRotated });
    reload();
  };
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>API keys</h2>
      </header>
      {failure && <p class="fault">{explain(failure)}</p>}
      {!answer && !failure && <Skeleton rows={2} height={36} />}
      {answer?.data.length === 0 && <p class="muted">No keys yet. Programs ask with one; people sign in.</p>}
      {answer && answer.data.length > 0 && (
        <ul class="team-rows" aria-label="API keys">
          {answer.data.map((key) => (
            <KeyRow
              key={key.id}
              row={key}
              mayRotate={mayManage}
              onChange={reload}
              onRotated={(key) => show(key, true)}
            />
          ))}
        </ul>
      )}
      {made && (
        <p class="secret" role="status">
          The key “{made.name}”, shown once{made.isRotated && '; the one before it is disabled'}:{' '}
          <code>{made.key}</code>{' '}
          <button type="button" class="button is-small" onClick={() => copyText(made.key, 'The key is copied.')}>
            Copy
          </button>
        </p>
      )}
      {mayManage ? (
        <KeyForm account={account} onMade={(key) => show(key)} />
      ) : (
        <p class="muted">Owners and admins make keys.</p>
      )}
    </section>
  );
}

interface KeyRowProps {
  readonly row: ApiKeyRow;
  readonly mayRotate: boolean;
  readonly onChange: () => void;
  readonly onRotated: (key: MadeKeyAnswer['data']) => void;
}

function KeyRow({ row, mayRotate, onChange, onRotated }: KeyRowProps) {
  const isOver = row.expires_at !== null && Date.parse(row.expires_at) <= Date.now();
  const state = row.disabled_at !== null ? 'disabled' : isOver ? 'expired' : undefined;
  const name = row.name || `${row.prefix}…`;
  const disable = async () => {
    try {
      await ask(`/v1/keys/${row.id}`, { method: 'DELETE' });
      showToast(`${name} is disabled.`);
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    onChange();
  };
  const rotate = async () => {
    try {
      onRotated((await ask<MadeKeyAnswer>(`/v1/keys/${row.id}/rotate`, { method: 'POST' })).data);
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
  };
  return (
    <li>
      <span class="team-who">
        {row.name ? <b>{row.name}</b> : <i class="muted">no name</i>} <code class="muted">{row.prefix}…</code>
        <small class="muted">
          {row.user} · {row.scopes.join(', ')}
        </small>
        <small class="muted">
          {row.last_used_at === null ? 'never used' : `used ${formatAge(row.last_used_at, Date.now())}`}
          {row.expires_at !== null && ` · until ${formatInstant(row.expires_at)}`}
        </small>
      </span>
      {state === undefined ? (
        <span class="team-tools">
          {mayRotate && <SureButton text="Rotate" name={name} onSure={rotate} />}
          <SureButton text="Disable" name={name} onSure={disable} />
        </span>
      ) : (
        <span class="muted">{state}</span>
      )}
    </li>
  );
}
