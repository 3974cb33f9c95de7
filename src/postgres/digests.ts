import type { Tenant } from '../domain/account.ts';
import {
  type Digest,
  type DigestKind,
  type DigestQuery,
  parseDigestProducts,
  parseDigestRows,
} from '../domain/digest.ts';
import type { Frequency } from '../domain/period.ts';
import { changeInTenant, inTenant, type Pool } from './pool.ts';

interface DigestRecord {
  readonly id: string;
  readonly kind: DigestKind;
  readonly marketplace: string;
  readonly frequency: Frequency;
  readonly year: number;
  readonly number: number;
  readonly rows: unknown;
  readonly products: unknown;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

/** The tenant's own digests, newest first. */
export async function listDigests(
  pool: Pool,
  tenant: Tenant,
  query: DigestQuery,
): Promise<{ readonly digests: readonly Digest[]; readonly totalCount: number }> {
  const matching = 'organization_id = $1 AND user_id = $2 AND (read_at IS NULL OR NOT $3)';
  const values = [tenant.organizationId, tenant.userId, query.isUnreadOnly];
  return await inTenant(pool, tenant, async (transaction) => {
    const page = await transaction.query<DigestRecord>(
      `SELECT * FROM digests WHERE ${matching} ORDER BY created_at DESC, id LIMIT $4 OFFSET $5`,
      [...values, query.limit, query.offset],
    );
    const total = await transaction.query<{ count: number }>(
      `SELECT count(*) AS count FROM digests WHERE ${matching}`,
      values,
    );
    return { digests: page.rows.map(fromRecord), totalCount: total.rows[0]?.count ?? 0 };
  });
}

/** Servers hear here whose digests have changed: organization and user. A trigger says so. */
export const DIGESTS_CHANNEL = 'keyrank_digests';

export async function countUnreadDigests(pool: Pool, tenant: Tenant): Promise<number> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM digests WHERE organization_id = $1 AND user_id = $2 AND read_at IS NULL',
      [tenant.organizationId, tenant.userId],
    ),
  );
  return rows[0]?.count ?? 0;
}

/** Marks the tenant's own digests as read; returns how many were not read before. */
export async function readAllDigests(pool: Pool, tenant: Tenant): Promise<number> {
  const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
    transaction.query(
      'UPDATE digests SET read_at = now() WHERE organization_id = $1 AND user_id = $2 AND read_at IS NULL',
      [tenant.organizationId, tenant.userId],
    ),
  );
  return rowCount ?? 0;
}

function fromRecord(record: DigestRecord): Digest {
  const { frequency, year, number } = record;
  return {
    id: record.id,
    kind: record.kind,
    marketplace: record.marketplace,
    period: { frequency, year, number },
    createdAt: record.created_at,
    isRead: record.read_at !== null,
    rows: parseDigestRows(record.rows),
    products: parseDigestProducts(record.products),
  };
}
