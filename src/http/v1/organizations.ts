import { type Static, Type } from 'typebox';
import { SUBSCRIPTION_STATUSES, type Subscription } from '../../domain/account.ts';
import type { OrganizationRecord } from '../../domain/organization.ts';
import { changesBody, choiceField, objectBody, optionalField, visibleField } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, jsonSuccess, nullable, strictObject, textOf } from '../schemas.ts';
import { emailField, IdSchema, nullableTime, TimeSchema } from './people-fields.ts';

const MAX_NAME_CHARACTERS = 100;
const MAX_PLAN_CHARACTERS = 40;

const OrganizationSchema = strictObject({
  id: IdSchema,
  name: Type.String(),
  created_at: TimeSchema,
  plan: Type.String(),
  status: textOf(SUBSCRIPTION_STATUSES),
  period_end: nullableTime('When the subscription ends; null without an end.'),
  members: Type.Integer({ minimum: 0 }),
});

const planField = visibleField('The name of a plan.', { maxCharacters: MAX_PLAN_CHARACTERS });
const statusField = choiceField('Whether the subscription is active.', SUBSCRIPTION_STATUSES);
const OF_OPERATORS = { tag: 'Operators', scope: 'operator', access: 'member', parameters: {} } as const;

export const listOrganizations = defineEndpoint({
  ...OF_OPERATORS,
  method: 'GET',
  path: '/v1/organizations',
  operationId: 'listOrganizations',
  summary: 'List organizations',
  description: 'Every organization of the installation, by name, with its plan. For operators.',
  success: jsonSuccess({ data: Type.Array(OrganizationSchema) }),
  handle: async ({ resources }) => {
    const organizations = await resources.organizations.list();
    return answerJson({ data: organizations.map(present) });
  },
});

export const createOrganization = defineEndpoint({
  ...OF_OPERATORS,
  method: 'POST',
  path: '/v1/organizations',
  operationId: 'createOrganization',
  summary: 'Make an organization',
  description: 'Makes an organization with a plan and invites its owner; the link is shown this once. For operators.',
  body: objectBody(
    { name: visibleField('Its name.', { maxCharacters: MAX_NAME_CHARACTERS }), plan: planField, owner: emailField },
    { organization: { name: 'Northwind', plan: 'pro', owner: 'ada@northwind.example' } },
  ),
  codes: ['CONFLICT'],
  success: {
    status: 201,
    ...jsonSuccess({
      data: strictObject({
        ...OrganizationSchema.properties,
        invitation_path: nullable(Type.String(), 'The link for the owner, below the address of the service.'),
      }),
    }),
  },
  handle: async ({ caller, body, resources }) => {
    const { organization, token } = await resources.organizations.create(caller, body);
    return answerJson({ data: { ...present(organization), invitation_path: `/#invitation=${token}` } });
  },
});

export const changeOrganization = defineEndpoint({
  ...OF_OPERATORS,
  method: 'PATCH',
  path: '/v1/organizations/{id}',
  operationId: 'changeOrganization',
  summary: "Change an organization's plan",
  description: 'Counts from the next request. For operators.',
  item: 'organization',
  body: changesBody(
    { plan: optionalField(planField), status: optionalField(statusField) },
    { upgrade: { plan: 'studio' } },
  ),
  codes: ['CONFLICT'],
  success: jsonSuccess({ data: OrganizationSchema }),
  handle: async ({ caller, id, body, resources }) => {
    const change: Partial<Subscription> = {
      ...(body.plan === undefined ? {} : { plan: body.plan }),
      ...(body.status === undefined ? {} : { status: body.status }),
    };
    const organization = await resources.organizations.change(caller, id, change);
    if (!organization) throw noSuchItem('organization');
    return answerJson({ data: present(organization) });
  },
});

function present(organization: OrganizationRecord): Static<typeof OrganizationSchema> {
  return {
    id: organization.id,
    name: organization.name,
    created_at: organization.createdAt.toISOString(),
    plan: organization.subscription.plan,
    status: organization.subscription.status,
    period_end: organization.subscription.periodEnd?.toISOString() ?? null,
    members: organization.members,
  };
}
