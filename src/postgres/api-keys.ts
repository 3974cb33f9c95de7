import { randomBytes } from 'node:crypto';
import type { ApiKeyId, OrganizationId, Scope, UserId } from '../domain/account.ts';
import { type ApiKeyText, apiKeyPrefix, generateApiKey, parseApiKey } from '../domain/api-key.ts';
import { OperatorError } from '../domain/error.ts';
import type { Role } from '../domain/role.ts';
import { untilServersHeard } from './account-changes.ts';
import { recordAction } from './audit-log.ts';
import { ensureMember, parseEmail } from './members.ts';
import { getOrganization } from './organizations.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';
import { pauseWithoutKey } from './webhook-pauses.ts';

/** What may be known of a key after it was issued. */
export interface ApiKeyRecord {
  readonly id: ApiKeyId;
  readonly organization: string;
  readonly user: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly disabledAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** A key at the only moment its text is known. */
export interface IssuedApiKey {
  readonly key: ApiKeyText;
  readonly record: ApiKeyRecord;
  /** Webhooks of its user that stay paused, because there was a time without any usable key. */
  readonly pausedWebhooks: number;
}

export interface ApiKeyRequest {
  readonly organization: string;
  readonly userEmail: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Of a user who becomes a member by it; without one, the first is the owner and others are members. */
  readonly role?: Role;
}

interface ApiKeyGrant {
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

const SELECT_KEY = `SELECT k.id, o.name AS organization, u.email AS user, k.prefix, k.scopes, k.created_at AS "createdAt",
    k.expires_at AS "expiresAt", k.disabled_at AS "disabledAt", k.last_used_at AS "lastUsedAt"
  FROM api_keys k JOIN organizations o ON o.id = k.organization_id JOIN users u ON u.id = k.user_id`;

/** Issues a key to a user, who becomes a member of the organization by it. */
export async function createApiKey(pool: Pool, request: ApiKeyRequest): Promise<IssuedApiKey> {
  const email = parseEmail(request.userEmail);
  return await inTransaction(pool, async (transaction) => {
    const { id: organizationId } = await getOrganization(transaction, request.organization);
    const userId = await ensureMember(transaction, { organizationId, email, role: request.role });
    return await issue(transaction, { ...request, organizationId, userId }, 'key.create');
  });
}

export async function listApiKeys(pool: Pool, organization?: string): Promise<readonly ApiKeyRecord[]> {
  if (organization !== undefined) await getOrganization(pool, organization);
  const { rows } = await pool.query<ApiKeyRecord>(
    `${SELECT_KEY} WHERE $1::text IS NULL OR lower(o.name) = lower($1) ORDER BY lower(o.name), k.created_at, k.id`,
    [organization ?? null],
  );
  return rows;
}

/** Whether a key would be let in now. */
export async function isApiKeyEnabled(pool: Pool, key: ApiKeyText): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM api_keys WHERE hash = $1 AND disabled_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [hashSecret(key)],
  );
  return rowCount === 1;
}

/**
 * Disables a key for good: when this resolves, every server refuses it. If it was the user's last usable one, the webhooks
 * that the user registered are paused. Disabling twice changes nothing.
 */
export async function disableApiKey(pool: Pool, reference: string): Promise<ApiKeyRecord> {
  const record = await inTransaction(pool, async (transaction) => {
    const { id, organizationId, userId } = await getApiKey(transaction, reference);
    await disable(transaction, id);
    await pauseWithoutKey(transaction, { organizationId, userId });
    await recordAction(transaction, { action: 'key.disable', organizationId, details: { key: id } });
    return await readRecord(transaction, id);
  });
  await untilServersHeard(pool);
  return record;
}

/** Issues a new key with the same user, scopes and expiry, and disables the old one in the same transaction. */
export async function rotateApiKey(pool: Pool, reference: string): Promise<IssuedApiKey> {
  const issued = await inTransaction(pool, async (transaction) => {
    const old = await getApiKey(transaction, reference);
    if (old.disabledAt !== null) {
      throw new OperatorError(`Key ${old.id} is disabled and cannot be rotated.`, {
        hint: 'Make a new one with: keyrank key create',
      });
    }
    const issued = await issue(transaction, old, 'key.rotate');
    await disable(transaction, old.id);
    return issued;
  });
  await untilServersHeard(pool);
  return issued;
}

async function issue(transaction: Queryable, grant: ApiKeyGrant, action: string): Promise<IssuedApiKey> {
  const key = generateApiKey(randomBytes);
  const pausedWebhooks = await pauseWithoutKey(transaction, grant);
  const { rows } = await transaction.query<{ id: ApiKeyId }>(
    `INSERT INTO api_keys (organization_id, user_id, hash, prefix, scopes, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
    [grant.organizationId, grant.userId, hashSecret(key), apiKeyPrefix(key), grant.scopes, grant.expiresAt],
  );
  const record = await readRecord(transaction, rows[0]?.id);
  await recordAction(transaction, {
    action,
    organizationId: grant.organizationId,
    details: { key: record.id, user: record.user, scopes: record.scopes },
  });
  return { key, record, pausedWebhooks };
}

async function disable(transaction: Queryable, id: ApiKeyId): Promise<void> {
  await transaction.query('UPDATE api_keys SET disabled_at = now() WHERE id = $1 AND disabled_at IS NULL', [id]);
}

/**
 * Finds a key by its id, by the beginning that lists show, or, for one that leaked, by its whole text. Two keys that fit
 * are an error, and the error never repeats a whole key.
 */
async function getApiKey(
  transaction: Queryable,
  reference: string,
): Promise<ApiKeyGrant & { readonly id: ApiKeyId; readonly disabledAt: Date | null }> {
  const key = parseApiKey(reference);
  const shown = key ? `${apiKeyPrefix(key)}…` : reference;
  const { rows } = await transaction.query<ApiKeyGrant & { id: ApiKeyId; disabledAt: Date | null }>(
    `SELECT id, organization_id AS "organizationId", user_id AS "userId", scopes, expires_at AS "expiresAt",
       disabled_at AS "disabledAt"
     FROM api_keys WHERE id::text = lower($1) OR prefix = $1 OR hash = $2 LIMIT 2 FOR UPDATE`,
    [reference, key ? hashSecret(key) : null],
  );
  if (rows.length > 1) {
    throw new OperatorError(`More than one key begins with "${shown}".`, {
      hint: 'Name it by its id; list the keys with: keyrank key list',
    });
  }
  if (rows[0]) return rows[0];
  throw new OperatorError(`There is no key "${shown}".`, { hint: 'List the keys with: keyrank key list' });
}

async function readRecord(transaction: Queryable, id: ApiKeyId | undefined): Promise<ApiKeyRecord> {
  const { rows } = await transaction.query<ApiKeyRecord>(`${SELECT_KEY} WHERE k.id = $1`, [id]);
  if (!rows[0]) throw new Error(`key ${id} is not there`);
  return rows[0];
}
