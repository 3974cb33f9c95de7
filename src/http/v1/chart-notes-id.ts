import { changesBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess, jsonSuccess } from '../schemas.ts';
import { ChartNoteSchema, noteChangeFields, presentChartNote } from './chart-note-fields.ts';

const ITEM = 'chart note';
const success = jsonSuccess({ data: ChartNoteSchema });

export const getChartNote = defineEndpoint({
  method: 'GET',
  path: '/v1/chart-notes/{id}',
  operationId: 'getChartNote',
  summary: 'Read a note on the chart',
  description: 'One note of the organization, as in the list.',
  tag: 'Lists',
  scope: 'tracked:read',
  item: ITEM,
  parameters: {},
  success,
  handle: async ({ caller, id, resources }) => {
    const note = await resources.chartNotes.find(caller, id);
    if (!note) throw noSuchItem(ITEM);
    return answerJson({ data: presentChartNote(note) });
  },
});

export const changeChartNote = defineEndpoint({
  method: 'PATCH',
  path: '/v1/chart-notes/{id}',
  operationId: 'changeChartNote',
  summary: 'Change a note on the chart',
  description:
    'Changes the fields that are given and leaves the others as they are. `search_term: null` puts it on every chart.',
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: ITEM,
  parameters: {},
  body: changesBody(noteChangeFields, { day: { date: '2026-07-09' }, every: { search_term: null } }),
  success,
  handle: async ({ caller, id, body, resources }) => {
    const { date, note, search_term: searchTerm } = body;
    const changed = await resources.chartNotes.change(caller, id, { date, note, searchTerm });
    if (!changed) throw noSuchItem(ITEM);
    return answerJson({ data: presentChartNote(changed) });
  },
});

export const deleteChartNote = defineEndpoint({
  method: 'DELETE',
  path: '/v1/chart-notes/{id}',
  operationId: 'deleteChartNote',
  summary: 'Delete a note on the chart',
  description: 'Removes a note of the organization.',
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.chartNotes.delete(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});
