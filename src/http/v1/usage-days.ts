import { Type } from 'typebox';
import { METERS } from '../../domain/meter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { integer } from '../parameters.ts';
import { answerJson, jsonSuccess, strictObject } from '../schemas.ts';

export const listUsageDays = defineEndpoint({
  method: 'GET',
  path: '/v1/usage/days',
  operationId: 'listUsageDays',
  summary: 'Usage by day',
  description: 'What the organization used on each meter, day by day in UTC, oldest first. Reading costs no quota.',
  tag: 'Account',
  scope: 'account',
  parameters: { days: integer('Days up to today.', { min: 1, max: 366, absent: 30 }) },
  success: jsonSuccess({
    data: Type.Array(
      strictObject({
        day: Type.String({ format: 'date' }),
        ...Object.fromEntries(METERS.map((meter) => [meter, Type.Integer({ minimum: 0 })])),
      }),
    ),
  }),
  handle: async ({ caller, parameters, resources }) => {
    const days = await resources.usage.readDays(caller, parameters.days);
    return answerJson({ data: days.map(({ day, counts }) => ({ day, ...counts })) });
  },
});
