import { userInfo } from 'node:os';
import type { OrganizationId } from '../domain/account.ts';
import type { Queryable } from './pool.ts';

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
