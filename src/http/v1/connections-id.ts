import { Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { FREQUENCIES, type Period, parsePeriodKey } from '../../domain/period.ts';
import { changesBody, choiceField, flagField, objectBody, optionalField, visibleField } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, deletionSuccess, jsonSuccess, nullable, strictObject } from '../schemas.ts';
import {
  ConnectionSchema,
  clientIdField,
  DownloadSchema,
  marketplaceField,
  presentConnection,
  presentDownload,
  secretFields,
} from './connection-fields.ts';
import { OF_CONNECTIONS } from './connections.ts';

const ITEM = 'connection';
const MAX_PERIOD_CHARACTERS = 8;
const success = jsonSuccess({ data: ConnectionSchema });

export const changeConnection = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'PATCH',
  path: '/v1/connections/{id}',
  operationId: 'changeConnection',
  summary: 'Disable or enable a connection',
  description:
    'A disabled connection asks for nothing and keeps its secrets. Enabling it again tries at once what waits or was given up.',
  item: ITEM,
  body: changesBody(
    { is_enabled: flagField('Whether reports are fetched.') },
    { off: { is_enabled: false }, on: { is_enabled: true } },
  ),
  success,
  handle: async ({ caller, id, body, resources }) => {
    const changed = await resources.connections.setEnabled(caller, id, body.is_enabled ?? true);
    if (!changed) throw noSuchItem(ITEM);
    return answerJson({ data: presentConnection(changed, caller) });
  },
});

export const deleteConnection = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'DELETE',
  path: '/v1/connections/{id}',
  operationId: 'deleteConnection',
  summary: 'Remove a connection',
  description: 'Forgets the connection, its secrets and its downloads. What was published stays.',
  item: ITEM,
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.connections.remove(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});

export const testConnection = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'POST',
  path: '/v1/connections/{id}/test',
  operationId: 'testConnection',
  summary: 'Test a connection',
  description: 'Asks Amazon for a token and for the list of reports, with the secrets that are kept. Takes no body.',
  item: ITEM,
  success: jsonSuccess({
    data: strictObject({
      works: Type.Boolean(),
      message: nullable(Type.String(), 'What is wrong, for people; null when it works.'),
      hint: nullable(Type.String(), 'How to mend it.'),
    }),
  }),
  handle: async ({ caller, id, resources }) => {
    const check = await resources.connections.test(caller, id);
    if (!check) throw noSuchItem(ITEM);
    const { message = null, hint = null } = check.works ? {} : check.fault;
    return answerJson({ data: { works: check.works, message, hint } });
  },
});

export const rotateConnection = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'POST',
  path: '/v1/connections/{id}/rotate',
  operationId: 'rotateConnection',
  summary: 'Enter new secrets of a connection',
  description:
    'Asks Amazon with the new secrets, and keeps them in place of the old ones when it answers; otherwise the old ones stay. What was ' +
    'given up is tried again.',
  item: ITEM,
  body: objectBody(
    { ...secretFields, client_id: optionalField(clientIdField) },
    { secrets: { client_secret: 'EXAMPLE', refresh_token: 'EXAMPLE' } },
  ),
  codes: ['CONFLICT'],
  success,
  handle: async ({ caller, id, body, resources }) => {
    const rotated = await resources.connections.rotate(caller, id, {
      clientId: body.client_id,
      clientSecret: body.client_secret,
      refreshToken: body.refresh_token,
    });
    if (!rotated) throw noSuchItem(ITEM);
    return answerJson({ data: presentConnection(rotated, caller) });
  },
});

export const retryConnection = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'POST',
  path: '/v1/connections/{id}/retry',
  operationId: 'retryConnection',
  summary: 'Try again at once',
  description: 'Tries what waits or was given up: all of the connection, of one marketplace, or one period.',
  item: ITEM,
  body: objectBody(
    {
      marketplace: optionalField(marketplaceField),
      type: optionalField(choiceField('Whether the period is a week or a month.', FREQUENCIES)),
      period: optionalField(
        visibleField('A period key such as 28-2026; with the type.', { maxCharacters: MAX_PERIOD_CHARACTERS }),
      ),
    },
    { all: {}, period: { marketplace: 'US', type: 'weekly', period: '28-2026' } },
  ),
  success: jsonSuccess({
    data: strictObject({ retried: Type.Integer({ minimum: 0, description: 'How many are tried.' }) }),
  }),
  handle: async ({ caller, id, body, resources }) => {
    const { marketplace } = body;
    const retried = await resources.connections.retry(caller, id, { marketplace, period: parsePeriod(body) });
    if (retried === undefined) throw noSuchItem(ITEM);
    return answerJson({ data: { retried } });
  },
});

export const listConnectionDownloads = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'GET',
  path: '/v1/connections/{id}/downloads',
  operationId: 'listConnectionDownloads',
  summary: 'List the downloads of a connection',
  description:
    'Every period that is fetched: what became of it, what it waits for, and why. By marketplace, weeks before months, newest first.',
  item: ITEM,
  success: jsonSuccess({ data: Type.Array(DownloadSchema) }),
  handle: async ({ caller, id, resources }) => {
    const downloads = await resources.connections.listDownloads(caller, id);
    if (!downloads) throw noSuchItem(ITEM);
    return answerJson({ data: downloads.map(presentDownload) });
  },
});

function parsePeriod(given: {
  readonly type: (typeof FREQUENCIES)[number] | undefined;
  readonly period: string | undefined;
}): Period | undefined {
  const { type, period } = given;
  if (type === undefined && period === undefined) return undefined;
  const parsed = type && period !== undefined ? parsePeriodKey(period, type) : undefined;
  if (parsed) return parsed;
  throw new RequestError(
    'INVALID_PARAMETERS',
    "Field 'period' is not a period of the type.",
    'Give both, such as "type": "weekly" with "period": "28-2026".',
  );
}
