import { changesBody, optionalField } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess, jsonSuccess } from '../schemas.ts';
import { newSearchFields, presentSavedSearch, SavedSearchSchema } from './saved-search-fields.ts';

const ITEM = 'saved search';
const success = jsonSuccess({ data: SavedSearchSchema });

export const getSavedSearch = defineEndpoint({
  method: 'GET',
  path: '/v1/saved-searches/{id}',
  operationId: 'getSavedSearch',
  summary: 'Read a saved search',
  description: 'One saved search of the organization, as in the list.',
  tag: 'Lists',
  scope: 'tracked:read',
  item: ITEM,
  parameters: {},
  success,
  handle: async ({ caller, id, resources }) => {
    const search = await resources.savedSearches.find(caller, id);
    if (!search) throw noSuchItem(ITEM);
    return answerJson({ data: presentSavedSearch(search) });
  },
});

export const changeSavedSearch = defineEndpoint({
  method: 'PATCH',
  path: '/v1/saved-searches/{id}',
  operationId: 'changeSavedSearch',
  summary: 'Change a saved search',
  description: 'Changes the name or the address, and leaves the other as it is.',
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: ITEM,
  parameters: {},
  body: changesBody(
    { name: optionalField(newSearchFields.name), address: optionalField(newSearchFields.address) },
    { rename: { name: 'Boots below 5,000' } },
  ),
  codes: ['CONFLICT'],
  success,
  handle: async ({ caller, id, body, resources }) => {
    const search = await resources.savedSearches.change(caller, id, body);
    if (!search) throw noSuchItem(ITEM);
    return answerJson({ data: presentSavedSearch(search) });
  },
});

export const deleteSavedSearch = defineEndpoint({
  method: 'DELETE',
  path: '/v1/saved-searches/{id}',
  operationId: 'deleteSavedSearch',
  summary: 'Delete a saved search',
  description: 'Removes a saved search of the organization.',
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.savedSearches.delete(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});
