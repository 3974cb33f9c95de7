import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, jsonSuccess, strictObject } from '../schemas.ts';
import { IdSchema } from './people-fields.ts';

const ITEM = 'webhook';

export const testWebhook = defineEndpoint({
  method: 'POST',
  path: '/v1/webhooks/{id}/test',
  operationId: 'testWebhook',
  summary: 'Send a test message to a webhook',
  description:
    'Queues a message of the type `webhook.test`, signed and repeated like any other. What became of it stands in the deliveries.',
  tag: 'Webhooks',
  scope: 'account',
  action: 'webhooks',
  item: ITEM,
  parameters: {},
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: strictObject({ delivery_id: IdSchema }) }) },
  handle: async ({ caller, id, resources }) => {
    const deliveryId = await resources.webhooks.test(caller, id);
    if (deliveryId === undefined) throw noSuchItem(ITEM);
    return answerJson({ data: { delivery_id: deliveryId } });
  },
});
