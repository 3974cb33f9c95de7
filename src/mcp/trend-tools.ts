import { z } from 'zod';
import { TREND_FILTERS } from '../domain/search-filter.ts';
import { MAX_WEEKS_UNTIL_PEAK, SEASON_ORDERS } from '../domain/season.ts';
import { target } from './api.ts';
import { compareTo, filterInputs, limit, marketplace, offset, period, trendType, words } from './parameters.ts';
import { presentList } from './presented-rows.ts';
import { defineTool, type Tool } from './tool.ts';

const filters = {
  query: words('Only terms with all words of one of these.').optional(),
  ...filterInputs(TREND_FILTERS),
};
const direction = z.enum(['ASC', 'DESC']).default('DESC');

export const TREND_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'rank_changes',
    title: 'Movers',
    description:
      'Terms whose rank moved by more than a threshold between two periods, the two newest unless given. change is positive when a term moved up. Free of quota.',
    effect: 'reads',
    input: z.strictObject({
      threshold: z.number().positive().default(1000).describe('Smallest move that counts, in ranks.'),
      direction: z.enum(['positive', 'negative']).optional().describe('positive: risers only. negative: fallers only.'),
      period: period.optional().describe('The newer period, such as 05-2026. The newest unless given.'),
      compare_to: compareTo,
      ...filters,
      order_by: z
        .enum(['abs_change', 'change', 'change_percentage', 'current_rank', 'previous_rank', 'query'])
        .default('abs_change'),
      order_direction: direction,
      type: trendType,
      limit,
      offset,
      marketplace,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/trends/change-by', input) }),
    present: presentList,
  }),
  defineTool({
    name: 'new_terms',
    title: 'New terms',
    description:
      'Terms that are ranked in the newest period and in no earlier one, most searched first. Free of quota.',
    effect: 'reads',
    input: z.strictObject({ ...filters, type: trendType, limit, offset, marketplace }),
    plan: (input) => ({ method: 'GET', target: target('/v1/trends/new', input) }),
    present: presentList,
  }),
  defineTool({
    name: 'seasonal_terms',
    title: 'Seasonal terms',
    description:
      'Terms that peak around the same month every year, with the peak month, how strong the peak is (2 means half the usual rank) and the weeks until it begins. Needs two years of visible data. Free of quota.',
    effect: 'reads',
    input: z.strictObject({
      peak_month: z.number().int().min(1).max(12).optional().describe('Only terms that peak in this month.'),
      within_weeks: z
        .number()
        .int()
        .min(0)
        .max(MAX_WEEKS_UNTIL_PEAK)
        .optional()
        .describe('Only terms whose peak month begins within so many weeks; 0 while it lasts.'),
      ...filters,
      order_by: z.enum(SEASON_ORDERS).default('strength'),
      order_direction: direction,
      type: trendType,
      limit,
      offset,
      marketplace,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/trends/seasonal', input) }),
    present: presentList,
  }),
  defineTool({
    name: 'social_ranks',
    title: 'Social-media ranks',
    description:
      'Terms by how their social-media rank moved over the last six periods, with their search rank; a rise here often leads the search ranks. Free of quota.',
    effect: 'reads',
    input: z.strictObject({
      ...filters,
      order_by: z.enum(['total_improvement', 'start_rank', 'end_rank', 'query']).default('total_improvement'),
      order_direction: direction,
      type: trendType,
      limit,
      offset,
      marketplace,
    }),
    plan: (input) => ({ method: 'GET', target: target('/v1/trends/social-media-ranks', input) }),
    present: presentList,
  }),
];
