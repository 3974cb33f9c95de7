import { Type } from 'typebox';
import { defineEndpoint } from '../../src/http/endpoint.ts';
import { successSchema } from '../../src/http/schemas.ts';
import { searchParameters } from '../../src/http/v1/search-parameters.ts';

/** What every search costs before it searches: key, parameters, rate limit, history. Only benchmarks serve it. */
export const probeAdmission = defineEndpoint({
  method: 'GET',
  path: '/v1/bench/admission',
  operationId: 'probeAdmission',
  summary: 'Admission alone',
  description: 'Authenticates and admits as a keyword search does, and searches nothing.',
  tag: 'Search',
  scope: 'search',
  meter: 'search',
  parameters: searchParameters,
  success: { contentType: 'application/json', schema: successSchema({ data: Type.Array(Type.Never()) }) },
  handle: async ({ admit }) => {
    await admit();
    return { body: '{"data":[],"error":null}' };
  },
});
