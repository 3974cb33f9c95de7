import { useState } from 'preact/hooks';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { NotificationChannelsAnswer, NotificationsAnswer, PriorityRule } from '../api/wire.ts';
import { useLookingAgain } from '../parts/look-again.ts';
import { MissingNotice, Skeleton } from '../parts/notices.tsx';
import { RuleLine, useRule } from '../tracked/priority-rule.tsx';
import { describeRule } from '../tracked/rule-words.ts';
import { explain } from '../tracked/tracked-terms.ts';
import { ChannelForm } from './channel-form.tsx';
import { CHANNELS_PATH, ChannelRow } from './channel-row.tsx';

export function NotificationPanel() {
  const settings = useAnswer<NotificationsAnswer>('/v1/notifications');
  const channels = useAnswer<NotificationChannelsAnswer>(CHANNELS_PATH);
  const failure = settings.failure ?? channels.failure;
  const list = channels.answer?.data;
  const isOnItsWay = list?.some(({ last_message: last }) => last?.status === 'pending' && last.error === null) ?? false;
  useLookingAgain(isOnItsWay, channels.reload);
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
              Nobody tells you yet what happened to your keywords and products. Add{' '}
              {settings.answer.data.is_mail_offered ? 'your mail address or a chat' : 'a chat'}.
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

const FIRST_RULE: PriorityRule = { field: 'rank_change', operator: 'gte', value: 1000 };

/** The rule for everything tracked without another. */
function DefaultRule({
  rule: saved,
  onChanged,
}: {
  readonly rule: PriorityRule | null;
  readonly onChanged: () => void;
}) {
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
