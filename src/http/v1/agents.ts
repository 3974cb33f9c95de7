import { Type } from 'typebox';
import { SCOPES } from '../../domain/account.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, nullable, strictObject, textOf } from '../schemas.ts';

const AgentSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  name: Type.String({ description: 'As the program calls itself.' }),
  scopes: Type.Array(textOf(SCOPES)),
  created_at: Type.String({ format: 'date-time', description: 'When it was let in.' }),
  last_used_at: nullable(Type.String({ format: 'date-time' }), 'When it last asked for anything, to a minute or so.'),
});

export const listAgents = defineEndpoint({
  method: 'GET',
  path: '/v1/agents',
  operationId: 'listAgents',
  summary: 'List connected agents',
  description:
    'The programs that the caller let into this organization by OAuth, in the order in which they came. Costs no quota.',
  tag: 'Account',
  scope: 'account',
  parameters: {},
  success: jsonSuccess({ data: Type.Array(AgentSchema) }),
  handle: async ({ caller, resources }) => {
    const agents = await resources.agents.list(caller);
    const data = agents.map(({ id, name, scopes, createdAt, lastUsedAt }) => ({
      ...{ id, name, scopes, created_at: createdAt.toISOString(), last_used_at: lastUsedAt?.toISOString() ?? null },
    }));
    return answerJson({ data });
  },
});
