import { Type } from 'typebox';
import { METERS } from '../../domain/meter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { successSchema } from '../schemas.ts';

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
  success: {
    contentType: 'application/json',
    schema: successSchema(Object.fromEntries(METERS.map((meter) => [meter, Type.String()]))),
  },
  handle: async ({ resources }) => ({ body: JSON.stringify({ ...resources.meterIds, error: null }) }),
});
