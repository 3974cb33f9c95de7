import { z } from 'zod';
import { target } from './api.ts';
import { marketplace } from './parameters.ts';
import { defineTool, type Tool } from './tool.ts';

export const ACCOUNT_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'list_periods',
    title: 'Published periods',
    description:
      'The months and weeks that there is data for, newest first, within the plan. Period keys are MM-YYYY and WW-YYYY (ISO weeks). Free of quota.',
    effect: 'reads',
    input: z.strictObject({ type: z.enum(['monthly', 'weekly']).optional(), marketplace }),
    plan: (input) => ({ method: 'GET', target: target('/v1/periods', input) }),
    present: ({ data }) => ({
      periods: (data as readonly Readonly<Record<string, unknown>>[]).map(
        ({ type, period, start_date, end_date, keywords }) => ({ type, period, start_date, end_date, keywords }),
      ),
    }),
  }),
  defineTool({
    name: 'get_usage',
    title: 'Usage and quota',
    description:
      'What was used this month and last, and how many searches are left in this hour. Ask before a long series of searches. Free of quota.',
    effect: 'reads',
    input: z.strictObject({}),
    plan: () => ({ method: 'GET', target: '/v1/usage' }),
    present: ({ data }) => ({ usage: data }),
  }),
];
