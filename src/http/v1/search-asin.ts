import { Type } from 'typebox';
import { planAsinSearch } from '../../domain/search-plan.ts';
import { defineEndpoint } from '../endpoint.ts';
import { jsonSuccess, PaginationSchema } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { answerSearch, searchFailureFields } from './search-answer.ts';
import { asinParameters } from './search-parameters.ts';
import { toAsinQuery } from './search-query-parameters.ts';
import { InsightfulResultSchema } from './search-result.ts';

/** Spec 4.10. */
export const searchAsin = defineEndpoint({
  method: 'GET',
  path: '/v1/search/asin',
  operationId: 'searchAsin',
  summary: 'Search by ASIN',
  description:
    'Keywords in whose latest products one of the ASINs stands; item ids of other shops are searched in the same way. ' +
    'Counts against the same hourly limit as keyword search.',
  tag: 'Search',
  scope: 'search',
  meter: 'asin',
  parameters: asinParameters,
  success: jsonSuccess({ data: Type.Array(InsightfulResultSchema), pagination: PaginationSchema }),
  failureFields: searchFailureFields,
  handle: async (context) => {
    const query = toAsinQuery(context.parameters);
    using view = openRequestedView(context, query);
    const searchPlan = planAsinSearch(query, { plan: context.plan, published: view?.periods ?? [] });
    return await answerSearch(context, { view, searchPlan });
  },
});
