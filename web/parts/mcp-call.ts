// A request as the tool call that an agent would make. Tools take values, not text, and know fewer parameters than the API:
// what they do not know is left out.
import type { Request } from './copy-as.tsx';

type Kind = 'text' | 'texts' | 'number' | 'flag';

interface Tool {
  readonly name: string;
  /** What its arguments are, by the API's names. */
  readonly fields: Readonly<Record<string, Kind>>;
  /** Arguments that have another name than the API's parameter. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** Tools give an agent few rows. */
const MAX_ROWS = 50;

const RANKS = { min_rank: 'number', max_rank: 'number' } as const;
const TREND_FILTERS = {
  query: 'texts',
  category: 'texts',
  ...RANKS,
  type: 'text',
  limit: 'number',
  offset: 'number',
} as const;
const ORDER = { order_by: 'text', order_direction: 'text' } as const;

const TOOLS: Readonly<Record<string, Tool>> = {
  '/v1/search/keywords': {
    name: 'search_keywords',
    fields: {
      ...{
        query: 'texts',
        method: 'text',
        exclude_query: 'texts',
        brand: 'texts',
        category: 'texts',
        product: 'texts',
      },
      ...{
        ...RANKS,
        exclude_nulls: 'flag',
        ...ORDER,
        type: 'text',
        page: 'number',
        limit: 'number',
        marketplace: 'text',
      },
    },
  },
  '/v1/search/keyword': {
    name: 'keyword_history',
    fields: { term: 'texts', type: 'text' },
    renamed: { term: 'terms' },
  },
  '/v1/trends/change-by': {
    name: 'rank_changes',
    fields: { threshold: 'number', direction: 'text', ...ORDER, ...TREND_FILTERS },
  },
  '/v1/trends/new': { name: 'new_terms', fields: TREND_FILTERS },
  '/v1/trends/social-media-ranks': { name: 'social_ranks', fields: { ...ORDER, ...TREND_FILTERS } },
  '/v1/tracked-keywords': { name: 'list_tracked_keywords', fields: {} },
  '/v1/periods': { name: 'list_periods', fields: {} },
  '/v1/usage': { name: 'get_usage', fields: {} },
};

/** Undefined where there is no tool for it. */
export function writeMcpCall({ method = 'GET', path, params = new URLSearchParams() }: Request): string | undefined {
  const tool = TOOLS[path];
  if (!tool || method !== 'GET') return undefined;
  const values: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries(tool.fields)) {
    const texts = params.getAll(field);
    if (texts.length > 0) values[tool.renamed?.[field] ?? field] = readArgument(texts, kind, field);
  }
  return JSON.stringify({ name: tool.name, arguments: values }, null, 2);
}

function readArgument(texts: readonly string[], kind: Kind, field: string): unknown {
  const [text = ''] = texts;
  if (kind === 'texts') return texts;
  if (kind === 'flag') return text === 'true';
  if (kind === 'number') return field === 'limit' ? Math.min(MAX_ROWS, Number(text)) : Number(text);
  return text;
}
