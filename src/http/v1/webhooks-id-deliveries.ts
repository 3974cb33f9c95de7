import { type Static, Type } from 'typebox';
import { DELIVERY_STATUSES, type Delivery, TEST_EVENT, WEBHOOK_EVENTS } from '../../domain/webhook.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { integer } from '../parameters.ts';
import {
  answerJson,
  jsonSuccess,
  nullable,
  PaginationSchema,
  presentPagination,
  strictObject,
  textOf,
} from '../schemas.ts';

const ITEM = 'webhook';
const nullableTime = (description: string) => nullable(Type.String({ format: 'date-time' }), description);

const DeliverySchema = strictObject({
  id: Type.String({ format: 'uuid', description: 'The webhook-id header: the same on every attempt.' }),
  event: textOf([...WEBHOOK_EVENTS, TEST_EVENT]),
  status: textOf(DELIVERY_STATUSES),
  attempts: Type.Integer({ minimum: 0 }),
  created_at: Type.String({ format: 'date-time' }),
  last_attempt_at: nullableTime('Null before the first attempt.'),
  next_attempt_at: nullableTime('Null when it is settled.'),
  response_status: nullable(Type.Integer(), 'Null when there was no answer.'),
  error: nullable(Type.String(), 'What went wrong at the last attempt.'),
});

export const listDeliveries = defineEndpoint({
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'What was or is to be sent to a webhook of the organization, newest first. Kept for 30 days.',
  tag: 'Webhooks',
  scope: 'account',
  action: 'webhooks',
  item: ITEM,
  parameters: {
    limit: integer('Deliveries per page.', { min: 1, max: 1000, absent: 50 }),
    offset: integer('Deliveries to pass over.', { min: 0, max: 1_000_000, absent: 0 }),
  },
  success: jsonSuccess({ data: Type.Array(DeliverySchema), pagination: PaginationSchema }),
  handle: async ({ caller, id, parameters, resources }) => {
    const page = await resources.webhooks.listDeliveries(caller, { ...parameters, webhookId: id });
    if (!page) throw noSuchItem(ITEM);
    return answerJson({
      data: page.deliveries.map(presentDelivery),
      pagination: presentPagination(parameters, page.totalCount),
    });
  },
});

function presentDelivery(delivery: Delivery): Static<typeof DeliverySchema> {
  return {
    id: delivery.id,
    event: delivery.event,
    status: delivery.status,
    attempts: delivery.attempts,
    created_at: delivery.createdAt.toISOString(),
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    response_status: delivery.responseStatus,
    error: delivery.error,
  };
}
