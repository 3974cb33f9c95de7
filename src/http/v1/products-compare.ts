import { type Static, Type } from 'typebox';
import { type ComparedKeyword, type Comparison, planComparison } from '../../domain/holder.ts';
import { periodKey } from '../../domain/period.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, nullable, PaginationSchema, presentPagination, strictObject } from '../schemas.ts';
import { PlaceSchema, RankSchema, shareSchema } from './holder-answer.ts';
import { compareParameters, openHolderView, toListQuery } from './holder-parameters.ts';

const StandingSchema = strictObject({
  asin: Type.String(),
  place: nullable(PlaceSchema, 'Null where it is not in the top 3.'),
  click_share: shareSchema('Percent; null when it is not known.'),
  conversion_share: shareSchema('Percent; null when it is not known.'),
});

const ComparedSchema = strictObject({
  search_term: Type.String({ description: 'The term as imported.' }),
  search_rank: RankSchema,
  products: Type.Array(StandingSchema, { description: 'One per ASIN, in the order of the request.' }),
});

const ProductSchema = strictObject({
  asin: Type.String(),
  title: Type.String({ description: 'The newest that is known; empty when none is.' }),
  keywords: Type.Integer({ minimum: 0, description: 'In whose top 3 it stands in the period.' }),
});

export const compareProducts = defineEndpoint({
  method: 'GET',
  path: '/v1/products/compare',
  operationId: 'compareProducts',
  summary: 'Compare products',
  description:
    'The keywords of several products side by side, with the place and shares of each, the most searched first: those of all of them, ' +
    'of any, or those that the first one lacks. Counts as one search against the hourly limit.',
  tag: 'Products',
  scope: 'search',
  meter: 'asin',
  parameters: compareParameters,
  success: jsonSuccess({
    data: Type.Array(ComparedSchema),
    products: Type.Array(ProductSchema, { description: 'In the order of the request.' }),
    period: Type.String({ description: 'The period that is compared; empty where there is none.' }),
    pagination: PaginationSchema,
  }),
  handle: async (request) => {
    const { parameters, resources, admit, time, signal, caller } = request;
    using asked = openHolderView(request, parameters.type);
    const query = { ...toListQuery(parameters), asins: parameters.asin, mode: parameters.mode };
    const plan = planComparison(query, asked.context);
    const { searchId } = await admit();
    const nothing: Comparison = { totalCount: 0, rows: [], products: [] };
    const found = await time('search', async () => (await asked.view?.compareProducts(plan, { signal })) ?? nothing);
    const { totalCount, rows, products } = found;
    resources.history.recordResultCount({ tenant: caller, searchId, resultCount: totalCount });
    return answerJson({
      data: rows.map((row) => presentCompared(row, plan.asins)),
      products: plan.asins.map((asin, i) => ({ asin, title: '', keywords: 0, ...products[i] })),
      period: plan.period ? periodKey(plan.period) : '',
      pagination: presentPagination(plan, totalCount),
    });
  },
});

export function presentCompared(
  { searchTerm, rank, standings }: ComparedKeyword,
  asins: readonly string[],
): Static<typeof ComparedSchema> {
  return {
    search_term: searchTerm,
    search_rank: rank,
    products: asins.map((asin, i) => ({
      asin,
      place: standings[i]?.place ?? null,
      click_share: standings[i]?.clickShare ?? null,
      conversion_share: standings[i]?.conversionShare ?? null,
    })),
  };
}
