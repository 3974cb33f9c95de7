import { type Static, Type } from 'typebox';
import { contain } from '../../domain/containment.ts';
import { type Invitation, MAX_INVITATIONS } from '../../domain/people.ts';
import { ROLES } from '../../domain/role.ts';
import { invitationMail } from '../../domain/sign-in-mail.ts';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess, jsonSuccess, nullable, strictObject, textOf } from '../schemas.ts';
import { emailField, IdSchema, roleField, TimeSchema } from './people-fields.ts';
import { linkOrigin } from './signed-in-answer.ts';

const ITEM = 'invitation';

const InvitationSchema = strictObject({
  id: IdSchema,
  email: Type.String(),
  role: textOf(ROLES),
  invited_by: nullable(Type.String(), 'Null when an operator did, or whoever did has left.'),
  created_at: TimeSchema,
  expires_at: TimeSchema,
});

export const listInvitations = defineEndpoint({
  method: 'GET',
  path: '/v1/invitations',
  operationId: 'listInvitations',
  summary: 'List invitations',
  description:
    'Invitations that nobody has accepted yet, newest first. Their links are shown once, when they are made.',
  tag: 'People',
  scope: 'people',
  action: 'members',
  access: 'member',
  parameters: {},
  success: jsonSuccess({ data: Type.Array(InvitationSchema) }),
  handle: async ({ caller, resources }) => {
    const invitations = await resources.people.listInvitations(caller);
    return answerJson({ data: invitations.map(present) });
  },
});

export const createInvitation = defineEndpoint({
  method: 'POST',
  path: '/v1/invitations',
  operationId: 'createInvitation',
  summary: 'Invite somebody',
  description:
    'Makes a link, shown this once, with which the person becomes a member within 7 days; it is mailed too where mail is configured. ' +
    `Another one for the same address replaces it. At most ${MAX_INVITATIONS} wait at a time.`,
  tag: 'People',
  scope: 'people',
  access: 'member',
  parameters: {},
  body: objectBody(
    { email: emailField, role: roleField },
    { invitation: { email: 'ada@example.com', role: 'member' } },
  ),
  codes: ['CONFLICT'],
  success: {
    status: 201,
    ...jsonSuccess({
      data: strictObject({
        ...InvitationSchema.properties,
        path: Type.String({ description: 'The link, below the address of the service.' }),
        is_mailed: Type.Boolean({ description: 'Whether a mail is on its way.' }),
      }),
    }),
  },
  handle: async ({ caller, body, place, resources }) => {
    const { invitation, token } = await resources.people.invite(caller, body);
    const path = `/#invitation=${token}`;
    const origin = linkOrigin(place);
    const { mailer } = resources;
    const isMailed = mailer !== null && origin !== undefined;
    if (isMailed) {
      const { organization } = await resources.signIns.findInvitation(token);
      const mail = invitationMail({
        to: body.email,
        url: origin + path,
        organization,
        inviter: invitation.invitedBy ?? '',
      });
      // A server that takes its time is not waited for; the link is at hand.
      void contain(() => mailer.send(mail), resources.onMailError);
    }
    return answerJson({ data: { ...present(invitation), path, is_mailed: isMailed } });
  },
});

export const deleteInvitation = defineEndpoint({
  method: 'DELETE',
  path: '/v1/invitations/{id}',
  operationId: 'deleteInvitation',
  summary: 'Withdraw an invitation',
  description: 'Its link works no more.',
  tag: 'People',
  scope: 'people',
  access: 'member',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.people.withdrawInvitation(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});

function present(invitation: Invitation): Static<typeof InvitationSchema> {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  };
}
