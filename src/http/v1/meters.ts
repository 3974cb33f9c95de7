import { Type } from 'typebox';
import { METERS } from '../../domain/meter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';

/** Spec 4.8. */
export const getMeters = defineEndpoint({
  method: 'GET',
  path: '/v1/meters',
  operationId: 'getMeters',
  summary: 'Billing meter identifiers',
  description: 'The identifiers under which searches, exports, ASIN searches and alerts are billed. Costs no quota.',
  tag: 'Account',
  scope: 'account',
  parameters: {},
  success: jsonSuccess(Object.fromEntries(METERS.map((meter) => [meter, Type.String()]))),
  handle: async ({ resources }) => answerJson({ ...resources.meterIds }),
});
