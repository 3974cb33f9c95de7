import { useState } from 'preact/hooks';
import { type ApiPath, ask, type Question } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { NotificationChannel } from '../api/wire.ts';
import { formatAge } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

export const CHANNELS_PATH = '/v1/notification-channels' satisfies ApiPath;
const KIND_WORDS: Readonly<Record<NotificationChannel['kind'], string>> = {
  email: 'E-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
};
const EVENTS = [
  { name: 'digest', text: 'Digest of each period' },
  { name: 'alert', text: 'Alerts' },
  { name: 'late', text: 'Late periods' },
] as const;
const FREQUENCIES = [
  { value: 'at_once', text: 'At once' },
  { value: 'weekly', text: 'Weekly' },
] as const;
const PAUSES: Readonly<Record<NonNullable<NotificationChannel['paused_reason']>, string>> = {
  owner: 'Switched off: nothing is sent.',
  unsubscribed: 'Unsubscribed by the link in a mail: nothing is sent.',
  operator: 'Paused by the operator: nothing is sent.',
  no_key: 'Paused, because you had no usable key: nothing is sent. Delete it and add it again.',
};

type Act = (question: Question, done?: { readonly path?: ApiPath; readonly words?: string }) => Promise<boolean>;
type Choices = Pick<NotificationChannel, 'events' | 'frequency'>;

interface ChannelProps {
  readonly channel: NotificationChannel;
  /** For those who hear what a button is about. */
  readonly name: string;
  readonly act: Act;
}

export function ChannelRow({
  channel,
  onChanged,
}: {
  readonly channel: NotificationChannel;
  readonly onChanged: () => void;
}) {
  const name = `${KIND_WORDS[channel.kind]} ${channel.address}`;
  const act: Act = async (question, { path = `${CHANNELS_PATH}/${channel.id}` as const, words } = {}) => {
    try {
      await ask(path, question);
      if (words) showToast(words);
      return true;
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
      return false;
    } finally {
      onChanged();
    }
  };
  const props = { channel, name, act };
  return (
    <li>
      <div class="channel-head">
        <b>{KIND_WORDS[channel.kind]}</b> <span class="channel-address">{channel.address}</span>
        <ChannelTools {...props} />
      </div>
      <ChannelChoices {...props} />
      {channel.paused_reason && <small class="fault">{PAUSES[channel.paused_reason]}</small>}
      <LastMessage message={channel.last_message} />
    </li>
  );
}

function ChannelTools({ channel, name, act }: ChannelProps) {
  const test = () =>
    act({ method: 'POST' }, { path: `${CHANNELS_PATH}/${channel.id}/test`, words: 'A test message is on its way.' });
  const canResume = channel.paused_reason === 'owner' || channel.paused_reason === 'unsubscribed';
  const isOn = channel.is_active;
  return (
    <span class="channel-tools">
      {isOn && (
        <button type="button" class="button is-small" aria-label={`Test ${name}`} onClick={test}>
          Test
        </button>
      )}
      {(isOn || canResume) && (
        <button
          type="button"
          class="button is-small"
          aria-label={`Switch ${isOn ? 'off' : 'on'} ${name}`}
          onClick={() => act({ method: 'PATCH', body: { is_active: !isOn } })}
        >
          {isOn ? 'Off' : 'On'}
        </button>
      )}
      <button
        type="button"
        class="button is-icon is-bare"
        aria-label={`Delete ${name}`}
        onClick={() => act({ method: 'DELETE' })}
      >
        <Icon name="trash" />
      </button>
    </span>
  );
}

/** What is chosen stands at once: an answer that was on its way does not turn it back, and the next choice begins with it. */
function ChannelChoices({ channel, name, act }: ChannelProps) {
  const [chosen, setChosen] = useState<Choices>({ events: channel.events, frequency: channel.frequency });
  const choose = async (change: Partial<Choices>) => {
    setChosen({ ...chosen, ...change });
    if (!(await act({ method: 'PATCH', body: change }))) setChosen(chosen);
  };
  const toggle = (event: string, isOn: boolean) => {
    const names = EVENTS.map((each) => each.name);
    return choose({ events: names.filter((each) => (each === event ? isOn : chosen.events.includes(each))) });
  };
  return (
    <div class="channel-choices">
      {EVENTS.map((event) => {
        const isOn = chosen.events.includes(event.name);
        return (
          <label key={event.name} class="check">
            <input
              type="checkbox"
              checked={isOn}
              disabled={isOn && chosen.events.length === 1}
              onChange={(change) => toggle(event.name, change.currentTarget.checked)}
            />
            {event.text}
          </label>
        );
      })}
      <Segmented
        label={`How often ${name} is told`}
        options={FREQUENCIES}
        value={chosen.frequency}
        onChange={(frequency) => choose({ frequency })}
      />
    </div>
  );
}

function LastMessage({ message }: { readonly message: NotificationChannel['last_message'] }) {
  if (!message) return <small class="muted">Nothing was sent yet.</small>;
  const { status, error, attempted_at: at } = message;
  const when = at === null ? '' : ` ${formatAge(at, Date.now())}`;
  if (status === 'delivered') return <small class="muted">Last message: sent{when}.</small>;
  if (error === null) return <small class="muted">A message is on its way.</small>;
  return (
    <small class="fault">
      Last message{when}: {error}.{status === 'pending' && ' It is tried again.'}
    </small>
  );
}
