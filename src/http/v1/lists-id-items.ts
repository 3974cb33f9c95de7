import { Type } from 'typebox';
import { LIST_ITEM_KINDS, MAX_ITEMS_AT_ONCE, MAX_LIST_ITEMS, MAX_TAG_CHARACTERS } from '../../domain/keyword-list.ts';
import { type Body, type Field, listField, MAX_BODY_BYTES, notTheRule, objectSchema, parseObject } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { choice, text } from '../parameters.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination } from '../schemas.ts';
import { ListItemSchema, newItemsBody, presentListItems } from './list-fields.ts';
import { sliceParameters } from './lists.ts';
import { LIST } from './lists-id.ts';

export const itemParameters = {
  kind: choice('Only keywords, or only products.', { values: LIST_ITEM_KINDS, absent: undefined }),
  tag: text(`Only items with this tag, of up to ${MAX_TAG_CHARACTERS} characters; case does not count.`),
};

export const listListItems = defineEndpoint({
  method: 'GET',
  path: '/v1/lists/{id}/items',
  operationId: 'listListItems',
  summary: 'List the items of a list',
  description:
    'The keywords and products of a list, in the order in which they were added, each with a snapshot of the published months, ' +
    'whether anyone tracks it or not. Costs no quota.',
  tag: 'Lists',
  scope: 'tracked:read',
  item: LIST,
  parameters: { ...itemParameters, ...sliceParameters },
  success: jsonSuccess({ data: Type.Array(ListItemSchema), pagination: PaginationSchema }),
  handle: async (context) => {
    const { caller, id: listId, parameters, resources } = context;
    const page = await resources.listItems.list(caller, { ...parameters, listId });
    if (!page) throw noSuchItem(LIST);
    const data = await presentListItems(context, page.items);
    return answerJson({ data, pagination: presentPagination(parameters, page.totalCount) });
  },
});

export const addListItems = defineEndpoint({
  method: 'POST',
  path: '/v1/lists/{id}/items',
  operationId: 'addListItems',
  summary: 'Add to a list',
  description:
    `Adds up to ${MAX_ITEMS_AT_ONCE} keywords and products at once. Those in the list already stay as they are; \`data\` has one ` +
    `entry per item of the request, in its order. A list holds at most ${MAX_LIST_ITEMS}. All are added, or on a failure none.`,
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: LIST,
  parameters: {},
  body: newItemsBody,
  isIdempotent: true,
  codes: ['CONFLICT'],
  success: {
    status: 201,
    ...jsonSuccess({
      data: Type.Array(ListItemSchema),
      created_count: Type.Integer({ minimum: 0, description: 'How many are new.' }),
      existing_count: Type.Integer({ minimum: 0, description: 'How many were in the list already.' }),
    }),
  },
  handle: async (context) => {
    const { caller, id: listId, body, idempotency, resources } = context;
    const added = await resources.listItems.add(caller, { listId, items: body.items, idempotency });
    if (!added) throw noSuchItem(LIST);
    const createdCount = added.filter(({ isNew }) => isNew).length;
    return answerJson({
      data: await presentListItems(
        context,
        added.map(({ item }) => item),
      ),
      created_count: createdCount,
      existing_count: added.length - createdCount,
    });
  },
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const itemId: Pick<Field<string>, 'schema' | 'parse'> = {
  schema: Type.String({ format: 'uuid' }),
  parse: (name, value) => {
    if (typeof value === 'string' && UUID.test(value)) return value;
    throw notTheRule({ name, value, rule: 'the id of an item' });
  },
};
const removedFields = { ids: listField(itemId, { description: 'Items to remove.', maxItems: MAX_LIST_ITEMS }) };
const removalBody: Body<{ readonly ids: readonly string[] }> = {
  schema: objectSchema(removedFields),
  examples: { two: { ids: ['01234567-89ab-4cde-8f01-23456789abcd', '01234567-89ab-4cde-8f01-23456789abce'] } },
  maxBytes: MAX_BODY_BYTES,
  parse: (value) => parseObject(removedFields, value),
};

export const removeListItems = defineEndpoint({
  method: 'POST',
  path: '/v1/lists/{id}/items/remove',
  operationId: 'removeListItems',
  summary: 'Remove from a list',
  description: `Removes up to ${MAX_LIST_ITEMS} items at once, and says how many of them were there.`,
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: LIST,
  parameters: {},
  body: removalBody,
  success: jsonSuccess({ removed_count: Type.Integer({ minimum: 0 }) }),
  handle: async ({ caller, id: listId, body, resources }) => {
    const removedCount = await resources.listItems.remove(caller, { listId, ids: body.ids });
    if (removedCount === undefined) throw noSuchItem(LIST);
    return answerJson({ removed_count: removedCount });
  },
});
