// A request with an Idempotency-Key may be repeated without harm. The key is written in the transaction that does the work:
// a second request with the same key waits for it, and then finds either its outcome or, if it failed, nothing.
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { MAX_IDEMPOTENCY_KEYS } from '../domain/tracked-item.ts';
import type { Queryable } from './pool.ts';

const KEPT = `interval '24 hours'`;
const SWEPT_AT_ONCE = 1_000;

/** What became of a request: its items in their order. */
export interface KeptOutcome {
  readonly itemIds: readonly string[];
  readonly areNew: readonly boolean[];
}

export interface EarlierRequest extends KeptOutcome {
  readonly at: Date;
  /** The whole answer, of requests before outcomes were kept; otherwise empty. */
  readonly answer: string;
}

/** The earlier request with this key; undefined when this is the first, whose outcome must be kept. */
export async function claimIdempotencyKey(
  transaction: Queryable,
  { organizationId, userId }: Tenant,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: Uint8Array },
): Promise<EarlierRequest | undefined> {
  const owner = [organizationId, userId, key];
  await transaction.query(
    `DELETE FROM idempotency_keys
     WHERE organization_id = $1 AND user_id = $2 AND key = $3 AND created_at < now() - ${KEPT}`,
    owner,
  );
  const claimed = await transaction.query(
    `INSERT INTO idempotency_keys (organization_id, user_id, key, fingerprint) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [...owner, fingerprint],
  );
  if (claimed.rowCount === 1) {
    await dropOldest(transaction, { organizationId, userId });
    return undefined;
  }
  const { rows } = await transaction.query<EarlierRequest & { fingerprint: Buffer }>(
    `SELECT fingerprint, answer, keyword_ids AS "itemIds", are_new AS "areNew", created_at AS at FROM idempotency_keys
     WHERE organization_id = $1 AND user_id = $2 AND key = $3`,
    owner,
  );
  const [earlier] = rows;
  if (earlier?.fingerprint.equals(fingerprint)) return earlier;
  throw new RequestError(
    'CONFLICT',
    'This Idempotency-Key was used for another request in the last 24 hours.',
    'Use a new key for a new request, and the same key only for the same body.',
  );
}

/** Keeps the newest keys of a member only. */
async function dropOldest(transaction: Queryable, { organizationId, userId }: Tenant): Promise<void> {
  await transaction.query(
    `DELETE FROM idempotency_keys WHERE organization_id = $1 AND user_id = $2 AND key IN (
       SELECT key FROM idempotency_keys WHERE organization_id = $1 AND user_id = $2
       ORDER BY created_at DESC, key OFFSET $3)`,
    [organizationId, userId, MAX_IDEMPOTENCY_KEYS],
  );
}

export async function keepOutcome(
  transaction: Queryable,
  { organizationId, userId }: Tenant,
  { key, itemIds, areNew }: KeptOutcome & { readonly key: string },
): Promise<void> {
  await transaction.query(
    `UPDATE idempotency_keys SET keyword_ids = $4, are_new = $5
     WHERE organization_id = $1 AND user_id = $2 AND key = $3`,
    [organizationId, userId, key, itemIds, areNew],
  );
}

/** Removes some of what has served its time, of all tenants; true when there may be more. */
export async function sweepIdempotencyKeys(operator: Queryable): Promise<boolean> {
  const { rowCount } = await operator.query(
    `DELETE FROM idempotency_keys WHERE (organization_id, user_id, key) IN (
       SELECT organization_id, user_id, key FROM idempotency_keys WHERE created_at < now() - ${KEPT}
       LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [SWEPT_AT_ONCE],
  );
  return rowCount === SWEPT_AT_ONCE;
}
