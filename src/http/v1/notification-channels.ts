import { Type } from 'typebox';
import { MAX_CHANNELS } from '../../domain/notification.ts';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { ChannelSchema, newChannelFields, parseNewChannel, presentChannel } from './channel-fields.ts';

export const listNotificationChannels = defineEndpoint({
  method: 'GET',
  path: '/v1/notification-channels',
  operationId: 'listNotificationChannels',
  summary: 'List notification channels',
  description:
    "Where the caller is told, oldest first, with what became of the last message. Nobody else's channels are seen.",
  tag: 'Notifications',
  scope: 'tracked:read',
  parameters: {},
  success: jsonSuccess({ data: Type.Array(ChannelSchema) }),
  handle: async ({ caller, resources }) => {
    const channels = await resources.notifications.listChannels(caller);
    return answerJson({ data: channels.map(presentChannel) });
  },
});

export const createNotificationChannel = defineEndpoint({
  method: 'POST',
  path: '/v1/notification-channels',
  operationId: 'createNotificationChannel',
  summary: 'Add a notification channel',
  description:
    'Mail to the address of the caller, or messages to Slack, Microsoft Teams or Discord by an incoming webhook. Messages that fail are ' +
    `repeated with growing pauses for 24 hours. One channel for an address, at most ${MAX_CHANNELS} for each user.`,
  tag: 'Notifications',
  scope: 'tracked:write',
  parameters: {},
  body: objectBody(newChannelFields, {
    slack: { kind: 'slack', url: 'https://hooks.slack.com/services/T000/B000/XXXX', events: ['alert'] },
    mail: { kind: 'email', frequency: 'weekly' },
  }),
  isIdempotent: true,
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: ChannelSchema }) },
  handle: async ({ caller, body, idempotency, resources }) => {
    const item = { ...parseNewChannel(body, resources), isByKey: caller.keyId !== null };
    const channel = await resources.notifications.addChannel(caller, { item, idempotency });
    return answerJson({ data: presentChannel(channel) });
  },
});
