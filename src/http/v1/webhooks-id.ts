import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess } from '../schemas.ts';

const ITEM = 'webhook';

export const deleteWebhook = defineEndpoint({
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Removes a webhook of the organization, with its deliveries. What waits to be sent to it is not sent.',
  tag: 'Webhooks',
  scope: 'account',
  action: 'webhooks',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.webhooks.delete(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});
