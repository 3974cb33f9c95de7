import { Type } from 'typebox';
import { MAX_CHART_NOTES } from '../../domain/chart-note.ts';
import { parseIsoDate } from '../../domain/period.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { pattern, textList } from '../parameters.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination } from '../schemas.ts';
import { ChartNoteSchema, newNoteFields, presentChartNote } from './chart-note-fields.ts';
import { sliceParameters } from './lists.ts';

const day = (description: string) =>
  pattern(description, {
    rule: 'a day in the form YYYY-MM-DD',
    example: '2026-07-08',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    absent: undefined,
    read: parseIsoDate,
  });

export const listChartNotes = defineEndpoint({
  method: 'GET',
  path: '/v1/chart-notes',
  operationId: 'listChartNotes',
  summary: 'List notes on the chart',
  description: 'The events that members of the organization noted, in the order of their dates. Costs no quota.',
  tag: 'Lists',
  scope: 'tracked:read',
  parameters: {
    search_term: textList('Only notes of these keywords, and those that stand on every chart.', {
      examples: ['snow boots'],
    }),
    from: day('Only notes of this day and later ones.'),
    to: day('Only notes of this day and earlier ones.'),
    ...sliceParameters,
  },
  success: jsonSuccess({ data: Type.Array(ChartNoteSchema), pagination: PaginationSchema }),
  handle: async ({ caller, parameters, resources }) => {
    const { search_term: written, from, to } = parameters;
    const terms = written.length === 0 ? undefined : written.map(normalizeTerm);
    const query = { ...parameters, selection: { terms, from, to } };
    const { items, totalCount } = await resources.chartNotes.list(caller, query);
    return answerJson({ data: items.map(presentChartNote), pagination: presentPagination(parameters, totalCount) });
  },
});

export const createChartNote = defineEndpoint({
  method: 'POST',
  path: '/v1/chart-notes',
  operationId: 'createChartNote',
  summary: 'Note an event on the chart',
  description:
    'Notes what happened on a day, on the chart of one keyword or on every chart, for every member of the organization. At most ' +
    `${MAX_CHART_NOTES} per organization.`,
  tag: 'Lists',
  scope: 'tracked:write',
  action: 'lists',
  parameters: {},
  body: objectBody(newNoteFields, {
    every: { date: '2026-07-08', note: 'Prime Day' },
    keyword: { date: '2026-09-01', note: 'new main image', search_term: 'snow boots' },
  }),
  isIdempotent: true,
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: ChartNoteSchema }) },
  handle: async ({ caller, body, idempotency, resources }) => {
    const { date, note, search_term: searchTerm } = body;
    const added = await resources.chartNotes.add(caller, { item: { date, note, searchTerm }, idempotency });
    return answerJson({ data: presentChartNote(added) });
  },
});
