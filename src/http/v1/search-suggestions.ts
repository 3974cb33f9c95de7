import { type Static, Type } from 'typebox';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import { MAX_SUGGESTIONS, planSuggestions } from '../../domain/suggestion.ts';
import { defineEndpoint } from '../endpoint.ts';
import { integer, requiredText } from '../parameters.ts';
import { successSchema } from '../schemas.ts';
import { marketplace, type } from './search-parameters.ts';

const SuggestionSchema = Type.Object(
  { search_term: Type.String({ description: 'The term as imported.' }) },
  { additionalProperties: false },
);

/** Free, so it tells which terms there are and nothing of their ranks. */
export const listSuggestions = defineEndpoint({
  method: 'GET',
  path: '/v1/search/suggestions',
  operationId: 'listSuggestions',
  summary: 'Suggest terms',
  description:
    'Terms that complete what is being typed: they have every finished word of `query` and a word that begins as its last ' +
    'one does. Terms of the newest period come first, then the best latest rank. Costs no quota.',
  tag: 'Search',
  scope: 'search',
  parameters: {
    query: requiredText('What was typed so far.', { example: 'running sh' }),
    type,
    limit: integer('Most suggestions.', { min: 1, max: MAX_SUGGESTIONS, absent: MAX_SUGGESTIONS }),
    marketplace,
  },
  success: { contentType: 'application/json', schema: successSchema({ data: Type.Array(SuggestionSchema) }) },
  handle: async ({ caller, parameters, plan, resources, signal, time }) => {
    const marketplace = parseMarketplace(parameters.marketplace, resources.ranks);
    using view = resources.ranks.openView(
      { marketplace, frequency: parameters.type, source: 'search' },
      caller.organizationId,
    );
    const suggestionPlan = planSuggestions(
      { text: parameters.query, frequency: parameters.type, limit: parameters.limit },
      { plan, published: view?.periods ?? [] },
    );
    const terms = view ? await time('suggest', () => view.listSuggestions(suggestionPlan, { signal })) : [];
    return { body: JSON.stringify({ data: terms.map(presentSuggestion), error: null }) };
  },
});

function presentSuggestion(searchTerm: string): Static<typeof SuggestionSchema> {
  return { search_term: searchTerm };
}
