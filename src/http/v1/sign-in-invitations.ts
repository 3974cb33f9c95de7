import { Type } from 'typebox';
import { ROLES } from '../../domain/role.ts';
import { authenticateClient } from '../auth.ts';
import { objectBody, optionalField } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, strictObject, textOf } from '../schemas.ts';
import { newPasswordField, TimeSchema, tokenField } from './people-fields.ts';
import { answerSignedIn, signedInSuccess, signInRequest } from './signed-in-answer.ts';

export const readInvitation = defineEndpoint({
  method: 'POST',
  path: '/v1/sign-in/invitations',
  operationId: 'readInvitation',
  summary: 'Look at an invitation',
  description: 'What an invitation is for, for whoever has its link.',
  tag: 'Sign-in',
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  body: objectBody({ token: tokenField }, { invitation: { token: 'the part of the link behind invitation=' } }),
  success: jsonSuccess({
    data: strictObject({
      organization: Type.String(),
      email: Type.String(),
      role: textOf(ROLES),
      expires_at: TimeSchema,
    }),
  }),
  handle: async ({ body, resources }) => {
    const { organization, email, role, expiresAt } = await resources.signIns.findInvitation(body.token);
    return answerJson({ data: { organization, email, role, expires_at: expiresAt } });
  },
});

export const acceptInvitation = defineEndpoint({
  method: 'POST',
  path: '/v1/sign-in/invitations/accept',
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation',
  description:
    'Makes the caller a member and begins a session in that organization. Whoever has an account must be signed in to it; a new one ' +
    'is made with the password that is given. A link works once.',
  tag: 'Sign-in',
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  body: objectBody(
    { token: tokenField, password: optionalField(newPasswordField) },
    { accept: { token: 'the part of the link behind invitation=', password: 'correct horse battery staple' } },
  ),
  codes: ['CONFLICT'],
  success: signedInSuccess,
  handle: async ({ body, place, resources }) => {
    const signedIn = place.sessionToken
      ? await authenticateClient({ authorization: undefined, place }, resources).catch(() => undefined)
      : undefined;
    const acceptance = { token: body.token, password: body.password, account: signedIn?.caller };
    return answerSignedIn(place, await resources.signIns.acceptInvitation(acceptance, signInRequest(place)));
  },
});
