// Parameters that several tools share. Descriptions are written for an agent that has to choose values.
import { z } from 'zod';

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

export const rankRange = {
  min_rank: z.number().int().min(1).optional().describe('Lowest rank number wanted; 1 is the most searched.'),
  max_rank: z.number().int().min(1).optional().describe('Highest rank number wanted, for example 10000.'),
};
