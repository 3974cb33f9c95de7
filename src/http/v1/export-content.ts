// What stands in an export: the rows of the search, and the words of its About sheet.
import type { KeywordExport } from '../../domain/keyword-export.ts';
import type { Plan } from '../../domain/plan.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { RequestContext } from '../endpoint.ts';
import type { exportParameters } from './search-parameters.ts';

const FILTER_NAMES: Readonly<Record<string, string>> = {
  method: 'Method',
  exclude_query: 'Excluded words',
  brand: 'Brand',
  product: 'Product',
  category: 'Category',
  order_by: 'Order',
  order_direction: 'Direction',
  exclude_nulls: 'Only ranked in the newest period',
  min_rank: 'Rank from',
  max_rank: 'Rank to',
  min_words: 'Words from',
  max_words: 'Words to',
  page: 'Page',
  limit: 'Rows per page',
};

export function describeExport(
  { parameters, plan, resources }: RequestContext<typeof exportParameters>,
  { searchPlan, rowCount }: { readonly searchPlan: SearchPlan; readonly rowCount: number },
): Omit<KeywordExport, 'batches'> {
  return {
    frequency: parameters.type,
    periods: searchPlan.window,
    format: parameters.format,
    colorThresholdPercent: parameters.color_threshold ?? 0,
    description: {
      queries: parameters.query,
      filters: describeFilters(parameters),
      planWindow: describeWindow(plan, searchPlan),
      dataVersion: String(resources.ranks.manifest.version),
      rowCount,
      exportedAtMs: resources.now().getTime(),
    },
  };
}

function describeFilters(parameters: Readonly<Record<string, unknown>>): readonly { name: string; value: string }[] {
  return Object.entries(FILTER_NAMES).flatMap(([parameter, name]) => {
    const value = parameters[parameter];
    if (value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0))
      return [];
    return [{ name, value: Array.isArray(value) ? value.join('; ') : value === true ? 'yes' : String(value) }];
  });
}

function describeWindow(plan: Plan, { window }: SearchPlan): string {
  const unit = window[0]?.frequency === 'weekly' ? 'weeks' : 'months';
  const name = plan === 'pro' ? 'Pro' : 'Studio';
  return window.length === 0 ? `${name}: nothing is published yet` : `${name}: the last ${window.length} ${unit}`;
}
