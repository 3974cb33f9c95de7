import { Type } from 'typebox';
import { SCOPES } from '../../domain/account.ts';
import { LEFT_BEHIND } from '../../domain/people.ts';
import { type Action, ROLE_ACTIONS, ROLES } from '../../domain/role.ts';
import { mayAct } from '../auth.ts';
import { choiceField, objectBody, optionalField } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, jsonSuccess, nullable, strictObject, textOf } from '../schemas.ts';
import { IdSchema, idField, newPasswordField, passwordField } from './people-fields.ts';
import { answerSignedOut, signedInSuccess } from './signed-in-answer.ts';

const ACTIONS = Object.keys(ROLE_ACTIONS) as Action[];
const MembershipSchema = strictObject({ id: IdSchema, name: Type.String(), role: textOf(ROLES) });

export const getAccount = defineEndpoint({
  method: 'GET',
  path: '/v1/account',
  operationId: 'getAccount',
  summary: 'Who is asking',
  description:
    'The person behind the key or the session, the organization it stands for, what it may do there, and the other organizations of ' +
    'the same person. Answered without an active subscription too.',
  tag: 'Account',
  scope: 'account',
  action: 'own-account',
  access: 'member',
  parameters: {},
  success: jsonSuccess({
    data: strictObject({
      user: strictObject({
        id: IdSchema,
        email: Type.String(),
        is_operator: Type.Boolean({ description: 'Of the whole installation.' }),
        is_email_verified: Type.Boolean(),
        has_password: Type.Boolean(),
      }),
      organization: MembershipSchema,
      organizations: Type.Array(MembershipSchema),
      actions: Type.Array(textOf(ACTIONS), { description: 'What the role allows.' }),
      scopes: Type.Array(textOf(SCOPES), { description: 'Of the key; a session has all.' }),
      session_id: nullable(IdSchema, 'Null with a key.'),
      key_id: nullable(IdSchema, 'Null in a session.'),
    }),
  }),
  handle: async ({ caller, resources }) => {
    const account = await resources.people.readAccount(caller);
    const organizations = account.memberships.map(({ organizationId, organization, role }) => ({
      id: organizationId,
      name: organization,
      role,
    }));
    const data = {
      user: {
        id: caller.userId,
        email: account.email,
        is_operator: caller.isOperator,
        is_email_verified: account.isEmailVerified,
        has_password: account.hasPassword,
      },
      organization: organizations.find(({ id }) => id === caller.organizationId),
      // A key stands for one of them and shows no others.
      organizations: organizations.filter(({ id }) => caller.sessionId !== null || id === caller.organizationId),
      actions: ACTIONS.filter((action) => mayAct(caller, action)),
      scopes: SCOPES.filter((scope) => caller.scopes.has(scope)),
      session_id: caller.sessionId,
      key_id: caller.keyId,
    };
    return answerJson({ data });
  },
});

export const changePassword = defineEndpoint({
  method: 'PUT',
  path: '/v1/account/password',
  operationId: 'changePassword',
  summary: 'Change the password',
  description: 'Sets the password of the person who is signed in, and ends all their other sessions.',
  tag: 'Account',
  scope: 'account',
  action: 'own-account',
  access: 'person',
  parameters: {},
  body: objectBody(
    { current_password: optionalField(passwordField), new_password: newPasswordField },
    { password: { current_password: 'correct horse battery staple', new_password: 'four words of your own' } },
  ),
  success: jsonSuccess({ data: strictObject({ changed: Type.Boolean() }) }),
  handle: async ({ caller, body, resources }) => {
    const { current_password: current, new_password: next } = body;
    await resources.signIns.changePassword(caller, { current, next, sessionId: caller.sessionId });
    return answerJson({ data: { changed: true } });
  },
});

export const switchOrganization = defineEndpoint({
  method: 'PUT',
  path: '/v1/account/organization',
  operationId: 'switchOrganization',
  summary: 'Switch to another organization',
  description: 'From now on this session stands for another organization of the same person.',
  tag: 'Account',
  scope: 'account',
  action: 'own-account',
  access: 'person',
  parameters: {},
  body: objectBody(
    { organization_id: idField('An organization of the person.') },
    { switch: { organization_id: '5c1f5f7e-6a1e-4a55-9f39-7d1e8c0b2a11' } },
  ),
  codes: ['NOT_FOUND'],
  success: jsonSuccess({ data: strictObject({ organization_id: IdSchema }) }),
  handle: async ({ caller, body, resources }) => {
    const organizationId = body.organization_id;
    const to = { sessionId: caller.sessionId ?? '', organizationId };
    if (!(await resources.people.switchOrganization(caller, to))) throw noSuchItem('organization of yours');
    return answerJson({ data: { organization_id: organizationId } });
  },
});

export const leaveOrganization = defineEndpoint({
  method: 'POST',
  path: '/v1/account/leave',
  operationId: 'leaveOrganization',
  summary: 'Leave the organization',
  description:
    'Ends the own membership in the organization of this session, with the keys and sessions there. What was tracked is kept as a list ' +
    'of the organization, or deleted. The last owner cannot leave.',
  tag: 'Account',
  scope: 'account',
  action: 'own-account',
  access: 'person',
  parameters: {},
  body: objectBody(
    { tracked: choiceField('What becomes of what was tracked.', LEFT_BEHIND) },
    { leave: { tracked: 'keep' } },
  ),
  codes: ['CONFLICT'],
  success: signedInSuccess,
  handle: async ({ caller, body, place, resources }) => {
    await resources.people.removeMember(caller, caller.userId, body.tracked);
    return answerSignedOut(place);
  },
});
