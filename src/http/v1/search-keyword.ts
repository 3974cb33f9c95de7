import { Type } from 'typebox';
import type { Cancellation } from '../../domain/cancellation.ts';
import type { Frequency } from '../../domain/period.ts';
import type { Plan } from '../../domain/plan.ts';
import { planAsinSearch, planSearch, type SearchPlan } from '../../domain/search-plan.ts';
import type { RankView } from '../../domain/store.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { defineEndpoint } from '../endpoint.ts';
import { requiredText } from '../parameters.ts';
import { answerJson, jsonSuccess, nullable, strictObject } from '../schemas.ts';
import { openRequestedView } from './requested-view.ts';
import { marketplace } from './search-parameters.ts';
import { presentSearchRow, SearchResultSchema } from './search-result.ts';

const MAX_RELATED = 10;

const HistorySchema = (frequency: Frequency) =>
  nullable(SearchResultSchema, `The ${frequency} ranks; null without any.`);
const RelatedSchema = (description: string) => Type.Array(SearchResultSchema, { maxItems: MAX_RELATED, description });

type Row = ReturnType<typeof presentSearchRow>;

const KeywordSchema = strictObject({
  search_term: Type.String({ description: 'As imported; as asked for where there is no data.' }),
  normalized_search_term: Type.String(),
  monthly: HistorySchema('monthly'),
  weekly: HistorySchema('weekly'),
  related: strictObject(
    {
      containing: RelatedSchema('Other terms with all its words, as the search orders them by best match.'),
      sharing_products: RelatedSchema('Other terms that share one of its latest products, the most searched first.'),
    },
    { description: 'Monthly; weekly for a term without monthly ranks.' },
  ),
});

/** Counts as a search: otherwise it would be the way around the limit. */
export const getSearchKeyword = defineEndpoint({
  method: 'GET',
  path: '/v1/search/keyword',
  operationId: 'getSearchKeyword',
  summary: 'One keyword',
  description:
    'One keyword with its monthly and weekly ranks inside the periods that the plan can see, and keywords related to it. ' +
    'Counts as one search against the hourly limit, also when there is no data for the term.',
  tag: 'Search',
  scope: 'search',
  meter: 'search',
  parameters: {
    term: requiredText('The keyword; compared in normalised form.', { example: 'running shoes' }),
    marketplace,
  },
  success: jsonSuccess({ data: KeywordSchema }),
  handle: async (context) => {
    const { parameters, plan, resources, admit, time, signal, caller } = context;
    using months = openRequestedView(context, { frequency: 'monthly' });
    using weeks = openRequestedView(context, { frequency: 'weekly' });
    const { searchId } = await admit();
    const { term } = parameters;
    const keyword = await time('search', async () => {
      const [monthly, weekly] = await Promise.all([
        findKeyword(months, { term, plan, signal }),
        findKeyword(weeks, { term, plan, signal }),
      ]);
      const row = monthly ?? weekly;
      const related = await listRelated(monthly ? months : weeks, { row, plan, signal });
      return {
        search_term: row?.search_term ?? term,
        normalized_search_term: normalizeTerm(term),
        monthly: monthly ?? null,
        weekly: weekly ?? null,
        related,
      };
    });
    const resultCount = keyword.monthly || keyword.weekly ? 1 : 0;
    resources.history.recordResultCount({ tenant: caller, searchId, resultCount });
    return answerJson({ data: keyword });
  },
});

interface Question {
  readonly plan: Plan;
  readonly signal: Cancellation;
}

async function findKeyword(
  view: RankView | undefined,
  { term, plan, signal }: Question & { readonly term: string },
): Promise<Row | undefined> {
  if (!view) return undefined;
  const query = {
    ...pageOf(view, 1),
    queries: [term],
    excludeQueries: [],
    method: 'exact',
    orderBy: 'latest_rank',
  } as const;
  const [row] = await listPage(view, planSearch(query, { plan, published: view.periods }), signal);
  return row;
}

async function listRelated(
  view: RankView | undefined,
  { row, plan, signal }: Question & { readonly row: Row | undefined },
): Promise<{ readonly containing: readonly Row[]; readonly sharing_products: readonly Row[] }> {
  if (!view || !row) return { containing: [], sharing_products: [] };
  const context = { plan, published: view.periods };
  // One more than is shown, because the keyword itself is among them.
  const page = pageOf(view, MAX_RELATED + 1);
  const term = row.normalized_search_term;
  const containing = planSearch(
    { ...page, queries: [term], excludeQueries: [], method: 'similar', orderBy: 'best_match' },
    context,
  );
  const asins = row.latest_data.products.map(({ asin }) => asin);
  const sharing = planAsinSearch({ ...page, asins, orderBy: 'latest_rank' }, context);
  const [byWords, byProducts] = await Promise.all([
    listPage(view, containing, signal),
    listPage(view, sharing, signal),
  ]);
  const others = (rows: readonly Row[]) =>
    rows.filter((each) => each.normalized_search_term !== term).slice(0, MAX_RELATED);
  return { containing: others(byWords), sharing_products: others(byProducts) };
}

async function listPage(view: RankView, plan: SearchPlan, signal: Cancellation): Promise<readonly Row[]> {
  const { rows } = await view.search(plan, { signal });
  return rows.map((row) => presentSearchRow(row, plan.window));
}

function pageOf({ set: { frequency } }: RankView, limit: number) {
  return { frequency, limit, page: 1, orderDirection: undefined };
}
