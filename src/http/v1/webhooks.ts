import { type Static, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import {
  MAX_WEBHOOK_URL_CHARACTERS,
  MAX_WEBHOOKS,
  PAUSE_REASONS,
  WEBHOOK_EVENTS,
  type Webhook,
} from '../../domain/webhook.ts';
import { choiceField, type Field, listField, objectBody, parseText } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, nullable, strictObject, textOf } from '../schemas.ts';

const EXAMPLE_URL = 'https://hooks.example.com/keyrank';

const WebhookSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  events: Type.Array(textOf(WEBHOOK_EVENTS)),
  created_at: Type.String({ format: 'date-time' }),
  is_own: Type.Boolean({
    description: 'Registered by the caller. Alerts go to the webhooks of the user who tracks the keyword only.',
  }),
  is_active: Type.Boolean({ description: 'False while it is paused: then nothing is sent to it.' }),
  paused_reason: nullable(
    textOf(PAUSE_REASONS),
    '`operator`: the operator paused it. `no_key`: the user who registered it had no usable key left. Null while it is active.',
  ),
});

export const listWebhooks = defineEndpoint({
  method: 'GET',
  path: '/v1/webhooks',
  operationId: 'listWebhooks',
  summary: 'List webhooks',
  description: 'The webhooks of the organization, oldest first. Secrets are shown once, when a webhook is made.',
  tag: 'Webhooks',
  scope: 'account',
  action: 'webhooks',
  parameters: {},
  success: jsonSuccess({ data: Type.Array(WebhookSchema) }),
  handle: async ({ caller, resources }) => {
    const webhooks = await resources.webhooks.list(caller);
    return answerJson({ data: webhooks.map(presentWebhook) });
  },
});

export function webhookUrl(description: string): Field<string> {
  return {
    schema: Type.String({ description, format: 'uri', maxLength: MAX_WEBHOOK_URL_CHARACTERS }),
    isRequired: true,
    absent: '',
    parse: (name, value) => parseUrl(name, parseText(name, value, MAX_WEBHOOK_URL_CHARACTERS)),
  };
}

export const createWebhook = defineEndpoint({
  method: 'POST',
  path: '/v1/webhooks',
  operationId: 'createWebhook',
  summary: 'Register a webhook',
  description:
    'Messages are signed as Standard Webhooks describe, with the `secret` of this answer, which is never shown again. ' +
    'They are repeated with growing pauses for 24 hours until the receiver answers with a 2xx status; redirects are not ' +
    `followed. At most ${MAX_WEBHOOKS} per organization.`,
  tag: 'Webhooks',
  scope: 'account',
  action: 'webhooks',
  parameters: {},
  body: objectBody(
    {
      url: webhookUrl(
        'Where to send messages: an https address that is reachable from the internet, without user name, password or fragment.',
      ),
      events: listField(choiceField('An event.', WEBHOOK_EVENTS), {
        description: 'What to be told.',
        maxItems: WEBHOOK_EVENTS.length,
        absent: WEBHOOK_EVENTS,
      }),
    },
    { webhook: { url: EXAMPLE_URL, events: ['tracked_keyword.priority_hit'] } },
  ),
  codes: ['CONFLICT'],
  success: {
    status: 201,
    ...jsonSuccess({
      data: strictObject({ ...WebhookSchema.properties, secret: Type.String() }),
    }),
  },
  handle: async ({ caller, body, resources }) => {
    const fault = resources.webhooks.findUrlFault(body.url);
    if (fault !== undefined) {
      throw new RequestError('INVALID_PARAMETERS', `Field 'url' ${fault}.`, `Use for example ${EXAMPLE_URL}.`);
    }
    const { webhook, secret } = await resources.webhooks.add(caller, {
      url: body.url,
      events: WEBHOOK_EVENTS.filter((event) => body.events.includes(event)),
    });
    const data = { ...presentWebhook(webhook), secret };
    return answerJson({ data });
  },
});

/** An address that can be dialled, in its canonical form. What lies behind it is checked when it is dialled. */
function parseUrl(name: string, text: string): string {
  const given = URL.canParse(text) ? new URL(text) : undefined;
  const fault =
    given === undefined || !/^https?:$/.test(given.protocol)
      ? 'is not an https address'
      : given.username !== '' || given.password !== ''
        ? 'holds a user name or password'
        : given.hash !== ''
          ? 'has a fragment, which is never sent'
          : undefined;
  if (given && fault === undefined) return given.href;
  throw new RequestError('INVALID_PARAMETERS', `Field '${name}' ${fault}.`, `Use for example ${EXAMPLE_URL}.`);
}

function presentWebhook(webhook: Webhook): Static<typeof WebhookSchema> {
  return {
    id: webhook.id,
    url: webhook.url,
    events: [...webhook.events],
    created_at: webhook.createdAt.toISOString(),
    is_own: webhook.isOwn,
    is_active: webhook.pausedReason === null,
    paused_reason: webhook.pausedReason,
  };
}
