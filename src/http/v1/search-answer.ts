import type { ErrorCode } from '../../domain/error.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import { DEFAULT_SEARCH_LIMIT } from '../../domain/search-query.ts';
import type { RankView, SearchPage } from '../../domain/store.ts';
import type { Answer, FailureFields, RequestContext } from '../endpoint.ts';
import type { Parameters } from '../parameters.ts';
import { PaginationSchema, presentPagination } from '../schemas.ts';
import { presentSearchPage } from './search-result.ts';

/** Spends a search, runs the plan, notes the result count, and frames the page. */
export async function answerSearch<P extends Parameters>(
  { admit, time, signal, caller, resources }: RequestContext<P>,
  { view, searchPlan }: { readonly view: RankView | undefined; readonly searchPlan: SearchPlan },
): Promise<Answer> {
  const { searchId } = await admit();
  const frame = (totalCount: number) => frameOf(searchPlan, totalCount);
  const page = view
    ? await time('search', () => presentSearchPage(view, searchPlan, { signal, frame }))
    : emptyPage(frame(0));
  resources.history.recordResultCount({ tenant: caller, searchId, resultCount: page.totalCount });
  return { body: page.json, onSent: page.release };
}

function frameOf(searchPlan: SearchPlan, totalCount: number) {
  const pagination = JSON.stringify(presentPagination(searchPlan, totalCount));
  return { before: '{"data":', after: `,"pagination":${pagination},"error":null}` };
}

function emptyPage({ before, after }: ReturnType<typeof frameOf>): SearchPage {
  return { totalCount: 0, json: Buffer.from(`${before}[]${after}`), release: () => undefined };
}

/** Spec 4.1: a failure on our side has the shape of a success, pagination included. */
export function searchFailureFields(code: ErrorCode): FailureFields {
  if (code !== 'INTERNAL_SERVER_ERROR') return {};
  const value = presentPagination({ offset: 0, limit: DEFAULT_SEARCH_LIMIT }, 0);
  return { pagination: { schema: PaginationSchema, value } };
}
