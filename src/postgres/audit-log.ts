import { userInfo } from 'node:os';
import type { Caller, OrganizationId, Tenant } from '../domain/account.ts';
import type { Slice } from '../domain/page.ts';
import type { AuditEntry } from '../domain/people.ts';
import { inTenant, type Pool, type Queryable } from './pool.ts';

export interface OperatorAction {
  readonly action: string;
  /** None where it concerns no single one of them. */
  readonly organizationId?: OrganizationId;
  /** What was asked for; never a key or its hash. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Writes who did what, in the transaction that does it. */
export async function recordAction(transaction: Queryable, entry: OperatorAction): Promise<void> {
  await transaction.query('INSERT INTO audit_log (actor, action, organization_id, details) VALUES ($1, $2, $3, $4)', [
    operatorName(),
    entry.action,
    entry.organizationId ?? null,
    JSON.stringify(entry.details),
  ]);
}

/** The operating system's user; a container may run under a number that has no name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

interface Act {
  readonly tenant: Tenant;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address?: string;
}

/** The same of what a user does; the transaction knows the tenant. */
export async function recordAct(transaction: Queryable, { tenant, action, details, address }: Act): Promise<void> {
  await transaction.query(
    `INSERT INTO audit_log (actor, action, organization_id, details, user_id, address)
     SELECT email, $2::text, $3::uuid, $4::jsonb, id, $5::text FROM users WHERE id = $1`,
    [tenant.userId, action, tenant.organizationId, JSON.stringify(details), address ?? null],
  );
}

/** Of the caller's organization, newest first. */
export async function listAuditLog(
  pool: Pool,
  caller: Caller,
  { limit, offset }: Slice,
): Promise<{ readonly entries: readonly AuditEntry[]; readonly totalCount: number }> {
  return await inTenant(pool, caller, async (transaction) => {
    const { rows: counted } = await transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM audit_log WHERE organization_id = $1',
      [caller.organizationId],
    );
    const { rows: entries } = await transaction.query<AuditEntry>(
      `SELECT id, occurred_at AS "occurredAt", CASE WHEN user_id IS NULL THEN 'operator' ELSE actor END AS actor, action, address,
         details
       FROM audit_log WHERE organization_id = $1 ORDER BY occurred_at DESC, id LIMIT $2 OFFSET $3`,
      [caller.organizationId, limit, offset],
    );
    return { entries, totalCount: counted[0]?.count ?? 0 };
  });
}
