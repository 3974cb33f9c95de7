import { brandHolder, planHolder } from '../../domain/holder.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { BrandSchema, notInReports, presentHolder, withoutShares } from './holder-answer.ts';
import { brandInPath, holderParameters, openHolderView } from './holder-parameters.ts';

export const getBrand = defineEndpoint({
  method: 'GET',
  path: '/v1/brands/{name}',
  operationId: 'getBrand',
  summary: 'One brand',
  description:
    'A brand over time, by the brands that reports name for a keyword: in how many it stands among the top 3, its best keyword, and ' +
    'what it won and lost. Reports give brands no shares. Counts as one search against the hourly limit, also when no report names it.',
  tag: 'Products',
  scope: 'search',
  meter: 'search',
  pathParameter: brandInPath,
  parameters: holderParameters,
  success: jsonSuccess({ data: BrandSchema }),
  codes: ['NOT_FOUND'],
  handle: async (request) => {
    const { id: name, parameters, resources, admit, time, signal, caller } = request;
    using asked = openHolderView(request, parameters.type);
    const plan = planHolder(brandHolder(name), asked.context);
    const { searchId } = await admit();
    const found = await time('search', async () => await asked.view?.findHolder(plan, { signal }));
    resources.history.recordResultCount({ tenant: caller, searchId, resultCount: found ? 1 : 0 });
    if (!found) throw notInReports('This brand');
    const { periods, ...rest } = presentHolder(found, plan.window, asked);
    return answerJson({ data: { name: found.name, ...rest, periods: periods.map(withoutShares) } });
  },
});
