import { z } from 'zod';
import { target } from './api.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_TRACKED_AT_ONCE = 50;
const ASIN = /^[A-Za-z0-9]{1,20}$/;

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

const productId = z.string().describe('The id that list_tracked_products shows.');

interface TrackedProduct {
  readonly id: string;
  readonly asin: string;
  readonly is_active: boolean;
  readonly notes: string;
  readonly snapshot: object;
}

function presentTrackedProduct({ id: tracked, asin, is_active, notes: note, snapshot }: TrackedProduct): object {
  return { id: tracked, asin, is_active, notes: note, ...snapshot };
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
  defineTool({
    name: 'list_tracked_products',
    title: 'Tracked products',
    description:
      'The products this user tracks, with how many keywords they hold in their top three, and how many they entered, left or hold at another place since the month before. Free of quota.',
    effect: 'reads',
    input: z.strictObject({
      period: z.string().optional().describe('As of this month, MM-YYYY; the newest unless given.'),
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/tracked-products', input) }),
    present: ({ data }) => ({ products: (data as readonly TrackedProduct[]).map(presentTrackedProduct) }),
  }),
  defineTool({
    name: 'track_products',
    title: 'Track products',
    description:
      'Adds products to those this user tracks: each new period brings a digest of the keywords that they entered and left. Those tracked already stay as they are. Free of quota.',
    effect: 'adds',
    input: z.strictObject({
      products: z
        .array(z.strictObject({ asin: z.string().regex(ASIN), notes: notes.optional() }))
        .min(1)
        .max(MAX_TRACKED_AT_ONCE),
    }),
    plan: (input) => ({ method: 'POST', target: '/v1/tracked-products', body: input }),
    present: ({ data, created_count, existing_count }) => ({
      created_count,
      existing_count,
      products: (data as readonly TrackedProduct[]).map(presentTrackedProduct),
    }),
  }),
  defineTool({
    name: 'change_tracked_product',
    title: 'Change a tracked product',
    description: 'Pauses or resumes a tracked product, or changes its note. Free of quota.',
    effect: 'changes',
    input: z.strictObject({
      id: productId,
      is_active: z.boolean().optional().describe('false pauses it.'),
      notes: notes.optional(),
    }),
    plan: ({ id: tracked, ...body }) => ({
      method: 'PATCH',
      target: `/v1/tracked-products/${encodeURIComponent(tracked)}`,
      body,
    }),
    present: ({ data }) => ({ product: presentTrackedProduct(data as TrackedProduct) }),
  }),
  defineTool({
    name: 'untrack_product',
    title: 'Stop tracking a product',
    description: 'Removes a tracked product with its note. Digests stay. Free of quota.',
    effect: 'removes',
    input: z.strictObject({ id: productId }),
    plan: ({ id: tracked }) => ({ method: 'DELETE', target: `/v1/tracked-products/${encodeURIComponent(tracked)}` }),
    present: () => ({ removed: true }),
  }),
];
