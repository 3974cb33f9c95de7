import { Type } from 'typebox';
import { MAX_LISTS } from '../../domain/keyword-list.ts';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { integer } from '../parameters.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination } from '../schemas.ts';
import { ListSchema, newListFields, presentKeywordList } from './list-fields.ts';

export const sliceParameters = {
  limit: integer('Entries per page.', { min: 1, max: 1000, absent: 100 }),
  offset: integer('Entries to pass over.', { min: 0, max: 1_000_000, absent: 0 }),
};

export const listLists = defineEndpoint({
  method: 'GET',
  path: '/v1/lists',
  operationId: 'listLists',
  summary: 'List the lists',
  description:
    'The lists of keywords and products that the members of the organization share, in the order in which they were made. Costs no quota.',
  tag: 'Lists',
  scope: 'tracked:read',
  parameters: sliceParameters,
  success: jsonSuccess({ data: Type.Array(ListSchema), pagination: PaginationSchema }),
  handle: async ({ caller, parameters, resources }) => {
    const { items, totalCount } = await resources.lists.list(caller, { ...parameters, selection: undefined });
    return answerJson({ data: items.map(presentKeywordList), pagination: presentPagination(parameters, totalCount) });
  },
});

export const createList = defineEndpoint({
  method: 'POST',
  path: '/v1/lists',
  operationId: 'createList',
  summary: 'Make a list',
  description:
    'Makes an empty list, which every member of the organization reads and changes. A name that is taken is a 409. At most ' +
    `${MAX_LISTS} per organization.`,
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  parameters: {},
  body: objectBody(newListFields, {
    named: { name: 'Winter boots' },
    withRule: {
      name: 'Must stay on page one',
      notes: 'for the monthly review',
      priority_rule: { field: 'rank_change', operator: 'lt', value: -500 },
    },
  }),
  isIdempotent: true,
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: ListSchema }) },
  handle: async ({ caller, body, idempotency, resources }) => {
    const { name, notes, priority_rule: priorityRule } = body;
    const list = await resources.lists.add(caller, { item: { name, notes, priorityRule }, idempotency });
    return answerJson({ data: presentKeywordList(list) });
  },
});
