// A request as the tool call that an agent would make. Tools know fewer parameters than the API: what they do not know is left
// out.
import type { Request } from './copy-as.tsx';
import { type ParameterValue, readValue } from './parameter-value.ts';

interface Tool {
  readonly name: string;
  /** The API's parameters that it takes. */
  readonly fields: readonly string[];
  /** Those that it takes as a list under another name. */
  readonly lists?: Readonly<Record<string, string>>;
}

/** Tools give an agent few rows. */
const MAX_ROWS = 50;

const RANKS = ['min_rank', 'max_rank'];
const ORDER = ['order_by', 'order_direction'];
const TREND_FILTERS = ['query', 'category', ...RANKS, 'type', 'limit', 'offset', 'marketplace'];

const TOOLS: Readonly<Record<string, Tool>> = {
  '/v1/search/keywords': {
    name: 'search_keywords',
    fields: [
      ...['query', 'method', 'exclude_query', 'brand', 'category', 'product', ...RANKS, 'exclude_nulls', ...ORDER],
      ...['type', 'page', 'limit', 'marketplace'],
    ],
  },
  '/v1/search/keyword': { name: 'keyword_history', fields: ['type', 'marketplace'], lists: { term: 'terms' } },
  '/v1/trends/change-by': { name: 'rank_changes', fields: ['threshold', 'direction', ...ORDER, ...TREND_FILTERS] },
  '/v1/trends/new': { name: 'new_terms', fields: TREND_FILTERS },
  '/v1/trends/social-media-ranks': { name: 'social_ranks', fields: [...ORDER, ...TREND_FILTERS] },
  '/v1/tracked-keywords': { name: 'list_tracked_keywords', fields: [] },
  '/v1/periods': { name: 'list_periods', fields: ['marketplace'] },
  '/v1/usage': { name: 'get_usage', fields: [] },
};

/** Undefined where there is no tool for it. */
export function writeMcpCall({ method = 'GET', path, params = new URLSearchParams() }: Request): string | undefined {
  const tool = TOOLS[path];
  if (!tool || method !== 'GET') return undefined;
  const values: Record<string, ParameterValue> = {};
  for (const [field, name] of Object.entries(tool.lists ?? {})) values[name] = params.getAll(field);
  for (const field of tool.fields) {
    const texts = params.getAll(field);
    if (texts.length > 0) values[field] = readValue(field, texts);
  }
  if (typeof values.limit === 'number') values.limit = Math.min(MAX_ROWS, values.limit);
  return JSON.stringify({ name: tool.name, arguments: values }, null, 2);
}
