import { MAX_NOTES_CHARACTERS } from '../../domain/tracked-item.ts';
import type { TrackedKeyword } from '../../domain/tracked-keyword.ts';
import { changesBody, flagField, textField } from '../body.ts';
import { type Answer, defineEndpoint, type RequestContext } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import type { Parameters } from '../parameters.ts';
import { answerJson, deletionSuccess, jsonSuccess } from '../schemas.ts';
import {
  presentTrackedKeyword,
  readKeywordFacts,
  snapshotPeriod,
  TrackedKeywordSchema,
  trackedSet,
} from './tracked-keyword.ts';
import { priorityRule } from './tracked-keyword-fields.ts';

const ITEM = 'tracked keyword';
const success = jsonSuccess({ data: TrackedKeywordSchema });

export const getTrackedKeyword = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-keywords/{id}',
  operationId: 'getTrackedKeyword',
  summary: 'Read a tracked keyword',
  description: "One of the caller's own tracked keywords in this organization, as in the list.",
  tag: 'Tracked keywords',
  scope: 'tracked:read',
  item: ITEM,
  parameters: { period: snapshotPeriod },
  success,
  handle: async (context) => {
    const { caller, id, parameters, resources } = context;
    const keyword = await resources.trackedKeywords.find(caller, id);
    return await answerKeyword(context, { keyword, period: parameters.period });
  },
});

export const changeTrackedKeyword = defineEndpoint({
  method: 'PATCH',
  path: '/v1/tracked-keywords/{id}',
  operationId: 'changeTrackedKeyword',
  summary: 'Change a tracked keyword',
  description:
    'Changes the fields that are given and leaves the others as they are. `is_active: false` pauses the keyword, ' +
    '`is_active: true` resumes it. The term itself cannot be changed: delete it and track another.',
  tag: 'Tracked keywords',
  scope: 'tracked:write',
  item: ITEM,
  parameters: {},
  body: changesBody(
    {
      notes: textField('Replaces the notes.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: undefined }),
      is_active: flagField('Pauses or resumes.'),
      priority_enabled: flagField('Whether the rule raises alerts.'),
      priority_rule: priorityRule,
    },
    {
      pause: { is_active: false },
      rule: { priority_enabled: true, priority_rule: { field: 'latest_rank', operator: 'lt', value: 1000 } },
    },
  ),
  codes: ['CONFLICT'],
  success,
  handle: async (context) => {
    const { caller, id, body, resources } = context;
    const keyword = await resources.trackedKeywords.change(caller, id, {
      notes: body.notes,
      isActive: body.is_active,
      isPriorityEnabled: body.priority_enabled,
      priorityRule: body.priority_rule,
    });
    return await answerKeyword(context, { keyword, period: undefined });
  },
});

export const deleteTrackedKeyword = defineEndpoint({
  method: 'DELETE',
  path: '/v1/tracked-keywords/{id}',
  operationId: 'deleteTrackedKeyword',
  summary: 'Stop tracking a keyword',
  description: "Removes one of the caller's own tracked keywords. Digests that mention it stay.",
  tag: 'Tracked keywords',
  scope: 'tracked:write',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.trackedKeywords.delete(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});

async function answerKeyword<P extends Parameters, B>(
  context: RequestContext<P, B>,
  { keyword, period }: { readonly keyword: TrackedKeyword | undefined; readonly period: string | undefined },
): Promise<Answer> {
  const { caller, resources } = context;
  using view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
  const terms = keyword ? [keyword.normalizedTerm] : [];
  const facts = await readKeywordFacts(context, { view, terms, period });
  if (!keyword) throw noSuchItem(ITEM);
  return answerJson({ data: presentTrackedKeyword(keyword, facts) });
}
