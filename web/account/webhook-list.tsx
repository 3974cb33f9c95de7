import { useState } from 'preact/hooks';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { Webhook, WebhooksAnswer } from '../api/wire.ts';
import { copyText } from '../parts/copied-text.ts';
import { MissingNotice, Skeleton } from '../parts/notices.tsx';
import { SureButton } from '../parts/sure-button.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { WebhookDeliveries } from './webhook-deliveries.tsx';

const EVENTS = [
  { name: 'period.published', text: 'A period is published' },
  { name: 'tracked_keyword.priority_hit', text: 'A tracked keyword meets its rule' },
  { name: 'tracked_product.changed', text: 'A tracked product enters or leaves keywords' },
  { name: 'data.late', text: 'A period is later than usual' },
];

const PAUSES: Readonly<Record<NonNullable<Webhook['paused_reason']>, string>> = {
  operator: 'Paused by the operator: nothing is sent.',
  no_key:
    'Paused, because the user who added it had no usable key: nothing is sent. Ask the operator, or add it again.',
};

export function WebhookList() {
  const { answer, failure, reload } = useAnswer<WebhooksAnswer>('/v1/webhooks');
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Webhooks</h2>
      </header>
      {failure &&
        (failure.status === 404 ? <MissingNotice what="Webhooks are" /> : <p class="fault">{failure.message}</p>)}
      {!answer && !failure && <Skeleton rows={2} height={40} />}
      {answer && (
        <>
          {answer.data.length === 0 && <p class="muted">Have your own program told when something happens.</p>}
          <ul class="webhooks">
            {answer.data.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} onGone={reload} />
            ))}
          </ul>
          <WebhookForm onAdded={reload} />
        </>
      )}
    </section>
  );
}

function WebhookRow({ webhook, onGone }: { readonly webhook: Webhook; readonly onGone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    try {
      await ask(`/v1/webhooks/${webhook.id}`, { method: 'DELETE' });
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    onGone();
  };
  return (
    <li>
      <span class="webhook-url">
        <code>{webhook.url}</code>
        <small class="muted">{webhook.events.join(', ')}</small>
        {webhook.paused_reason && <small class="fault">{PAUSES[webhook.paused_reason]}</small>}
      </span>
      <button
        type="button"
        class="button is-small"
        aria-expanded={isOpen}
        aria-label={`Log of ${webhook.url}`}
        onClick={() => setOpen(!isOpen)}
      >
        Log
      </button>
      <SureButton text="Delete" name={webhook.url} onSure={remove} />
      {isOpen && <WebhookDeliveries webhook={webhook} />}
    </li>
  );
}

function WebhookForm({ onAdded }: { readonly onAdded: () => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly string[]>(EVENTS.map(({ name }) => name));
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const add = async (event: Event) => {
    event.preventDefault();
    setFailure(null);
    try {
      const answer = await ask<{ readonly data: { readonly secret: string } }>('/v1/webhooks', {
        method: 'POST',
        body: { url: url.trim(), events },
      });
      setSecret(answer.data.secret);
      setUrl('');
      onAdded();
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  return (
    <form class="webhook-form" onSubmit={add}>
      <label class="field">
        <span>Address</span>
        <input
          type="url"
          value={url}
          placeholder="https://hooks.example.com/keyrank"
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </label>
      {EVENTS.map(({ name, text }) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={events.includes(name)}
            onChange={(event) =>
              setEvents(event.currentTarget.checked ? [...events, name] : events.filter((each) => each !== name))
            }
          />
          {text}
        </label>
      ))}
      {failure && (
        <p class="fault" role="alert">
          {explain(failure)}
        </p>
      )}
      {secret && (
        <p class="secret" role="status">
          Its secret, shown once: <code>{secret}</code>{' '}
          <button type="button" class="button is-small" onClick={() => copyText(secret, 'The secret is copied.')}>
            Copy
          </button>
        </p>
      )}
      <button type="submit" class="button" disabled={url.trim() === '' || events.length === 0}>
        Add webhook
      </button>
    </form>
  );
}
