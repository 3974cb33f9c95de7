// Keys as members and admins make and disable them. The role that answers requests can make no keys; this goes by that of operators, and
// every statement names the organization.
import { randomBytes } from 'node:crypto';
import type { ApiKeyId, Caller, UserId } from '../domain/account.ts';
import { apiKeyPrefix, generateApiKey } from '../domain/api-key.ts';
import { RequestError } from '../domain/error.ts';
import { type Key, MAX_ACTIVE_KEYS, type MadeKey, type NewKey } from '../domain/people.ts';
import { isAllowed, mayManage, type Role } from '../domain/role.ts';
import { untilServersHeard } from './account-changes.ts';
import { recordAct } from './audit-log.ts';
import { inTenant, inTransaction, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';
import { pauseWithoutKey } from './webhook-pauses.ts';

type KeyRow = Key & { readonly userId: UserId };

const SELECT_KEY = `SELECT k.id, k.name, u.email AS user, k.user_id AS "userId", k.user_id = $2 AS "isOwn", k.prefix, k.scopes,
    k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.disabled_at AS "disabledAt", k.last_used_at AS "lastUsedAt"
  FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.organization_id = $1 AND k.agent_id IS NULL`;
const MAX_SHOWN = 1000;

/** Those of the organization for admins, and of others their own; newest first. */
export async function listKeys(pool: Pool, caller: Caller): Promise<readonly Key[]> {
  const { rows } = await inTenant(pool, caller, (transaction) =>
    transaction.query<KeyRow>(
      `${SELECT_KEY} AND ($3 OR k.user_id = $2) ORDER BY k.disabled_at IS NOT NULL, k.created_at DESC, k.id LIMIT $4`,
      [caller.organizationId, caller.userId, isAllowed('keys', caller), MAX_SHOWN],
    ),
  );
  return rows;
}

export async function makeKey(operator: Pool, caller: Caller, wanted: NewKey): Promise<MadeKey> {
  return await inTransaction(operator, async (transaction) => {
    await lockKeys(transaction, caller);
    const { rows } = await transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM api_keys WHERE organization_id = $1 AND disabled_at IS NULL AND agent_id IS NULL',
      [caller.organizationId],
    );
    if ((rows[0]?.count ?? 0) >= MAX_ACTIVE_KEYS) {
      throw new RequestError(
        'CONFLICT',
        `The organization has ${MAX_ACTIVE_KEYS} keys, and no more are allowed.`,
        'Disable one first.',
      );
    }
    await checkMayIssue(transaction, caller, wanted.userId);
    return await issue(transaction, caller, { ...wanted, action: 'key.create' });
  });
}

/** Undefined when there is no such key that the caller may touch. Disabling twice changes nothing. */
export async function disableKey(operator: Pool, caller: Caller, id: string): Promise<Key | undefined> {
  const key = await inTransaction(operator, async (transaction) => {
    const found = await findKey(transaction, caller, id);
    if (!found || found.disabledAt !== null) return found;
    await disable(transaction, caller, found);
    await recordAct(transaction, { tenant: caller, action: 'key.disable', details: { key: id, user: found.user } });
    return await findKey(transaction, caller, id);
  });
  await untilServersHeard(operator);
  return key;
}

/** A new key with the same rights, and the end of the old one. */
export async function rotateKey(operator: Pool, caller: Caller, id: string): Promise<MadeKey | undefined> {
  const made = await inTransaction(operator, async (transaction) => {
    await lockKeys(transaction, caller);
    const old = await findKey(transaction, caller, id);
    if (!old) return undefined;
    if (old.disabledAt !== null) {
      throw new RequestError(
        'CONFLICT',
        'The key is disabled and cannot be rotated.',
        'Make a new one: POST /v1/keys.',
      );
    }
    checkScopes(caller, old.scopes);
    await checkMayIssue(transaction, caller, old.userId);
    const issued = await issue(transaction, caller, { ...old, action: 'key.rotate' });
    await disable(transaction, caller, old);
    return issued;
  });
  await untilServersHeard(operator);
  return made;
}

/** Nobody gives to a key what they do not have. */
function checkScopes(caller: Caller, scopes: Key['scopes']): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope));
  if (missing === undefined) return;
  throw new RequestError(
    'FORBIDDEN',
    `The key in use lacks the scope '${missing}', and so may give it to no other.`,
    'Leave it out.',
  );
}

/** Whoever makes a key holds it, and so could do all that its member may do. */
async function checkMayIssue(transaction: Queryable, caller: Caller, userId: UserId): Promise<void> {
  const { rows } = await transaction.query<{ id: UserId; role: Role; isOperator: boolean }>(
    `SELECT m.user_id AS id, m.role, u.is_operator AS "isOperator" FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.organization_id = $1 AND m.user_id = ANY ($2)`,
    [caller.organizationId, [userId, caller.userId]],
  );
  const member = rows.find(({ id }) => id === userId);
  // As it is by now: it may have been changed since the request came.
  const own = rows.find(({ id }) => id === caller.userId);
  if (!own || !isAllowed('keys', own)) throw adminsOnly();
  if (!member) {
    throw new RequestError('INVALID_PARAMETERS', "Field 'member_id' names no member.", 'List them: GET /v1/members.');
  }
  if (userId === caller.userId || (mayManage(own.role, member.role) && !member.isOperator)) return;
  throw new RequestError(
    'FORBIDDEN',
    'Owners and operators of the installation make keys of theirs themselves; owners also make those of other owners.',
    'Ask the member to do it.',
  );
}

function adminsOnly(): RequestError {
  return new RequestError('FORBIDDEN', 'Owners and admins make keys.', 'Ask one of them for a key.');
}

async function issue(
  transaction: Queryable,
  caller: Caller,
  { name, scopes, expiresAt, userId, action }: NewKey & { readonly action: string },
): Promise<MadeKey> {
  const text = generateApiKey(randomBytes);
  await pauseWithoutKey(transaction, { organizationId: caller.organizationId, userId });
  const { rows } = await transaction.query<{ id: ApiKeyId }>(
    `INSERT INTO api_keys (organization_id, user_id, name, hash, prefix, scopes, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    [caller.organizationId, userId, name, hashSecret(text), apiKeyPrefix(text), scopes, expiresAt],
  );
  const key = await findKey(transaction, caller, rows[0]?.id ?? '');
  if (!key) throw new Error('a key just made is not there');
  await recordAct(transaction, { tenant: caller, action, details: { key: key.id, user: key.user, scopes } });
  return { key, text };
}

async function disable(transaction: Queryable, { organizationId }: Caller, { id, userId }: KeyRow): Promise<void> {
  await transaction.query(
    'UPDATE api_keys SET disabled_at = now() WHERE organization_id = $1 AND id = $2 AND disabled_at IS NULL',
    [organizationId, id],
  );
  await pauseWithoutKey(transaction, { organizationId, userId });
}

async function findKey(transaction: Queryable, caller: Caller, id: string): Promise<KeyRow | undefined> {
  const { rows } = await transaction.query<KeyRow>(`${SELECT_KEY} AND k.id = $4 AND ($3 OR k.user_id = $2)`, [
    caller.organizationId,
    caller.userId,
    isAllowed('keys', caller),
    id,
  ]);
  return rows[0];
}

async function lockKeys(transaction: Queryable, { organizationId }: Caller): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`keys ${organizationId}`]);
}
