import { planHolder } from '../../domain/holder.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { notInReports, ProductSchema, presentHolder } from './holder-answer.ts';
import { asinInPath, holderParameters, openHolderView } from './holder-parameters.ts';

export const getProduct = defineEndpoint({
  method: 'GET',
  path: '/v1/products/{asin}',
  operationId: 'getProduct',
  summary: 'One product',
  description:
    'A product over time: in how many keywords it stands among the top 3, with which shares, its best keyword, and what it won and ' +
    'lost. Counts as one search against the hourly limit, also when no report names it.',
  tag: 'Products',
  scope: 'search',
  meter: 'asin',
  pathParameter: asinInPath,
  parameters: holderParameters,
  success: jsonSuccess({ data: ProductSchema }),
  codes: ['NOT_FOUND'],
  handle: async (request) => {
    const { id: asin, parameters, resources, admit, time, signal, caller } = request;
    using asked = openHolderView(request, parameters.type);
    const plan = planHolder({ kind: 'product', asin }, asked.context);
    const { searchId } = await admit();
    const found = await time('search', async () => await asked.view?.findHolder(plan, { signal }));
    resources.history.recordResultCount({ tenant: caller, searchId, resultCount: found ? 1 : 0 });
    if (!found) throw notInReports(`The product ${asin}`);
    return answerJson({ data: { asin, title: found.title, ...presentHolder(found, plan.window, asked) } });
  },
});
