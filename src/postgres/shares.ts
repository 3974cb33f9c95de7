import type { Account, Caller, OrganizationId, Subscription, UserId } from '../domain/account.ts';
import {
  MAX_SHARES,
  type NewShare,
  SHARE_SEARCHES_PER_HOUR,
  type Share,
  type ShareId,
  type Shares,
} from '../domain/share.ts';
import { untilServersHeard } from './account-changes.ts';
import type { Accounts } from './accounts.ts';
import { JoinedRun } from './joined-run.ts';
import { type PlanNumbers, planOf } from './plans.ts';
import { changeInTenant, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';
import { openSharedItems, type SharedTable } from './shared-items.ts';

const SWEPT_AT_ONCE = 100;

const SHARES: SharedTable<Share, NewShare, never, ShareId | undefined> = {
  name: 'shares',
  noun: 'share',
  maxItems: MAX_SHARES,
  columns: `id, kind, title, targets, ends_at AS "endsAt", created_at AS "createdAt", updated_at AS "updatedAt",
    (SELECT o.name FROM organizations o WHERE o.id = shares.organization_id) AS organization`,
  order: 'position',
  condition: (id) => ({ sql: 'ends_at > now() AND ($2::uuid IS NULL OR id = $2)', values: [id] }),
  write: ({ kind, title, targets, endsAt, token, userId, keyId, listId }) => ({
    ...{ kind, title, targets, ends_at: endsAt, hash: hashSecret(token) },
    ...{ user_id: userId, key_id: keyId, list_id: listId },
  }),
  act: ({ id, kind, title, endsAt }) => ({ share: id, kind, title, until: endsAt.toISOString() }),
  // Making one is never repeated under an Idempotency-Key: its token is shown once.
  asAdded: (share, added) => ({ ...share, ...added, organization: '' }),
};

interface ShareOptions {
  readonly pool: Pool;
  /** Has connections that may wait for other servers. */
  readonly jobPool: Pool;
  readonly accounts: Accounts;
}

export function openShares({ pool, jobPool, accounts }: ShareOptions): Shares {
  const { list, find, add, delete: remove } = openSharedItems(pool, SHARES);
  const hearing = new JoinedRun(() => untilServersHeard(jobPool));
  return {
    list,
    find,
    add,
    delete: async (tenant, id) => {
      const isDeleted = await remove(tenant, id);
      if (isDeleted) await hearing.start();
      return isDeleted;
    },
    findAccount: (token, now) => accounts.find(token, now),
    takeSearch: (tenant, { id, mostOfAll }) =>
      changeInTenant(pool, tenant, async (transaction) => {
        const { rows } = await transaction.query<{ freeAt: Date | null }>(
          'SELECT take_share_search($1, $2, $3) AS "freeAt"',
          [id, SHARE_SEARCHES_PER_HOUR, mostOfAll],
        );
        const freeAt = rows[0]?.freeAt;
        return freeAt ? { freeAt } : undefined;
      }),
  };
}

interface ShareRow extends PlanNumbers {
  readonly share_id: ShareId;
  readonly organization_id: OrganizationId;
  readonly user_id: UserId;
  readonly role: Caller['role'];
  readonly targets: readonly string[];
  readonly expires_at: Date;
  readonly plan: string | null;
  readonly status: Subscription['status'];
  readonly period_end: Date | null;
}

/** For whoever has the token: its maker's tenant, and the calls that it allows. */
export async function readShareAccount(pool: Pool, hash: Buffer): Promise<Account | undefined> {
  const { rows } = await pool.query<ShareRow>('SELECT * FROM find_share($1)', [hash]);
  const [row] = rows;
  if (!row) return undefined;
  return {
    caller: {
      keyId: null,
      sessionId: null,
      organizationId: row.organization_id,
      userId: row.user_id,
      scopes: new Set(['search', 'tracked:read']),
      role: row.role,
      isOperator: false,
      share: { id: row.share_id, targets: row.targets },
    },
    subscription:
      row.plan === null ? null : { plan: planOf(row.plan, row), status: row.status, periodEnd: row.period_end },
    expiresAt: row.expires_at,
  };
}

/** Removes some that have ended, of all tenants; true when there may be more. */
export async function sweepShares(operator: Queryable): Promise<boolean> {
  const { rowCount } = await operator.query(
    'DELETE FROM shares WHERE id IN (SELECT id FROM shares WHERE ends_at <= now() LIMIT $1 FOR UPDATE SKIP LOCKED)',
    [SWEPT_AT_ONCE],
  );
  return rowCount === SWEPT_AT_ONCE;
}
