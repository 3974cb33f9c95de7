import { changesBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess, jsonSuccess } from '../schemas.ts';
import { ListSchema, listChangeFields, presentKeywordList } from './list-fields.ts';

export const LIST = 'list';
const success = jsonSuccess({ data: ListSchema });

export const getList = defineEndpoint({
  method: 'GET',
  path: '/v1/lists/{id}',
  operationId: 'getList',
  summary: 'Read a list',
  description:
    'One list of the organization, with how much stands in it. Its items are read at `/v1/lists/{id}/items`.',
  tag: 'Lists',
  scope: 'tracked:read',
  item: LIST,
  parameters: {},
  success,
  handle: async ({ caller, id, resources }) => {
    const list = await resources.lists.find(caller, id);
    if (!list) throw noSuchItem(LIST);
    return answerJson({ data: presentKeywordList(list) });
  },
});

export const changeList = defineEndpoint({
  method: 'PATCH',
  path: '/v1/lists/{id}',
  operationId: 'changeList',
  summary: 'Change a list',
  description:
    'Changes the fields that are given and leaves the others as they are. `priority_rule` is the rule of all its keywords; null removes it.',
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: LIST,
  parameters: {},
  body: changesBody(listChangeFields, {
    rename: { name: 'Boots' },
    rule: { priority_rule: { field: 'latest_rank', operator: 'lt', value: 1000 } },
    noRule: { priority_rule: null },
  }),
  codes: ['CONFLICT'],
  success,
  handle: async ({ caller, id, body, resources }) => {
    const { name, notes, priority_rule: priorityRule } = body;
    const list = await resources.lists.change(caller, id, { name, notes, priorityRule });
    if (!list) throw noSuchItem(LIST);
    return answerJson({ data: presentKeywordList(list) });
  },
});

export const deleteList = defineEndpoint({
  method: 'DELETE',
  path: '/v1/lists/{id}',
  operationId: 'deleteList',
  summary: 'Delete a list',
  description: 'Removes a list of the organization with its items. What members track stays tracked.',
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: LIST,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.lists.delete(caller, id))) throw noSuchItem(LIST);
    return answerJson({ data: { id } });
  },
});
