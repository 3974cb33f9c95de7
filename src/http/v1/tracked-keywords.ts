import { Type } from 'typebox';
import { planSearch } from '../../domain/search-plan.ts';
import { DEFAULT_SEARCH_LIMIT } from '../../domain/search-query.ts';
import type { RankView } from '../../domain/store.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { MAX_ACTIVE_KEYWORDS, type TrackedKeyword } from '../../domain/tracked-keyword.ts';
import { defineEndpoint, type RequestContext } from '../endpoint.ts';
import { text } from '../parameters.ts';
import { answerJson, jsonSuccess, successSchema } from '../schemas.ts';
import {
  presentTrackedKeyword,
  readSnapshots,
  snapshotPeriod,
  TrackedKeywordSchema,
  trackedSet,
} from './tracked-keyword.ts';
import { trackingBody } from './tracked-keyword-fields.ts';

const listParameters = {
  period: snapshotPeriod,
  query: text('Keeps tracked keywords that a keyword search with method `similar` would find.'),
};

/** Spec 4.5. */
export const listTrackedKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-keywords',
  operationId: 'listTrackedKeywords',
  summary: 'List tracked keywords',
  description:
    'The keywords that the caller tracks in this organization, in the order in which they were added, paused ones ' +
    'included, each with a snapshot of its monthly ranks as of the chosen month. Costs no quota.',
  tag: 'Tracked keywords',
  scope: 'tracked:read',
  parameters: listParameters,
  success: jsonSuccess({ data: Type.Array(TrackedKeywordSchema) }),
  handle: async (context) => {
    const { caller, parameters, resources } = context;
    using view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
    const keywords = await resources.trackedKeywords.list(caller);
    const matching = await filterByQuery(context, { keywords, view });
    const terms = matching.map(({ normalizedTerm }) => normalizedTerm);
    const snapshots = await readSnapshots(context, { view, terms, period: parameters.period });
    const data = matching.map((keyword) => presentTrackedKeyword(keyword, snapshots));
    return answerJson({ data });
  },
});

/** Exactly those that are also results of the search. */
async function filterByQuery(
  { parameters: { query }, plan, time, signal }: RequestContext<typeof listParameters>,
  { keywords, view }: { readonly keywords: readonly TrackedKeyword[]; readonly view: RankView | undefined },
): Promise<readonly TrackedKeyword[]> {
  if (query === undefined) return keywords;
  if (!view) return [];
  const searchPlan = planSearch({ ...ANY_SEARCH, ...view.set, queries: [query] }, { plan, published: view.periods });
  const terms = keywords.map(({ normalizedTerm }) => normalizedTerm);
  const matches = await time('search', () => view.listMatches({ plan: searchPlan, terms }, { signal }));
  return keywords.filter((_, i) => matches[i]);
}

const ANY_SEARCH = {
  method: 'similar',
  excludeQueries: [],
  // The order does not matter, and this one costs nothing.
  orderBy: 'latest_rank',
  orderDirection: undefined,
  page: 1,
  limit: DEFAULT_SEARCH_LIMIT,
} as const;

export const createTrackedKeywords = defineEndpoint({
  method: 'POST',
  path: '/v1/tracked-keywords',
  operationId: 'createTrackedKeywords',
  summary: 'Track keywords',
  description:
    `Tracks one keyword, or up to ${MAX_ACTIVE_KEYWORDS} at once with \`{"keywords": […]}\`. One that is tracked already is a ` +
    '409; among many it is left as it is, and `data` has one entry per keyword of the request, in its order. At most ' +
    `${MAX_ACTIVE_KEYWORDS} may be active per user and organization. All are added, or on a failure none.`,
  tag: 'Tracked keywords',
  scope: 'tracked:write',
  parameters: {},
  body: trackingBody,
  isIdempotent: true,
  codes: ['CONFLICT'],
  success: {
    status: 201,
    contentType: 'application/json',
    schema: {
      anyOf: [
        successSchema({ data: TrackedKeywordSchema }),
        successSchema({
          data: Type.Array(TrackedKeywordSchema),
          created_count: Type.Integer({ minimum: 0, description: 'How many are new.' }),
          existing_count: Type.Integer({ minimum: 0, description: 'How many were tracked already.' }),
        }),
      ],
    } as ReturnType<typeof successSchema>,
  },
  handle: async (context) => {
    const { caller, body, idempotency, resources } = context;
    using view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
    const terms = body.keywords.map(({ originalTerm }) => normalizeTerm(originalTerm));
    const snapshots = await readSnapshots(context, { view, terms, period: undefined });
    const added = await resources.trackedKeywords.add(caller, {
      keywords: body.keywords,
      idempotency,
      isNewOnly: body.isSingle,
    });
    if ('answer' in added) return { body: added.answer };
    const data = added.map(({ keyword }) => presentTrackedKeyword(keyword, snapshots));
    if (body.isSingle) return answerJson({ data: data[0] });
    const createdCount = added.filter(({ isNew }) => isNew).length;
    const counts = { created_count: createdCount, existing_count: data.length - createdCount };
    return answerJson({ data, ...counts });
  },
});
