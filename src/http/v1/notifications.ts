import { type Static, Type } from 'typebox';
import type { NotificationSettings, Notifications } from '../../domain/notification.ts';
import { PRIORITY_FIELDS, PRIORITY_OPERATORS } from '../../domain/tracked-keyword.ts';
import { changesBody, nullableField } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, nullable, strictObject, textOf } from '../schemas.ts';
import { priorityRule } from './tracked-keyword-fields.ts';

const SettingsSchema = strictObject({
  email: Type.String({ description: 'Where mail goes.' }),
  is_mail_offered: Type.Boolean({ description: 'Whether this server can send mail.' }),
  default_priority_rule: nullable(
    strictObject({ field: textOf(PRIORITY_FIELDS), operator: textOf(PRIORITY_OPERATORS), value: Type.Number() }),
    'The rule of tracked keywords that have none of their own that is on, and stand in no list with one; null without one.',
  ),
});
const success = jsonSuccess({ data: SettingsSchema });

function present(settings: NotificationSettings, { offersMail }: Notifications): Static<typeof SettingsSchema> {
  const { email, defaultRule: rule } = settings;
  return { email, is_mail_offered: offersMail, default_priority_rule: rule && { ...rule } };
}

export const getNotifications = defineEndpoint({
  method: 'GET',
  path: '/v1/notifications',
  operationId: 'getNotifications',
  summary: 'Read notification settings',
  description:
    'What the caller is told about beside the rules of single keywords and lists. Channels say where and how often.',
  tag: 'Notifications',
  scope: 'tracked:read',
  parameters: {},
  success,
  handle: async ({ caller, resources: { notifications } }) =>
    answerJson({ data: present(await notifications.read(caller), notifications) }),
});

export const changeNotifications = defineEndpoint({
  method: 'PATCH',
  path: '/v1/notifications',
  operationId: 'changeNotifications',
  summary: 'Change notification settings',
  description:
    'Sets the rule for everything that the caller tracks without another rule, from the next publication on; null removes it.',
  tag: 'Notifications',
  scope: 'tracked:write',
  parameters: {},
  body: changesBody(
    { default_priority_rule: nullableField(priorityRule, { absent: undefined }) },
    {
      rule: { default_priority_rule: { field: 'rank_change', operator: 'gte', value: 1000 } },
      none: { default_priority_rule: null },
    },
  ),
  success,
  handle: async ({ caller, body, resources: { notifications } }) => {
    const settings = await notifications.changeDefaultRule(caller, body.default_priority_rule ?? null);
    return answerJson({ data: present(settings, notifications) });
  },
});
