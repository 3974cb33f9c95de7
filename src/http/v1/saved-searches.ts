import { Type } from 'typebox';
import { MAX_SAVED_SEARCHES } from '../../domain/saved-search.ts';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination } from '../schemas.ts';
import { sliceParameters } from './lists.ts';
import { newSearchFields, presentSavedSearch, SavedSearchSchema } from './saved-search-fields.ts';

export const listSavedSearches = defineEndpoint({
  method: 'GET',
  path: '/v1/saved-searches',
  operationId: 'listSavedSearches',
  summary: 'List saved searches',
  description:
    'The searches that members of the organization saved, in the order in which they were saved. Costs no quota.',
  tag: 'Lists',
  scope: 'tracked:read',
  parameters: sliceParameters,
  success: jsonSuccess({ data: Type.Array(SavedSearchSchema), pagination: PaginationSchema }),
  handle: async ({ caller, parameters, resources }) => {
    const { items, totalCount } = await resources.savedSearches.list(caller, { ...parameters, selection: undefined });
    return answerJson({ data: items.map(presentSavedSearch), pagination: presentPagination(parameters, totalCount) });
  },
});

export const createSavedSearch = defineEndpoint({
  method: 'POST',
  path: '/v1/saved-searches',
  operationId: 'createSavedSearch',
  summary: 'Save a search',
  description:
    'Keeps the address of a search under a name, for every member of the organization. Nothing is searched. A name that is taken is a ' +
    `409. At most ${MAX_SAVED_SEARCHES} per organization.`,
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  parameters: {},
  body: objectBody(newSearchFields, {
    search: { name: 'Boots that sell', address: '/?query=snow+boots&max_rank=5000' },
  }),
  isIdempotent: true,
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: SavedSearchSchema }) },
  handle: async ({ caller, body, idempotency, resources }) => {
    const search = await resources.savedSearches.add(caller, { item: body, idempotency });
    return answerJson({ data: presentSavedSearch(search) });
  },
});
