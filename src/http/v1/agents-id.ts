import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess } from '../schemas.ts';

const ITEM = 'agent';

export const deleteAgent = defineEndpoint({
  method: 'DELETE',
  path: '/v1/agents/{id}',
  operationId: 'deleteAgent',
  summary: 'End an agent',
  description: 'Ends a program that the caller let in: its tokens are refused from then on.',
  tag: 'Account',
  scope: 'account',
  action: 'own-account',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.agents.delete(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});
