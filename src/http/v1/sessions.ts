import { type Static, Type } from 'typebox';
import { type Session, SIGN_IN_METHODS } from '../../domain/session.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess, jsonSuccess, strictObject, textOf } from '../schemas.ts';
import { IdSchema, TimeSchema } from './people-fields.ts';

const SessionSchema = strictObject({
  id: IdSchema,
  is_current: Type.Boolean(),
  organization: Type.String(),
  method: textOf(SIGN_IN_METHODS, 'How it began.'),
  created_at: TimeSchema,
  last_seen_at: TimeSchema,
  expires_at: TimeSchema,
  user_agent: Type.String({ description: 'What the browser calls itself.' }),
  address: Type.String(),
});

const OF_PERSON = {
  tag: 'Account',
  scope: 'account',
  action: 'own-account',
  access: 'person',
  parameters: {},
} as const;

export const listSessions = defineEndpoint({
  ...OF_PERSON,
  method: 'GET',
  path: '/v1/sessions',
  operationId: 'listSessions',
  summary: 'List sessions',
  description: 'Where the person is signed in, the session used last first.',
  success: jsonSuccess({ data: Type.Array(SessionSchema) }),
  handle: async ({ caller, resources }) => {
    const sessions = await resources.people.listSessions(caller);
    return answerJson({ data: sessions.map((session) => present(session, caller.sessionId)) });
  },
});

export const endOtherSessions = defineEndpoint({
  ...OF_PERSON,
  method: 'DELETE',
  path: '/v1/sessions',
  operationId: 'endOtherSessions',
  summary: 'End all other sessions',
  description: 'Signs the person out everywhere but here.',
  success: jsonSuccess({ data: strictObject({ ended: Type.Integer({ minimum: 0 }) }) }),
  handle: async ({ caller, resources }) => {
    const ended = await resources.people.endSessions(caller, { allBut: caller.sessionId });
    return answerJson({ data: { ended } });
  },
});

export const endSession = defineEndpoint({
  ...OF_PERSON,
  method: 'DELETE',
  path: '/v1/sessions/{id}',
  operationId: 'endSession',
  summary: 'End a session',
  description: 'Signs the person out there. The next request from there is refused.',
  item: 'session',
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if ((await resources.people.endSessions(caller, { id })) === 0) throw noSuchItem('session');
    return answerJson({ data: { id } });
  },
});

function present(session: Session, currentId: string | null): Static<typeof SessionSchema> {
  return {
    id: session.id,
    is_current: session.id === currentId,
    organization: session.organization,
    method: session.method,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    user_agent: session.userAgent,
    address: session.address,
  };
}
