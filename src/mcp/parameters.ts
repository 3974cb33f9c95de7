// Parameters that several tools share. Descriptions are written for an agent that has to choose values.
import { z } from 'zod';
import type { SearchFilter } from '../domain/search-filter.ts';

export const MAX_ROWS = 50;
const DEFAULT_ROWS = 10;

export const words = (description: string) => z.array(z.string().min(1)).min(1).max(50).describe(description);

export const type = z
  .enum(['monthly', 'weekly'])
  .default('monthly')
  .describe('Data frequency. Monthly reaches back years (24 months on Pro), weekly only six weeks.');

export const trendType = z.enum(['M', 'W']).default('M').describe('M for months, W for weeks.');

export const limit = z
  .number()
  .int()
  .min(1)
  .max(MAX_ROWS)
  .default(DEFAULT_ROWS)
  .describe(`Rows to return, at most ${MAX_ROWS}. Ask for few; the total is always exact.`);

export const page = z.number().int().min(1).default(1).describe('Page of the result, from 1.');

export const offset = z.number().int().min(0).max(1_000_000).default(0).describe('Rows to skip.');

export const marketplace = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .optional()
  .describe('Two-letter marketplace such as US. Leave out for the default one.');

export const period = z.string().regex(/^[0-9]{1,3}-[0-9]{4}$/);

/** What changes are counted from. */
export const compareTo = z
  .string()
  .regex(/^(year_ago|[0-9]{1,3}-[0-9]{4})$/)
  .optional()
  .describe('Period to compare with, such as 05-2026, or year_ago. The period before the newer one unless given.');

/** Filters under the names of the API. */
export function filterInputs(filters: Readonly<Record<string, SearchFilter>>) {
  return Object.fromEntries(Object.values(filters).map((filter) => [filter.parameter, filterInput(filter)]));
}

function filterInput(filter: SearchFilter) {
  switch (filter.kind) {
    case 'texts':
      return words(filter.advice).optional();
    case 'bound':
      return z.number().int().min(1).max(filter.max).optional().describe(filter.advice);
    case 'measure': {
      const number = filter.isWhole ? z.number().int() : z.number();
      return number.min(filter.min).max(filter.max).optional().describe(filter.advice);
    }
    case 'period':
      return period.optional().describe(filter.advice);
    case 'flag':
      return z.boolean().optional().describe(filter.advice);
  }
}
