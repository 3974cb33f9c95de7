import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { ConnectionRow, ConnectionTestAnswer, RetryAnswer } from '../api/wire.ts';
import { useAttempt } from '../app/use-attempt.ts';
import { formatInstant } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';
import { DownloadTable } from './download-table.tsx';
import { RotateForm } from './rotate-form.tsx';

interface ConnectionCardProps {
  readonly connection: ConnectionRow;
  readonly onChange: () => void;
}

export function ConnectionCard({ connection, onChange }: ConnectionCardProps) {
  const [opened, setOpened] = useState<'downloads' | 'secrets' | null>(null);
  const { name, marketplaces, client_id, disabled_at, fault, held_until, downloads, is_own } = connection;
  const toggle = (part: 'downloads' | 'secrets') => setOpened(opened === part ? null : part);
  return (
    <section class="panel" aria-label={`Connection ${name}`}>
      <header class="panel-head">
        <h2>{name}</h2>
        {disabled_at !== null && <span class="plan-badge">disabled</span>}
        {!is_own && <span class="plan-badge">of others</span>}
      </header>
      <p>
        {marketplaces.join(', ')} · {downloads.imported} imported, {downloads.coming} coming, {downloads.failed} failed
      </p>
      <p class="muted connection-facts">
        {lookBackOf(connection)} · <code>{client_id}</code>
      </p>
      {fault !== null && (
        <p class="fault">
          {fault}
          {held_until !== null && ` Amazon is asked again on ${formatInstant(held_until)}.`}
        </p>
      )}
      <Tools connection={connection} onChange={onChange} />
      <div class="team-tools">
        <button
          type="button"
          class="button is-small"
          aria-expanded={opened === 'downloads'}
          aria-label={`Downloads of ${name}`}
          onClick={() => toggle('downloads')}
        >
          Downloads
        </button>
        <button
          type="button"
          class="button is-small"
          aria-expanded={opened === 'secrets'}
          aria-label={`New secrets of ${name}`}
          onClick={() => toggle('secrets')}
        >
          New secrets
        </button>
      </div>
      {opened === 'downloads' && <DownloadTable connection={connection} />}
      {opened === 'secrets' && (
        <RotateForm
          connection={connection}
          onDone={() => {
            setOpened(null);
            onChange();
          }}
        />
      )}
    </section>
  );
}

function Tools({ connection, onChange }: ConnectionCardProps) {
  const { id, name, disabled_at } = connection;
  const [isSure, setSure] = useState(false);
  const { fault, attempt } = useAttempt();
  const act = (work: () => Promise<string>) =>
    attempt(async () => {
      showToast(await work());
      onChange();
    });
  const test = () =>
    attempt(async () => {
      const { data } = await ask<ConnectionTestAnswer>(`/v1/connections/${id}/test`, { method: 'POST' });
      if (data.works) return showToast(`Amazon answers ${name}.`);
      throw new Error(`${data.message} ${data.hint ?? ''}`.trim());
    });
  const retry = () =>
    act(async () => {
      const { data } = await ask<RetryAnswer>(`/v1/connections/${id}/retry`, { method: 'POST', body: {} });
      return data.retried === 0 ? 'There is nothing to try again.' : `Tried again now: ${data.retried}.`;
    });
  const setEnabled = (is_enabled: boolean) =>
    act(async () => {
      await ask(`/v1/connections/${id}`, { method: 'PATCH', body: { is_enabled } });
      return is_enabled ? `Reports are fetched again for ${name}.` : `Nothing is fetched any more for ${name}.`;
    });
  const remove = () => {
    if (!isSure) return setSure(true);
    return act(async () => {
      await ask(`/v1/connections/${id}`, { method: 'DELETE' });
      return `${name} is removed. What it published stays.`;
    });
  };
  return (
    <>
      <div class="team-tools">
        <button type="button" class="button is-small" aria-label={`Test ${name}`} onClick={test}>
          Test
        </button>
        <button type="button" class="button is-small" aria-label={`Retry now ${name}`} onClick={retry}>
          Retry now
        </button>
        <button
          type="button"
          class="button is-small"
          aria-label={`${disabled_at === null ? 'Disable' : 'Enable'} ${name}`}
          onClick={() => setEnabled(disabled_at !== null)}
        >
          {disabled_at === null ? 'Disable' : 'Enable'}
        </button>
        <button
          type="button"
          class={isSure ? 'button is-small is-danger' : 'button is-small'}
          aria-label={isSure ? `Really remove ${name}?` : `Remove ${name}`}
          onBlur={() => setSure(false)}
          onClick={remove}
        >
          {isSure ? 'Really remove?' : 'Remove'}
        </button>
      </div>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

function lookBackOf({ look_back_weeks: weeks, look_back_months: months, since }: ConnectionRow): string {
  const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`;
  return `looks back ${count(weeks, 'week')} and ${count(months, 'month')}${since === null ? '' : `, and to ${since}`}`;
}
