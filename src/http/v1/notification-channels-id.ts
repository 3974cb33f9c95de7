import { MAX_TESTS_PER_HOUR } from '../../domain/notification.ts';
import { changesBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess, jsonSuccess } from '../schemas.ts';
import { ChannelSchema, channelChangeFields, presentChannel } from './channel-fields.ts';

const ITEM = 'notification channel';
const success = jsonSuccess({ data: ChannelSchema });

export const changeNotificationChannel = defineEndpoint({
  method: 'PATCH',
  path: '/v1/notification-channels/{id}',
  operationId: 'changeNotificationChannel',
  summary: 'Change a notification channel',
  description:
    'Changes what is told, how often, or whether at all. A channel that an operator paused, or that is paused because its owner had no ' +
    'usable key, stays so.',
  tag: 'Notifications',
  scope: 'tracked:write',
  item: ITEM,
  parameters: {},
  body: changesBody(channelChangeFields, { weekly: { frequency: 'weekly' }, off: { is_active: false } }),
  success,
  handle: async ({ caller, id, body, resources }) => {
    const { events, frequency, is_active: isActive } = body;
    const channel = await resources.notifications.changeChannel(caller, id, { events, frequency, isActive });
    if (!channel) throw noSuchItem(ITEM);
    return answerJson({ data: presentChannel(channel) });
  },
});

export const deleteNotificationChannel = defineEndpoint({
  method: 'DELETE',
  path: '/v1/notification-channels/{id}',
  operationId: 'deleteNotificationChannel',
  summary: 'Delete a notification channel',
  description: 'Removes a channel of the caller. What waits to be sent to it is not sent.',
  tag: 'Notifications',
  scope: 'tracked:write',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.notifications.deleteChannel(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});

export const testNotificationChannel = defineEndpoint({
  method: 'POST',
  path: '/v1/notification-channels/{id}/test',
  operationId: 'testNotificationChannel',
  summary: 'Send a test message',
  description:
    'Queues a message that says that it is a test; `last_message` tells what became of it. Takes no body. ' +
    `At most ${MAX_TESTS_PER_HOUR} in an hour for each channel.`,
  tag: 'Notifications',
  scope: 'tracked:write',
  item: ITEM,
  parameters: {},
  codes: ['CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  success: { status: 201, ...success },
  handle: async ({ caller, id, resources }) => {
    const channel = await resources.notifications.testChannel(caller, id);
    if (!channel) throw noSuchItem(ITEM);
    return answerJson({ data: presentChannel(channel) });
  },
});
