import { Type } from 'typebox';
import { planSearch } from '../../domain/search-plan.ts';
import { defineEndpoint } from '../endpoint.ts';
import { jsonSuccess, PaginationSchema } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { answerSearch, searchFailureFields } from './search-answer.ts';
import { searchParameters } from './search-parameters.ts';
import { toSearchQuery } from './search-query-parameters.ts';
import { InsightfulResultSchema } from './search-result.ts';

/** Spec 4.1. */
export const searchKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/search/keywords',
  operationId: 'searchKeywords',
  summary: 'Search keywords',
  description: 'Searches keyword rankings inside the periods that the plan can see. Counts against the hourly limit.',
  tag: 'Search',
  scope: 'search',
  meter: 'search',
  parameters: searchParameters,
  success: jsonSuccess({ data: Type.Array(InsightfulResultSchema), pagination: PaginationSchema }),
  failureFields: searchFailureFields,
  handle: async (context) => {
    const query = toSearchQuery(context.parameters);
    using view = openRequestedView(context, query);
    const searchPlan = planSearch(query, { plan: context.plan, published: view?.periods ?? [] });
    return await answerSearch(context, { view, searchPlan });
  },
});
