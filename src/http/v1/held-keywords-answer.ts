import { type HeldKeyword, type Holder, planHeldKeywords } from '../../domain/holder.ts';
import type { Answer, RequestContext } from '../endpoint.ts';
import { answerJson, presentPagination } from '../schemas.ts';
import { notInReports, presentPeriods } from './holder-answer.ts';
import { type heldKeywordParameters, openHolderView, toListQuery } from './holder-parameters.ts';

/** Spends a search and lists the keywords of a product or a brand. */
export async function answerHeldKeywords(
  request: RequestContext<ReturnType<typeof heldKeywordParameters>>,
  {
    holder,
    name,
    present,
  }: { readonly holder: Holder; readonly name: string; readonly present: (keyword: HeldKeyword) => object },
): Promise<Answer> {
  const { parameters, resources, admit, time, signal, caller } = request;
  using asked = openHolderView(request, parameters.type);
  const query = { ...toListQuery(parameters), holder, status: parameters.status, orderBy: parameters.order_by };
  const plan = planHeldKeywords(query, asked.context);
  const { searchId } = await admit();
  const found = await time('search', async () => await asked.view?.listHeldKeywords(plan, { signal }));
  const { totalCount, rows } = found ?? { totalCount: 0, rows: [] };
  resources.history.recordResultCount({ tenant: caller, searchId, resultCount: totalCount });
  if (!found) throw notInReports(name);
  const pagination = presentPagination(plan, totalCount);
  return answerJson({ data: rows.map(present), periods: presentPeriods(plan), pagination });
}
