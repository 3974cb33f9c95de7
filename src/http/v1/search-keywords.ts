import { Type } from 'typebox';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import { planSearch } from '../../domain/search-plan.ts';
import { defineEndpoint } from '../endpoint.ts';
import { PaginationSchema, successSchema } from '../schemas.ts';
import { answerSearch, searchFailureFields } from './search-answer.ts';
import { searchParameters } from './search-parameters.ts';
import { toSearchQuery } from './search-query-parameters.ts';
import { SearchResultSchema } from './search-result.ts';

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
  success: {
    contentType: 'application/json',
    schema: successSchema({ data: Type.Array(SearchResultSchema), pagination: PaginationSchema }),
  },
  failureFields: searchFailureFields,
  handle: async (context) => {
    const { parameters, plan, resources } = context;
    const marketplace = parseMarketplace(parameters.marketplace, resources.ranks);
    const query = toSearchQuery({ ...parameters, marketplace });
    using view = resources.ranks.openView(
      { marketplace, frequency: query.frequency, source: 'search' },
      context.caller.organizationId,
    );
    const searchPlan = planSearch(query, { plan, published: view?.periods ?? [] });
    return await answerSearch(context, { view, searchPlan });
  },
});
