import { useState } from 'preact/hooks';
import { type ApiFailure, type ApiPath, ask } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { NotificationChannel, NotificationChannelsAnswer, NotificationsAnswer, PriorityRule } from '../api/wire.ts';
import { formatAge } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { MissingNotice, Skeleton } from '../parts/notices.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { showToast } from '../parts/toast.tsx';
import { RuleLine, useRule } from '../tracked/priority-rule.tsx';
import { describeRule } from '../tracked/rule-words.ts';
import { explain } from '../tracked/tracked-terms.ts';
import { ChannelForm } from './channel-form.tsx';

const CHANNELS_PATH = '/v1/notification-channels';
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
/** Time for a message to be sent before it is looked at. */
const LOOK_AGAIN_MS = 2_000;

export function NotificationPanel() {
  const settings = useAnswer<NotificationsAnswer>('/v1/notifications');
  const channels = useAnswer<NotificationChannelsAnswer>(CHANNELS_PATH);
  const failure = settings.failure ?? channels.failure;
  const list = channels.answer?.data;
  return (
    <section class="panel notifications">
      <header class="panel-head">
        <h2>Notifications</h2>
      </header>
      {failure &&
        (failure.status === 404 ? <MissingNotice what="Notifications are" /> : <p class="fault">{failure.message}</p>)}
      {!(settings.answer && list) && !failure && <Skeleton rows={3} height={48} />}
      {settings.answer && list && (
        <>
          {list.length === 0 && (
            <p class="muted">
              Nobody tells you yet what happened to your keywords and products. Add your mail address or a chat.
            </p>
          )}
          <ul class="channels">
            {list.map((channel) => (
              <ChannelRow key={channel.id} channel={channel} onChanged={channels.reload} />
            ))}
          </ul>
          <ChannelForm
            settings={settings.answer.data}
            hasMail={list.some(({ kind }) => kind === 'email')}
            onAdded={channels.reload}
          />
          <DefaultRule rule={settings.answer.data.default_priority_rule} onChanged={settings.reload} />
        </>
      )}
    </section>
  );
}

function ChannelRow({
  channel,
  onChanged,
}: {
  readonly channel: NotificationChannel;
  readonly onChanged: () => void;
}) {
  const path: ApiPath = `${CHANNELS_PATH}/${channel.id}`;
  const name = `${KIND_WORDS[channel.kind]} ${channel.address}`;
  const act = async (question: Parameters<typeof ask>[1], then = path, done?: string) => {
    try {
      await ask(then, question);
      if (done) showToast(done);
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    onChanged();
  };
  const change = (body: object) => act({ method: 'PATCH', body });
  const test = async () => {
    await act({ method: 'POST' }, `${path}/test`, 'A test message is on its way.');
    setTimeout(onChanged, LOOK_AGAIN_MS);
  };
  const toggleEvent = (event: string, isOn: boolean) =>
    change({ events: EVENTS.map((each) => each.name).filter((each) => (each === event ? isOn : channel.events.includes(each))) });
  const canResume = channel.paused_reason === 'owner' || channel.paused_reason === 'unsubscribed';
  return (
    <li>
      <div class="channel-head">
        <b>{KIND_WORDS[channel.kind]}</b> <span class="channel-address">{channel.address}</span>
        <span class="channel-tools">
          {channel.is_active ? (
            <>
              <button type="button" class="button is-small" aria-label={`Test ${name}`} onClick={test}>
                Test
              </button>
              <button
                type="button"
                class="button is-small"
                aria-label={`Switch off ${name}`}
                onClick={() => change({ is_active: false })}
              >
                Off
              </button>
            </>
          ) : (
            canResume && (
              <button
                type="button"
                class="button is-small"
                aria-label={`Switch on ${name}`}
                onClick={() => change({ is_active: true })}
              >
                On
              </button>
            )
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
      </div>
      <div class="channel-choices">
        {EVENTS.map((event) => {
          const isOn = channel.events.includes(event.name);
          return (
            <label key={event.name} class="check">
              <input
                type="checkbox"
                checked={isOn}
                disabled={isOn && channel.events.length === 1}
                onChange={(change) => toggleEvent(event.name, change.currentTarget.checked)}
              />
              {event.text}
            </label>
          );
        })}
        <Segmented
          label={`How often ${name} is told`}
          options={FREQUENCIES}
          value={channel.frequency}
          onChange={(frequency) => change({ frequency })}
        />
      </div>
      {channel.paused_reason && <small class="fault">{PAUSES[channel.paused_reason]}</small>}
      <LastMessage message={channel.last_message} />
    </li>
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

const FIRST_RULE: PriorityRule = { field: 'rank_change', operator: 'gte', value: 1000 };

/** The rule for everything tracked without another. */
function DefaultRule({ rule: saved, onChanged }: { readonly rule: PriorityRule | null; readonly onChanged: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const rule = useRule(saved ?? FIRST_RULE);
  const save = async (value: PriorityRule | null) => {
    setFailure(null);
    try {
      await ask('/v1/notifications', { method: 'PATCH', body: { default_priority_rule: value } });
      setOpen(false);
      onChanged();
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void save(rule.typed);
  };
  return (
    <form class="rule-form default-rule" onSubmit={submit}>
      <p>
        {saved ? (
          <>
            Everything you track alerts when: <b>{describeRule(saved)}</b>.
          </>
        ) : (
          <>Keywords alert by their own rules and those of lists.</>
        )}{' '}
        {!isOpen && (
          <button type="button" class="button is-small" onClick={() => setOpen(true)}>
            {saved ? 'Change' : 'Rule for everything tracked'}
          </button>
        )}
      </p>
      {isOpen && (
        <>
          <RuleLine rule={rule} />
          <p class="muted">It counts for keywords without a rule of their own, that stand in no list with one.</p>
          <div class="rule-line">
            <button type="submit" class="button is-primary" disabled={!rule.isNumber}>
              Save
            </button>
            {saved && (
              <button type="button" class="button" onClick={() => save(null)}>
                Remove it
              </button>
            )}
            <button type="button" class="button is-bare" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </>
      )}
      {failure && (
        <p class="fault" role="alert">
          {explain(failure)}
        </p>
      )}
    </form>
  );
}
