import { Type } from 'typebox';
import { MAX_SUGGESTIONS, planSuggestions } from '../../domain/suggestion.ts';
import { defineEndpoint } from '../endpoint.ts';
import { integer, requiredText } from '../parameters.ts';
import { answerJson, jsonSuccess, strictObject } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { marketplace, type } from './search-parameters.ts';

const SuggestionSchema = strictObject({ search_term: Type.String({ description: 'The term as imported.' }) });

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
  success: jsonSuccess({ data: Type.Array(SuggestionSchema) }),
  handle: async (context) => {
    const { plan, signal, time } = context;
    const { query: text, type: frequency, limit } = context.parameters;
    using view = openRequestedView(context, { frequency });
    const suggestionPlan = planSuggestions({ text, frequency, limit }, { plan, published: view?.periods ?? [] });
    const terms = view ? await time('suggest', () => view.listSuggestions(suggestionPlan, { signal })) : [];
    return answerJson({ data: terms.map((term) => ({ search_term: term })) });
  },
});
