import type { ErrorCode } from '../../domain/error.ts';
import { pageOfSlice } from '../../domain/page.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import { DEFAULT_SEARCH_LIMIT } from '../../domain/search-query.ts';
import type { RankView } from '../../domain/store.ts';
import type { Answer, FailureFields, RequestContext } from '../endpoint.ts';
import type { Parameters } from '../parameters.ts';
import { PaginationSchema, presentPagination } from '../schemas.ts';

const NO_RESULTS = { totalCount: 0, dataJson: Buffer.from('[]') };

/** Spends a search, runs the plan, notes the result count, and frames the page that the store wrote. */
export async function answerSearch<P extends Parameters>(
  { admit, time, signal, caller, resources }: RequestContext<P>,
  { view, searchPlan }: { readonly view: RankView | undefined; readonly searchPlan: SearchPlan },
): Promise<Answer> {
  const { searchId } = await admit();
  const page = view ? await time('search', () => view.searchPage(searchPlan, { signal })) : NO_RESULTS;
  resources.history.recordResultCount({ tenant: caller, searchId, resultCount: page.totalCount });
  const pagination = JSON.stringify(presentPagination(pageOfSlice(searchPlan, page.totalCount)));
  const body = [Buffer.from('{"data":'), page.dataJson, Buffer.from(`,"pagination":${pagination},"error":null}`)];
  return { body: Buffer.concat(body) };
}

/** Spec 4.1: a failure on our side has the shape of a success, pagination included. */
export function searchFailureFields(code: ErrorCode): FailureFields {
  if (code !== 'INTERNAL_SERVER_ERROR') return {};
  const value = presentPagination(pageOfSlice({ offset: 0, limit: DEFAULT_SEARCH_LIMIT }, 0));
  return { pagination: { schema: PaginationSchema, value } };
}
