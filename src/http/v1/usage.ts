import { Type } from 'typebox';
import { METERS } from '../../domain/meter.ts';
import { remainingSearches, resetUnixSeconds } from '../../domain/rate-limit.ts';
import { noActiveSubscription } from '../auth.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, strictObject } from '../schemas.ts';

const MonthSchema = strictObject({
  month: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'Calendar month in UTC.' }),
  ...Object.fromEntries(METERS.map((meter) => [meter, Type.Integer({ minimum: 0 })])),
});

const RateLimitSchema = strictObject({
  limit: Type.Integer({ description: 'Searches per hour of the plan.' }),
  used: Type.Integer({ description: 'Searches admitted in the last hour.' }),
  remaining: Type.Integer(),
  reset: Type.Integer({ description: 'Unix second at which the next slot frees.' }),
});

export const getUsage = defineEndpoint({
  method: 'GET',
  path: '/v1/usage',
  operationId: 'getUsage',
  summary: 'Usage and rate limit',
  description:
    'Whose key it is, what the organization used on each meter in the current and the previous month, and where its ' +
    'hourly search limit stands. Reading costs no quota.',
  tag: 'Account',
  scope: 'account',
  parameters: {},
  success: jsonSuccess({
    data: strictObject({
      organization: Type.String({ description: 'The name of the organization that the key belongs to.' }),
      user: Type.String({ description: 'The mail address of the member that the key belongs to.' }),
      plan: Type.String(),
      current_month: MonthSchema,
      previous_month: MonthSchema,
      rate_limit: RateLimitSchema,
    }),
  }),
  handle: async ({ caller, plan, resources }) => {
    const [usage, rateLimit] = await Promise.all([
      resources.usage.read(caller),
      resources.rateLimiter.read(caller.organizationId),
    ]);
    if (!rateLimit) throw noActiveSubscription();
    const [current, previous] = usage.months.map(({ month, counts }) => ({ month, ...counts }));
    const data = {
      organization: usage.organizationName,
      user: usage.userEmail,
      plan: plan.name,
      current_month: current,
      previous_month: previous,
      rate_limit: {
        limit: rateLimit.limit,
        used: rateLimit.counted,
        remaining: remainingSearches(rateLimit),
        reset: resetUnixSeconds(rateLimit),
      },
    };
    return answerJson({ data });
  },
});
