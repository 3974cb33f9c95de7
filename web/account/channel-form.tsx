import { useState } from 'preact/hooks';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { NotificationsAnswer } from '../api/wire.ts';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

const CHATS = [
  { kind: 'slack', text: 'Slack', example: 'https://hooks.slack.com/services/…' },
  { kind: 'teams', text: 'Microsoft Teams', example: 'https://….webhook.office.com/…' },
  { kind: 'discord', text: 'Discord', example: 'https://discord.com/api/webhooks/…' },
] as const;

interface ChannelFormProps {
  readonly settings: NotificationsAnswer['data'];
  readonly hasMail: boolean;
  readonly onAdded: () => void;
}

export function ChannelForm({ settings, hasMail, onAdded }: ChannelFormProps) {
  const [kind, setKind] = useState<string>(CHATS[0].kind);
  const [url, setUrl] = useState('');
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const add = async (body: object) => {
    setFailure(null);
    try {
      await ask('/v1/notification-channels', { method: 'POST', body });
      setUrl('');
      showToast('Added. A test message shows whether it arrives.');
      onAdded();
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void add({ kind, url: url.trim() });
  };
  const example = CHATS.find((each) => each.kind === kind)?.example;
  return (
    <form class="webhook-form" onSubmit={submit}>
      {!hasMail &&
        (settings.is_mail_offered ? (
          <button type="button" class="button" onClick={() => add({ kind: 'email' })}>
            Tell me by mail to {settings.email}
          </button>
        ) : (
          <p class="muted">This server sends no mail: its operator has set up no mail server.</p>
        ))}
      <div class="channel-add">
        <label class="field">
          <span>Chat</span>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            {CHATS.map((chat) => (
              <option key={chat.kind} value={chat.kind}>
                {chat.text}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Address of its incoming webhook</span>
          <input
            type="url"
            value={url}
            placeholder={example}
            autocomplete="off"
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button" disabled={url.trim() === ''}>
          Add chat
        </button>
      </div>
      {failure && (
        <p class="fault" role="alert">
          {explain(failure)}
        </p>
      )}
    </form>
  );
}
