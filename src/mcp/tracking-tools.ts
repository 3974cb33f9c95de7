import { z } from 'zod';
import { target } from './api.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_TRACKED_AT_ONCE = 50;

const id = z.string().describe('The id that list_tracked_keywords shows.');
const notes = z.string().describe('A note of your own.');
const rule = z
  .strictObject({
    field: z.enum(['latest_rank', 'rank_change', 'best_rank', 'worst_rank', 'avg_rank']),
    operator: z.enum(['lt', 'lte', 'gt', 'gte', 'eq']),
    value: z.number(),
  })
  .describe('When to alert, for example latest_rank lt 1000. rank_change is positive when a term moved up.');

interface TrackedKeyword {
  readonly id: string;
  readonly is_active: boolean;
  readonly notes: string;
  readonly priority_enabled: boolean;
  readonly priority_rule: unknown;
  readonly search_term: { readonly original_term: string };
  readonly snapshot: Readonly<Record<string, unknown>>;
}

function presentTracked(keyword: TrackedKeyword): object {
  const { history: _, ...ranks } = keyword.snapshot;
  return {
    id: keyword.id,
    term: keyword.search_term.original_term,
    is_active: keyword.is_active,
    notes: keyword.notes,
    priority_enabled: keyword.priority_enabled,
    priority_rule: keyword.priority_rule,
    ...ranks,
  };
}

export const TRACKING_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'list_tracked_keywords',
    title: 'Tracked keywords',
    description: 'The keywords this user tracks, with their ranks and alert rules. Free of quota.',
    effect: 'reads',
    input: z.strictObject({
      query: z.string().optional().describe('Only those that a search for these words finds.'),
      period: z.string().optional().describe('As of this month, MM-YYYY; the newest unless given.'),
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/tracked-keywords', input) }),
    present: ({ data }) => ({ keywords: (data as readonly TrackedKeyword[]).map(presentTracked) }),
  }),
  defineTool({
    name: 'track_keywords',
    title: 'Track keywords',
    description:
      'Adds keywords to those this user tracks: each new period brings a digest, and an alert when the rule is met. Those tracked already stay as they are. Free of quota.',
    effect: 'adds',
    input: z.strictObject({
      keywords: z
        .array(
          z.strictObject({
            search_term: z.string().min(1),
            notes: notes.optional(),
            priority_rule: rule.optional(),
          }),
        )
        .min(1)
        .max(MAX_TRACKED_AT_ONCE),
    }),
    plan: (input) => ({ method: 'POST', target: '/v1/tracked-keywords', body: input }),
    present: ({ data, created_count, existing_count }) => ({
      created_count,
      existing_count,
      keywords: (data as readonly TrackedKeyword[]).map(presentTracked),
    }),
  }),
  defineTool({
    name: 'change_tracked_keyword',
    title: 'Change a tracked keyword',
    description: 'Pauses or resumes a tracked keyword, or changes its note or alert rule. Free of quota.',
    effect: 'changes',
    input: z.strictObject({
      id,
      is_active: z.boolean().optional().describe('false pauses it.'),
      notes: notes.optional(),
      priority_enabled: z.boolean().optional(),
      priority_rule: rule.optional(),
    }),
    plan: ({ id: tracked, ...body }) => ({
      method: 'PATCH',
      target: `/v1/tracked-keywords/${encodeURIComponent(tracked)}`,
      body,
    }),
    present: ({ data }) => ({ keyword: presentTracked(data as TrackedKeyword) }),
  }),
  defineTool({
    name: 'untrack_keyword',
    title: 'Stop tracking a keyword',
    description: 'Removes a tracked keyword with its note and rule. Digests stay. Free of quota.',
    effect: 'removes',
    input: z.strictObject({ id }),
    plan: ({ id: tracked }) => ({ method: 'DELETE', target: `/v1/tracked-keywords/${encodeURIComponent(tracked)}` }),
    present: () => ({ removed: true }),
  }),
];
