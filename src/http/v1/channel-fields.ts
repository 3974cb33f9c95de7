// A notification channel on the wire, and the fields that a caller writes.
import { type Static, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { NOTICE_EVENTS } from '../../domain/notice.ts';
import {
  CHANNEL_KINDS,
  CHANNEL_PAUSE_REASONS,
  type Channel,
  type ChannelKind,
  type NewChannel,
  NOTICE_FREQUENCIES,
} from '../../domain/notification.ts';
import { DELIVERY_STATUSES } from '../../domain/webhook.ts';
import { choiceField, type FieldValues, flagField, listField, optionalField } from '../body.ts';
import type { Resources } from '../resources.ts';
import { nullable, strictObject, textOf } from '../schemas.ts';
import { webhookUrl } from './webhooks.ts';

export const ChannelSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  kind: textOf(CHANNEL_KINDS),
  address: Type.String({
    description:
      'The mail address; of a chat its host and the last characters, because whoever has the whole can write there.',
  }),
  events: Type.Array(textOf(NOTICE_EVENTS)),
  frequency: textOf(NOTICE_FREQUENCIES),
  created_at: Type.String({ format: 'date-time' }),
  is_active: Type.Boolean({ description: 'False while it is paused: then nothing is sent to it.' }),
  paused_reason: nullable(
    textOf(CHANNEL_PAUSE_REASONS),
    '`owner`: switched off. `unsubscribed`: by the link in a mail. `operator` and `no_key` as of webhooks. Null while it is active.',
  ),
  last_message: nullable(
    strictObject({
      status: textOf(DELIVERY_STATUSES),
      attempted_at: nullable(Type.String({ format: 'date-time' }), 'Null before the first attempt.'),
      error: nullable(Type.String(), 'What went wrong at the last attempt; null when nothing did.'),
    }),
    'What became of the newest message; null before the first.',
  ),
});

export function presentChannel(channel: Channel): Static<typeof ChannelSchema> {
  const { id, kind, address, events, frequency, createdAt, pausedReason, lastStatus, lastAttemptAt, lastError } =
    channel;
  return {
    ...{ id, kind, address: kind === 'email' ? address : maskedAddress(address), events: [...events], frequency },
    created_at: createdAt.toISOString(),
    is_active: pausedReason === null,
    paused_reason: pausedReason,
    last_message: lastStatus && {
      status: lastStatus,
      attempted_at: lastAttemptAt?.toISOString() ?? null,
      error: lastError,
    },
  };
}

const SHOWN_CHARACTERS = 4;

function maskedAddress(address: string): string {
  const { host, pathname, search } = new URL(address);
  return `${host}/…${(pathname + search).slice(1).slice(-SHOWN_CHARACTERS)}`;
}

const events = listField(choiceField('An event.', NOTICE_EVENTS), {
  description:
    'What to be told: `digest`, a summary of each period; `alert`, tracked keywords that meet their rule; `late`, a period that should ' +
    'have come.',
  maxItems: NOTICE_EVENTS.length,
  absent: NOTICE_EVENTS,
});
const frequency = choiceField(
  'How often: `at_once`, a message for each publication; `weekly`, one on Monday, 06:00 UTC, for all of the week.',
  NOTICE_FREQUENCIES,
);

export const newChannelFields = {
  kind: choiceField('How messages are sent.', CHANNEL_KINDS),
  url: optionalField(
    webhookUrl(
      'The address that the chat gave out for an incoming webhook. Mail has none: it goes to your own address.',
    ),
  ),
  events,
  frequency: { ...optionalField(frequency), absent: NOTICE_FREQUENCIES[0] },
};

export const channelChangeFields = {
  events: optionalField(events),
  frequency: optionalField(frequency),
  is_active: flagField('False: nothing is sent until it is true again. What waited is given up.'),
};

const EXAMPLE_URLS: Readonly<Record<Exclude<ChannelKind, 'email'>, string>> = {
  slack: 'https://hooks.slack.com/services/T000/B000/XXXX',
  teams: 'https://example.webhook.office.com/webhookb2/XXXX',
  discord: 'https://discord.com/api/webhooks/000/XXXX',
};

/** What was given for a new channel, checked as a whole. */
export function parseNewChannel(
  { kind, url, events, frequency }: FieldValues<typeof newChannelFields>,
  { notifications, webhooks }: Pick<Resources, 'notifications' | 'webhooks'>,
): Omit<NewChannel, 'isByKey'> {
  const ordered = NOTICE_EVENTS.filter((event) => events.includes(event));
  const refuse = (message: string, hint: string) => new RequestError('INVALID_PARAMETERS', message, hint);
  if (kind === 'email') {
    if (url !== undefined) throw refuse("Field 'url' must be absent for mail.", 'Mail goes to your own address.');
    if (!notifications.offersMail) {
      throw refuse(
        "Field 'kind' is 'email', but this server is not set up to send mail.",
        'Ask the operator to set SMTP_URL, or choose a chat.',
      );
    }
    return { kind, url: '', events: ordered, frequency: frequency ?? 'at_once' };
  }
  if (url === undefined) throw refuse("Field 'url' is missing.", `Use for example ${EXAMPLE_URLS[kind]}.`);
  const fault = webhooks.findUrlFault(url);
  if (fault !== undefined) throw refuse(`Field 'url' ${fault}.`, `Use for example ${EXAMPLE_URLS[kind]}.`);
  return { kind, url, events: ordered, frequency: frequency ?? 'at_once' };
}
