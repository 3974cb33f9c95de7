import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess } from '../schemas.ts';

const ITEM = 'share';

export const deleteShare = defineEndpoint({
  method: 'DELETE',
  path: '/v1/shares/{id}',
  operationId: 'deleteShare',
  summary: 'End a share',
  description: 'Ends a link of the organization: when this is answered, nobody can open it any more.',
  tag: 'Shares',
  scope: 'tracked:write',
  action: 'share',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.shares.delete(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});
