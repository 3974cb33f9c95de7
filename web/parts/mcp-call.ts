// A request as the tool call that an agent would make. Tools know fewer parameters than the API: what they do not know is left
// out.
import { TOOL_INPUTS } from '../api/operations.ts';
import { type ParameterValue, readValue } from '../api/parameter-value.ts';
import type { Request } from '../api/request.ts';

/** Tools give an agent few rows. */
const MAX_ROWS = 50;

/** The tool that answers what a view asks. */
const TOOLS: Readonly<Record<string, string>> = {
  '/v1/search/keywords': 'search_keywords',
  '/v1/search/keyword': 'keyword_history',
  '/v1/search/keyword/history': 'keyword_shares',
  '/v1/products/{asin}': 'product_overview',
  '/v1/products/{asin}/keywords': 'product_keywords',
  '/v1/products/compare': 'compare_products',
  '/v1/brands/{name}': 'brand_overview',
  '/v1/brands/{name}/keywords': 'brand_keywords',
  '/v1/trends/change-by': 'rank_changes',
  '/v1/trends/new': 'new_terms',
  '/v1/trends/seasonal': 'seasonal_terms',
  '/v1/search/roots': 'search_roots',
  '/v1/trends/social-media-ranks': 'social_ranks',
  '/v1/tracked-keywords': 'list_tracked_keywords',
  '/v1/periods': 'list_periods',
  '/v1/usage': 'get_usage',
};

/** Undefined where there is no tool for it. */
export function writeMcpCall({
  method = 'GET',
  path,
  segments = {},
  params = new URLSearchParams(),
}: Request): string | undefined {
  const name = TOOLS[path];
  if (!name || method !== 'GET') return undefined;
  const values: Record<string, ParameterValue> = {};
  // Of a brand, the API has the name in its path.
  if (segments.asin !== undefined) values.asin = segments.asin;
  if (segments.name !== undefined) values.brand = segments.name;
  // The one view of a single keyword has a tool that compares several.
  if (name === 'keyword_history') values.terms = params.getAll('term');
  for (const input of TOOL_INPUTS[name] ?? []) {
    const texts = params.getAll(input);
    if (texts.length > 0) values[input] = readValue(path, input, texts);
  }
  if (typeof values.limit === 'number') values.limit = Math.min(MAX_ROWS, values.limit);
  return JSON.stringify({ name, arguments: values }, null, 2);
}
