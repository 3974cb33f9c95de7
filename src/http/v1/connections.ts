import { Type } from 'typebox';
import { objectBody } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { ConnectionSchema, newConnectionFields, presentConnection } from './connection-fields.ts';

/** Who may manage connections, and how. */
export const OF_CONNECTIONS = {
  tag: 'Connections',
  scope: 'people',
  action: 'connections',
  access: 'member',
  parameters: {},
} as const;

export const listConnections = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'GET',
  path: '/v1/connections',
  operationId: 'listConnections',
  summary: 'List connections',
  description:
    'Accounts at Amazon from which reports are fetched, by name: those of the organization, and for operators all. Secrets are never ' +
    'shown.',
  success: jsonSuccess({ data: Type.Array(ConnectionSchema) }),
  handle: async ({ caller, resources }) => {
    const connections = await resources.connections.list(caller);
    return answerJson({ data: connections.map((each) => presentConnection(each, caller)) });
  },
});

export const createConnection = defineEndpoint({
  ...OF_CONNECTIONS,
  method: 'POST',
  path: '/v1/connections',
  operationId: 'createConnection',
  summary: 'Connect an account at Amazon',
  description:
    'Asks Amazon with the secrets, and keeps them sealed when it answers; otherwise nothing is kept and the answer, a 409, says what ' +
    'Amazon said. A marketplace belongs to one connection of the installation. What is fetched is published for all organizations.',
  body: objectBody(newConnectionFields, {
    northAmerica: {
      name: 'acme-na',
      region: 'na',
      marketplaces: ['US', 'CA'],
      client_id: 'amzn1.application-oa2-client.EXAMPLE',
      client_secret: 'EXAMPLE',
      refresh_token: 'EXAMPLE',
    },
  }),
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: ConnectionSchema }) },
  handle: async ({ caller, body, resources }) => {
    const added = await resources.connections.add(
      caller,
      {
        name: body.name,
        region: body.region,
        marketplaces: [...new Set(body.marketplaces)],
        clientId: body.client_id,
        lookBackWeeks: body.look_back_weeks,
        lookBackMonths: body.look_back_months,
        since: body.since ?? null,
      },
      { clientSecret: body.client_secret, refreshToken: body.refresh_token },
    );
    return answerJson({ data: presentConnection(added, caller) });
  },
});
