import { changesBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { itemChangeFields, ListItemSchema, presentListItems } from './list-fields.ts';

const ITEM = 'list item';

export const changeListItem = defineEndpoint({
  method: 'PATCH',
  path: '/v1/list-items/{id}',
  operationId: 'changeListItem',
  summary: 'Change an item of a list',
  description:
    'Replaces the tags or the notes of an item. The term or product itself cannot be changed: remove it and add another.',
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: ITEM,
  parameters: {},
  body: changesBody(itemChangeFields, {
    tags: { tags: ['winter', 'core'] },
    notes: { notes: 'for the spring catalog' },
  }),
  success: jsonSuccess({ data: ListItemSchema }),
  handle: async (context) => {
    const { caller, id, body, resources } = context;
    const item = await resources.listItems.change(caller, id, body);
    if (!item) throw noSuchItem(ITEM);
    const [data] = await presentListItems(context, [item]);
    return answerJson({ data });
  },
});
