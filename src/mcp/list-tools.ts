import { z } from 'zod';
import { target } from './api.ts';
import { limit, offset } from './parameters.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_ADDED_AT_ONCE = 100;

const id = z.string().describe('The id that list_lists shows.');
const name = z.string().min(1).describe('Name of the list.');
const notes = z.string().describe('A note of your own.');
const tags = z.array(z.string().min(1)).max(10).describe('Words to find it by.');
const day = z.string().regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/);

interface ListItem {
  readonly id: string;
  readonly kind: string;
  readonly value: string;
  readonly tags: readonly string[];
  readonly notes: string;
  readonly keyword: Readonly<Record<string, unknown>> | null;
  readonly product: Readonly<Record<string, unknown>> | null;
}

function presentItem({ id: item, kind, value, tags: words, notes: note, keyword, product }: ListItem): object {
  const { history: _, ...ranks } = keyword ?? {};
  return { id: item, kind, value, tags: words, notes: note, ...ranks, ...product };
}

function totalOf(body: Readonly<Record<string, unknown>>): unknown {
  return (body.pagination as { readonly total_count?: number } | undefined)?.total_count;
}

export const LIST_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'list_lists',
    title: 'Lists',
    description:
      'The named lists of keywords and products that the organization shares, with their sizes and rules. Free of quota.',
    effect: 'reads',
    input: z.strictObject({}),
    plan: () => ({ method: 'GET', target: '/v1/lists?limit=1000' }),
    present: ({ data }) => ({ lists: data }),
  }),
  defineTool({
    name: 'read_list',
    title: 'Items of a list',
    description:
      'The keywords of a list with their monthly ranks, and its products with the keywords they hold, with tags and notes. Free of quota.',
    effect: 'reads',
    input: z.strictObject({
      id,
      kind: z.enum(['keyword', 'product']).optional(),
      tag: z.string().min(1).optional().describe('Only items with this tag.'),
      limit,
      offset,
    }),
    plan: ({ id: list, ...input }) => ({
      method: 'GET',
      target: target(`/v1/lists/${encodeURIComponent(list)}/items`, input),
    }),
    present: (body) => ({ total: totalOf(body), items: (body.data as readonly ListItem[]).map(presentItem) }),
  }),
  defineTool({
    name: 'make_list',
    title: 'Make a list',
    description: 'Makes an empty list that every member of the organization sees. Free of quota.',
    effect: 'adds',
    input: z.strictObject({ name, notes: notes.optional() }),
    plan: (input) => ({ method: 'POST', target: '/v1/lists', body: input }),
    present: ({ data }) => ({ list: data }),
  }),
  defineTool({
    name: 'add_to_list',
    title: 'Add to a list',
    description:
      'Adds keywords and products to a list, each with either search_term or asin. Those in it already stay as they are. Free of quota.',
    effect: 'adds',
    input: z.strictObject({
      id,
      items: z
        .array(
          z.strictObject({
            search_term: z.string().min(1).optional(),
            asin: z.string().min(1).optional(),
            tags: tags.optional(),
            notes: notes.optional(),
          }),
        )
        .min(1)
        .max(MAX_ADDED_AT_ONCE),
    }),
    plan: ({ id: list, ...body }) => ({ method: 'POST', target: `/v1/lists/${encodeURIComponent(list)}/items`, body }),
    present: ({ created_count, existing_count }) => ({ created_count, existing_count }),
  }),
  defineTool({
    name: 'remove_from_list',
    title: 'Remove from a list',
    description:
      'Removes items from a list by the ids that read_list shows. What is tracked stays tracked. Free of quota.',
    effect: 'removes',
    input: z.strictObject({ id, ids: z.array(z.string()).min(1).max(MAX_ADDED_AT_ONCE) }),
    plan: ({ id: list, ...body }) => ({
      method: 'POST',
      target: `/v1/lists/${encodeURIComponent(list)}/items/remove`,
      body,
    }),
    present: ({ removed_count }) => ({ removed_count }),
  }),
  defineTool({
    name: 'list_chart_notes',
    title: 'Noted events',
    description:
      'Events that members noted on the charts, by date: of some keywords and of all. They may explain a change of rank. Free of quota.',
    effect: 'reads',
    input: z.strictObject({
      search_term: z.array(z.string().min(1)).max(50).optional().describe('Only of these keywords, and of all.'),
      from: day.optional().describe('From this day, YYYY-MM-DD.'),
      to: day.optional(),
      limit,
      offset,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/chart-notes', input) }),
    present: (body) => ({ total: totalOf(body), notes: body.data }),
  }),
  defineTool({
    name: 'note_on_chart',
    title: 'Note an event',
    description:
      'Notes what happened on a day, on the chart of one keyword or of all, for every member of the organization. Free of quota.',
    effect: 'adds',
    input: z.strictObject({
      date: day.describe('YYYY-MM-DD.'),
      note: z.string().min(1).max(300),
      search_term: z.string().min(1).optional().describe('Leave out for every chart.'),
    }),
    plan: (input) => ({ method: 'POST', target: '/v1/chart-notes', body: input }),
    present: ({ data }) => ({ note: data }),
  }),
];
