import { Type } from 'typebox';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, nullable, strictObject } from '../schemas.ts';
import { emailField, passwordField, tokenField } from './people-fields.ts';
import { answerSignedIn, answerSignedOut, linkOrigin, signedInSuccess, signInRequest } from './signed-in-answer.ts';

const TAG = 'Sign-in';

export const getSignInWays = defineEndpoint({
  method: 'GET',
  path: '/v1/sign-in',
  operationId: 'getSignInWays',
  summary: 'How to sign in',
  description: 'The ways in which people sign in here.',
  tag: TAG,
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  success: jsonSuccess({
    data: strictObject({
      password: Type.Boolean({ description: 'Whether a browser at this address can sign in with a password.' }),
      link: Type.Boolean({ description: 'Whether a link can be mailed.' }),
      openid: nullable(Type.String(), 'The name of the OpenID provider; null without one.'),
    }),
  }),
  handle: async ({ place, resources }) => {
    const canSignIn = place.cookieKind !== undefined;
    const data = {
      password: canSignIn,
      link: canSignIn && resources.mailer !== null && linkOrigin(place) !== undefined,
      openid: canSignIn ? (resources.openId?.name ?? null) : null,
    };
    return answerJson({ data });
  },
});

export const signInWithPassword = defineEndpoint({
  method: 'POST',
  path: '/v1/sign-in/password',
  operationId: 'signInWithPassword',
  summary: 'Sign in with a password',
  description:
    'Begins a session, in a cookie that scripts cannot read. After five wrong passwords the account waits for 15 minutes, for whoever ' +
    'tried. The same answer stands for an account that is not there.',
  tag: TAG,
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  body: objectBody(
    { email: emailField, password: passwordField },
    { login: { email: 'ada@example.com', password: 'correct horse battery staple' } },
  ),
  success: signedInSuccess,
  handle: async ({ body, place, resources }) =>
    answerSignedIn(place, await resources.signIns.withPassword(body, signInRequest(place))),
});

export const requestSignInLink = defineEndpoint({
  method: 'POST',
  path: '/v1/sign-in/links',
  operationId: 'requestSignInLink',
  summary: 'Ask for a sign-in link',
  description: 'Mails a link to the address, if it has an account. The answer is the same when it has none.',
  tag: TAG,
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  body: objectBody({ email: emailField }, { link: { email: 'ada@example.com' } }),
  success: jsonSuccess({ data: strictObject({ requested: Type.Boolean() }) }),
  handle: async ({ body, place, resources }) => {
    const request = signInRequest(place);
    const origin = linkOrigin(place);
    if (origin !== undefined) await resources.signIns.requestLink(body.email, { place: request.place, origin });
    return answerJson({ data: { requested: true } });
  },
});

export const readSignInLink = defineEndpoint({
  method: 'POST',
  path: '/v1/sign-in/links/read',
  operationId: 'readSignInLink',
  summary: 'Look at a sign-in link',
  description: 'Whom a link would sign in, for whoever has it. It is not used up by that.',
  tag: TAG,
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  body: objectBody({ token: tokenField }, { link: { token: 'the part of the link behind sign-in=' } }),
  success: jsonSuccess({ data: strictObject({ email: Type.String() }) }),
  handle: async ({ body, resources }) => answerJson({ data: await resources.signIns.findLink(body.token) }),
});

export const signInWithLink = defineEndpoint({
  method: 'POST',
  path: '/v1/sign-in/links/redeem',
  operationId: 'signInWithLink',
  summary: 'Sign in with a link',
  description: 'Begins a session with what stands in a link. A link works once, for 15 minutes.',
  tag: TAG,
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  body: objectBody({ token: tokenField }, { link: { token: 'the part of the link behind sign-in=' } }),
  success: signedInSuccess,
  handle: async ({ body, place, resources }) =>
    answerSignedIn(place, await resources.signIns.withLink(body.token, signInRequest(place))),
});

export const signOut = defineEndpoint({
  method: 'POST',
  path: '/v1/sign-out',
  operationId: 'signOut',
  summary: 'Sign out',
  description: 'Ends the session of this browser.',
  tag: TAG,
  scope: 'account',
  action: 'own-account',
  access: 'anyone',
  parameters: {},
  success: signedInSuccess,
  handle: async ({ place, resources }) => {
    const { replaces } = signInRequest(place);
    if (replaces) await resources.signIns.end(replaces);
    return answerSignedOut(place);
  },
});
