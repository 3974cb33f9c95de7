import { type Static, Type } from 'typebox';
import { planTermHistory, sumShares, type TermPeriod } from '../../domain/holder.ts';
import { type Period, periodKey } from '../../domain/period.ts';
import { defineEndpoint } from '../endpoint.ts';
import { requiredText } from '../parameters.ts';
import { answerJson, jsonSuccess, nullable, strictObject } from '../schemas.ts';
import { DateFields, RankSchema, shareSchema } from './holder-answer.ts';
import { type HolderView, openHolderView } from './holder-parameters.ts';
import { marketplace, type } from './search-parameters.ts';

const concentration = (share: string) =>
  nullable(Type.Number({ minimum: 0, maximum: 300 }), `Sum of the known ${share} shares; null when none is known.`);

const TermPeriodSchema = strictObject({
  ...DateFields,
  rank: nullable(RankSchema, 'Null where the term has none.'),
  products: Type.Array(
    strictObject({
      asin: Type.String(),
      title: Type.String({ description: 'The newest that is known, of all visible periods.' }),
      click_share: shareSchema('Percent; null when the report has none.'),
      conversion_share: shareSchema('Percent; null when the report has none.'),
    }),
    { maxItems: 3, description: 'The most clicked, in the order of their places.' },
  ),
  brands: Type.Array(Type.String(), { maxItems: 3 }),
  click_concentration: concentration('click'),
  conversion_concentration: concentration('conversion'),
});

export const getKeywordHistory = defineEndpoint({
  method: 'GET',
  path: '/v1/search/keyword/history',
  operationId: 'getKeywordHistory',
  summary: 'One keyword over time',
  description:
    'What each visible period says of a keyword, oldest first: its rank, its top products with their shares, and its top brands. ' +
    'Counts as one search against the hourly limit, also when there is no data for the term.',
  tag: 'Search',
  scope: 'search',
  meter: 'search',
  parameters: {
    term: requiredText('The keyword; compared in normalised form.', { example: 'running shoes' }),
    type,
    marketplace,
  },
  success: jsonSuccess({ data: Type.Array(TermPeriodSchema) }),
  handle: async (request) => {
    const { parameters, resources, admit, time, signal, caller } = request;
    using asked = openHolderView(request, parameters.type);
    const { view, context } = asked;
    const plan = planTermHistory(parameters.term, context);
    const { searchId } = await admit();
    const periods = await time('search', async () => (await view?.listTermPeriods(plan, { signal })) ?? []);
    const resultCount = periods.some(({ rank }) => rank !== null) ? 1 : 0;
    resources.history.recordResultCount({ tenant: caller, searchId, resultCount });
    const data = plan.window.map((period, i) => presentTermPeriod(period, periods[i], asked));
    return answerJson({ data });
  },
});

/** A period in which the term has nothing is one with its dates alone. */
export function presentTermPeriod(
  period: Period,
  { rank = null, products = [], brands = [] }: Partial<TermPeriod> = {},
  { datesOf }: Pick<HolderView, 'datesOf'>,
): Static<typeof TermPeriodSchema> {
  return {
    period: periodKey(period),
    ...datesOf(period),
    rank,
    products: products.map(({ asin, title, clickShare, conversionShare }) => {
      return { asin, title, click_share: clickShare, conversion_share: conversionShare };
    }),
    brands: [...brands],
    click_concentration: sumShares(products.map(({ clickShare }) => clickShare)),
    conversion_concentration: sumShares(products.map(({ conversionShare }) => conversionShare)),
  };
}
