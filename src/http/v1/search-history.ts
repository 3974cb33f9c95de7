import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { integer } from '../parameters.ts';
import {
  answerJson,
  jsonSuccess,
  literalField,
  nullable,
  PaginationSchema,
  presentPagination,
  strictObject,
} from '../schemas.ts';

const HistoryEntrySchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  searched_at: Type.String({ format: 'date-time' }),
  endpoint: Type.String({ description: 'Path of the search.' }),
  parameters: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Parameters in force, defaults included. Of long ones the first values are kept, and `abbreviated` says by parameter how ' +
      'many values are left out or cut short.',
  }),
  result_count: nullable(Type.Integer({ minimum: 0 }), 'Total results; null when the search was not answered.'),
});

export const listSearchHistory = defineEndpoint({
  method: 'GET',
  path: '/v1/search/history',
  operationId: 'listSearchHistory',
  summary: 'List search history',
  description:
    "The caller's own searches in this organization, newest first. Every admitted search is listed, for as long as the operator " +
    'keeps them (a year unless set otherwise).',
  tag: 'Search',
  scope: 'history',
  parameters: {
    limit: integer('Entries per page.', { min: 1, max: 1000, absent: 50 }),
    offset: integer('Entries to pass over.', { min: 0, max: 1_000_000, absent: 0 }),
  },
  success: jsonSuccess({ data: Type.Array(HistoryEntrySchema), pagination: PaginationSchema }),
  handle: async ({ caller, parameters, resources }) => {
    const { entriesJson, totalCount } = await resources.history.list(caller, parameters);
    const { body: rest } = answerJson({ pagination: presentPagination(parameters, totalCount) });
    return { body: Buffer.from(`{"data":[${entriesJson}],${rest.slice(1)}`) };
  },
});

/** Spec 4.7. */
export const deleteSearchHistory = defineEndpoint({
  method: 'DELETE',
  path: '/v1/search/history',
  operationId: 'deleteSearchHistory',
  summary: 'Delete search history',
  description: "Removes every search from the caller's own history in this organization. Usage counts are not changed.",
  tag: 'Search',
  scope: 'history',
  parameters: {},
  success: jsonSuccess({ success: Type.Literal(true), deleted_count: Type.Integer({ minimum: 0 }) }),
  failureFields: () => ({ success: literalField(false), deleted_count: literalField(0) }),
  handle: async ({ caller, resources }) => {
    const deletedCount = await resources.history.deleteAll(caller);
    return answerJson({ success: true, deleted_count: deletedCount });
  },
});
