import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { integer } from '../parameters.ts';
import { answerJson, jsonSuccess, nullable, PaginationSchema, presentPagination, strictObject } from '../schemas.ts';
import { IdSchema, TimeSchema } from './people-fields.ts';

export const listAuditLog = defineEndpoint({
  method: 'GET',
  path: '/v1/audit-log',
  operationId: 'listAuditLog',
  summary: 'Read the audit log',
  description:
    'Who signed in, and who changed members, keys, webhooks, links, agents or the plan, newest first. For owners and admins. Entries stay ' +
    'for good.',
  tag: 'People',
  scope: 'people',
  action: 'audit-log',
  access: 'member',
  parameters: {
    limit: integer('Entries per page.', { min: 1, max: 1000, absent: 50 }),
    offset: integer('Entries to pass over.', { min: 0, max: 1_000_000, absent: 0 }),
  },
  success: jsonSuccess({
    data: Type.Array(
      strictObject({
        id: IdSchema,
        occurred_at: TimeSchema,
        actor: Type.String({ description: 'The mail address of a user, or `operator`.' }),
        action: Type.String({ description: 'Such as `key.create`.' }),
        address: nullable(Type.String(), 'From where; null where it was not noted.'),
        details: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'What it was about.' }),
      }),
    ),
    pagination: PaginationSchema,
  }),
  handle: async ({ caller, parameters, resources }) => {
    const { entries, totalCount } = await resources.people.listAuditLog(caller, parameters);
    const data = entries.map(({ id, occurredAt, actor, action, address, details }) => ({
      id,
      occurred_at: occurredAt,
      actor,
      action,
      address,
      details,
    }));
    return answerJson({ data, pagination: presentPagination(parameters, totalCount) });
  },
});
