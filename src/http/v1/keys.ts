import { type Static, Type } from 'typebox';
import { type Caller, SCOPES, type Scope, type UserId } from '../../domain/account.ts';
import { RequestError } from '../../domain/error.ts';
import { type Key, MAX_ACTIVE_KEYS, type MadeKey } from '../../domain/people.ts';
import { choiceField, type Field, listField, objectBody, optionalField, parseText, visibleField } from '../body.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { answerJson, jsonSuccess, strictObject, textOf } from '../schemas.ts';
import { IdSchema, idField, nullableTime, TimeSchema } from './people-fields.ts';

const ITEM = 'key';
const MAX_NAME_CHARACTERS = 100;

const KeySchema = strictObject({
  id: IdSchema,
  name: Type.String(),
  user: Type.String({ description: 'The member it stands for.' }),
  is_own: Type.Boolean(),
  prefix: Type.String({ description: 'How it begins, to tell keys apart.' }),
  scopes: Type.Array(textOf(SCOPES)),
  created_at: TimeSchema,
  expires_at: nullableTime('Null when it does not end by itself.'),
  disabled_at: nullableTime('Null while it can be used.'),
  last_used_at: nullableTime('Null when it never was.'),
});
const MadeKeySchema = strictObject({
  ...KeySchema.properties,
  key: Type.String({ description: 'The key itself. It is not kept and never shown again.' }),
});

const expiryField: Field<Date | undefined> = {
  schema: Type.String({ description: 'When it stops working. Left out: never.', format: 'date-time' }),
  isRequired: false,
  absent: undefined,
  parse: (name, value) => {
    const text = parseText(name, value, 40);
    const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,12}(Z|[+-][0-9]{2}:[0-9]{2})$/.test(text)
      ? new Date(text)
      : undefined;
    if (time && time.getTime() > Date.now() && time.getUTCFullYear() < 2200) return time;
    throw new RequestError(
      'INVALID_PARAMETERS',
      `Field '${name}' is not a time in the future.`,
      'Write it like 2030-01-31T00:00:00Z.',
    );
  },
};

const OF_PEOPLE = { tag: 'People', scope: 'people', access: 'member', parameters: {} } as const;

export const listKeys = defineEndpoint({
  ...OF_PEOPLE,
  method: 'GET',
  path: '/v1/keys',
  operationId: 'listKeys',
  summary: 'List API keys',
  description:
    'The keys of the organization for its owners and admins, and for others their own: those in use first, newest first.',
  action: 'own-account',
  success: jsonSuccess({ data: Type.Array(KeySchema) }),
  handle: async ({ caller, resources }) => {
    const keys = await resources.people.listKeys(caller);
    return answerJson({ data: keys.map(present) });
  },
});

export const createKey = defineEndpoint({
  ...OF_PEOPLE,
  method: 'POST',
  path: '/v1/keys',
  operationId: 'createKey',
  summary: 'Make an API key',
  description:
    'Makes a key for a member, shown this once. What it may do is what its scopes and the role of the member allow. ' +
    `At most ${MAX_ACTIVE_KEYS} that are not disabled per organization.`,
  action: 'keys',
  body: objectBody(
    {
      name: visibleField('What it is for.', { maxCharacters: MAX_NAME_CHARACTERS }),
      scopes: listField(choiceField('A scope.', SCOPES), { description: 'What it may do.', maxItems: SCOPES.length }),
      expires_at: expiryField,
      member_id: optionalField(idField('The member it stands for. Left out: the caller.')),
    },
    { key: { name: 'Weekly sheet', scopes: ['search', 'export'], expires_at: '2199-01-31T00:00:00Z' } },
  ),
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: MadeKeySchema }) },
  handle: async ({ caller, body, resources }) => {
    checkScopes(caller, body.scopes);
    const made = await resources.people.makeKey(caller, {
      name: body.name,
      scopes: SCOPES.filter((scope) => body.scopes.includes(scope)),
      expiresAt: body.expires_at ?? null,
      userId: (body.member_id ?? caller.userId) as UserId,
    });
    return answerJson({ data: presentMade(made) });
  },
});

export const disableKey = defineEndpoint({
  ...OF_PEOPLE,
  method: 'DELETE',
  path: '/v1/keys/{id}',
  operationId: 'disableKey',
  summary: 'Disable an API key',
  description:
    'Disables a key for good, from the next request on every server. It stays in the list. The last key of a member pauses the webhooks ' +
    'that the member registered.',
  action: 'own-account',
  item: ITEM,
  success: jsonSuccess({ data: KeySchema }),
  handle: async ({ caller, id, resources }) => {
    const key = await resources.people.disableKey(caller, id);
    if (!key) throw noSuchItem(ITEM);
    return answerJson({ data: present(key) });
  },
});

export const rotateKey = defineEndpoint({
  ...OF_PEOPLE,
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  operationId: 'rotateKey',
  summary: 'Rotate an API key',
  description:
    'Makes a key with the same name, member, scopes and expiry, shown this once, and disables the old one in the same moment.',
  action: 'keys',
  item: ITEM,
  codes: ['CONFLICT'],
  success: { status: 201, ...jsonSuccess({ data: MadeKeySchema }) },
  handle: async ({ caller, id, resources }) => {
    const made = await resources.people.rotateKey(caller, id);
    if (!made) throw noSuchItem(ITEM);
    return answerJson({ data: presentMade(made) });
  },
});

/** Nobody gives to a key what the key in use does not have. */
function checkScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope));
  if (missing === undefined) return;
  throw new RequestError(
    'FORBIDDEN',
    `This API key lacks the scope '${missing}', and so gives it to no other.`,
    'Leave the scope out.',
  );
}

function presentMade({ key, text }: MadeKey): Static<typeof MadeKeySchema> {
  return { ...present(key), key: text };
}

function present(key: Key): Static<typeof KeySchema> {
  return {
    id: key.id,
    name: key.name,
    user: key.user,
    is_own: key.isOwn,
    prefix: key.prefix,
    scopes: [...key.scopes],
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    disabled_at: key.disabledAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
