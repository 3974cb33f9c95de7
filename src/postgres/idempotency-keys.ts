// A request with an Idempotency-Key may be repeated without harm. The key is written in the transaction that does the work:
// a second request with the same key waits for it, and then finds either its answer or, if it failed, nothing.
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import type { Queryable } from './pool.ts';

const KEPT = `interval '24 hours'`;

/** The answer of an earlier request with this key; undefined when this is the first, which must keep its answer. */
export async function claimIdempotencyKey(
  transaction: Queryable,
  { organizationId, userId }: Tenant,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: Uint8Array },
): Promise<string | undefined> {
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
  if (claimed.rowCount === 1) return undefined;
  const { rows } = await transaction.query<{ fingerprint: Buffer; answer: string }>(
    'SELECT fingerprint, answer FROM idempotency_keys WHERE organization_id = $1 AND user_id = $2 AND key = $3',
    owner,
  );
  const [earlier] = rows;
  if (earlier?.fingerprint.equals(fingerprint)) return earlier.answer;
  throw new RequestError(
    'CONFLICT',
    'This Idempotency-Key was used for another request in the last 24 hours.',
    'Use a new key for a new request, and the same key only for the same body.',
  );
}

export async function keepAnswer(
  transaction: Queryable,
  { organizationId, userId }: Tenant,
  { key, answer }: { readonly key: string; readonly answer: string },
): Promise<void> {
  await transaction.query(
    'UPDATE idempotency_keys SET answer = $4 WHERE organization_id = $1 AND user_id = $2 AND key = $3',
    [organizationId, userId, key, answer],
  );
}

/** Removes what has served its time, of all tenants. */
export async function sweepIdempotencyKeys(operator: Queryable): Promise<void> {
  await operator.query(`DELETE FROM idempotency_keys WHERE created_at < now() - ${KEPT}`);
}
