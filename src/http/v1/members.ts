import { type Static, Type } from 'typebox';
import { LEFT_BEHIND, type Member } from '../../domain/people.ts';
import { ROLES } from '../../domain/role.ts';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { choice } from '../parameters.ts';
import { answerJson, deletionSuccess, jsonSuccess, strictObject, textOf } from '../schemas.ts';
import { IdSchema, nullableTime, roleField, TimeSchema } from './people-fields.ts';

const ITEM = 'member';

const MemberSchema = strictObject({
  id: IdSchema,
  email: Type.String(),
  role: textOf(ROLES),
  is_self: Type.Boolean(),
  joined_at: TimeSchema,
  last_seen_at: nullableTime('When they were last seen to do something here; null when never.'),
  active_keys: Type.Integer({ minimum: 0 }),
});

export const listMembers = defineEndpoint({
  method: 'GET',
  path: '/v1/members',
  operationId: 'listMembers',
  summary: 'List members',
  description: 'Who belongs to the organization: owners first, then admins, members and viewers.',
  tag: 'People',
  scope: 'people',
  access: 'member',
  parameters: {},
  success: jsonSuccess({ data: Type.Array(MemberSchema) }),
  handle: async ({ caller, resources }) => {
    const members = await resources.people.listMembers(caller);
    return answerJson({ data: members.map((member) => present(member, caller.userId)) });
  },
});

export const changeMember = defineEndpoint({
  method: 'PATCH',
  path: '/v1/members/{id}',
  operationId: 'changeMember',
  summary: "Change a member's role",
  description:
    'Counts from the next request, with keys and sessions alike. Only owners make and unmake owners; one stays.',
  tag: 'People',
  scope: 'people',
  access: 'member',
  item: ITEM,
  parameters: {},
  body: objectBody({ role: roleField }, { promote: { role: 'admin' } }),
  codes: ['CONFLICT'],
  success: jsonSuccess({ data: MemberSchema }),
  handle: async ({ caller, id, body, resources }) => {
    const member = await resources.people.changeRole(caller, id, body.role);
    if (!member) throw noSuchItem(ITEM);
    return answerJson({ data: present(member, caller.userId) });
  },
});

export const removeMember = defineEndpoint({
  method: 'DELETE',
  path: '/v1/members/{id}',
  operationId: 'removeMember',
  summary: 'Remove a member',
  description:
    'Their keys and sessions end at once, and their webhooks, history and digests of this organization go. What they tracked is kept as a ' +
    'list of the organization, or deleted.',
  tag: 'People',
  scope: 'people',
  access: 'member',
  item: ITEM,
  parameters: { tracked: choice('What becomes of what they tracked.', { values: LEFT_BEHIND, absent: 'keep' }) },
  codes: ['CONFLICT'],
  success: deletionSuccess,
  handle: async ({ caller, id, parameters, resources }) => {
    if (!(await resources.people.removeMember(caller, id, parameters.tracked ?? 'keep'))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});

function present(member: Member, ownId: string): Static<typeof MemberSchema> {
  return {
    id: member.id,
    email: member.email,
    role: member.role,
    is_self: member.id === ownId,
    joined_at: member.joinedAt.toISOString(),
    last_seen_at: member.lastSeenAt?.toISOString() ?? null,
    active_keys: member.activeKeys,
  };
}
