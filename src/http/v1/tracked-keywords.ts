import { Type } from 'typebox';
import { planSearch } from '../../domain/search-plan.ts';
import { DEFAULT_SEARCH_LIMIT } from '../../domain/search-query.ts';
import type { RankView } from '../../domain/store.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { MAX_ACTIVE_KEYWORDS, type TrackedKeyword } from '../../domain/tracked-keyword.ts';
import { defineEndpoint, type RequestContext } from '../endpoint.ts';
import { pattern, text } from '../parameters.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import {
  presentTrackedKeyword,
  readKeywordFacts,
  snapshotPeriod,
  TrackedKeywordSchema,
  trackedSet,
} from './tracked-keyword.ts';
import { trackingBody } from './tracked-keyword-fields.ts';
import { presentTracking, trackingSuccess } from './tracking-answer.ts';

const LIST_ID = /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

export const trackedParameters = {
  period: snapshotPeriod,
  query: text('Keeps tracked keywords that a keyword search with method `similar` would find.'),
  list: pattern('Keeps tracked keywords that stand in this list of the organization.', {
    rule: 'the id of a list',
    example: '01234567-89ab-4cde-8f01-23456789abcd',
    pattern: LIST_ID.source,
    absent: undefined,
    read: (value) => (LIST_ID.test(value) ? value.toLowerCase() : undefined),
  }),
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
  parameters: trackedParameters,
  success: jsonSuccess({ data: Type.Array(TrackedKeywordSchema) }),
  handle: async (context) => {
    const { caller, resources } = context;
    using view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
    return answerJson({ data: await listTracked(context, view) });
  },
});

export async function listTracked(
  context: RequestContext<typeof trackedParameters>,
  view: RankView | undefined,
): Promise<readonly ReturnType<typeof presentTrackedKeyword>[]> {
  const { caller, parameters, resources } = context;
  const keywords = await resources.trackedKeywords.list(caller);
  const matching = await filterByQuery(context, { keywords, view });
  const terms = matching.map(({ normalizedTerm }) => normalizedTerm);
  const facts = await readKeywordFacts(context, { view, terms, period: parameters.period });
  const shown =
    parameters.list === undefined
      ? matching
      : matching.filter(({ normalizedTerm }) => {
          return facts.listIds.get(normalizedTerm)?.includes(parameters.list ?? '');
        });
  return shown.map((keyword) => presentTrackedKeyword(keyword, facts));
}

/** Exactly those that are also results of the search. */
async function filterByQuery(
  { parameters: { query }, plan, time, signal }: RequestContext<typeof trackedParameters>,
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
  success: trackingSuccess(TrackedKeywordSchema),
  handle: async (context) => {
    const { caller, body, idempotency, resources } = context;
    using view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
    const terms = body.keywords.map(({ originalTerm }) => normalizeTerm(originalTerm));
    const facts = await readKeywordFacts(context, { view, terms, period: undefined });
    const added = await resources.trackedKeywords.add(caller, {
      items: body.keywords,
      idempotency,
      isNewOnly: body.isSingle,
    });
    return presentTracking(added, {
      isSingle: body.isSingle,
      present: (each) => presentTrackedKeyword(each, facts),
    });
  },
});
