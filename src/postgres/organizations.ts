import type { OrganizationId, Subscription, SubscriptionStatus } from '../domain/account.ts';
import { OperatorError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import { untilServersHeard } from './account-changes.ts';
import { recordAction } from './audit-log.ts';
import { holdPlan } from './plans.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';

export interface Organization {
  readonly id: OrganizationId;
  readonly name: string;
  readonly createdAt: Date;
  readonly subscription: Subscription;
}

interface OrganizationRow {
  readonly id: OrganizationId;
  readonly name: string;
  readonly created_at: Date;
  readonly plan: string;
  readonly status: SubscriptionStatus;
  readonly period_end: Date | null;
}

const UNIQUE_VIOLATION = '23505';
const MAX_NAME_CHARACTERS = 100;
const SELECT_ORGANIZATION = `SELECT o.id, o.name, o.created_at, s.plan, s.status, s.period_end
  FROM organizations o JOIN subscriptions s ON s.organization_id = o.id`;

export async function createOrganization(
  pool: Pool,
  { name, subscription }: { name: string; subscription: Subscription },
): Promise<Organization> {
  const cleanName = parseOrganizationName(name);
  return await inTransaction(pool, async (transaction) => {
    await holdPlan(transaction, subscription.plan);
    const id = await insertOrganization(transaction, cleanName);
    await transaction.query('INSERT INTO rate_windows (organization_id) VALUES ($1)', [id]);
    await transaction.query(
      'INSERT INTO subscriptions (organization_id, plan, status, period_end) VALUES ($1, $2, $3, $4)',
      [id, subscription.plan, subscription.status, subscription.periodEnd],
    );
    await recordAction(transaction, {
      action: 'organization.create',
      organizationId: id,
      details: { name: cleanName, ...subscription },
    });
    return await getOrganization(transaction, cleanName);
  });
}

export async function listOrganizations(pool: Pool): Promise<readonly Organization[]> {
  const { rows } = await pool.query<OrganizationRow>(`${SELECT_ORGANIZATION} ORDER BY lower(o.name)`);
  return rows.map(fromRow);
}

export async function findOrganization(queryable: Queryable, name: string): Promise<Organization | undefined> {
  const { rows } = await queryable.query<OrganizationRow>(`${SELECT_ORGANIZATION} WHERE lower(o.name) = lower($1)`, [
    name,
  ]);
  return rows[0] && fromRow(rows[0]);
}

/** The organization of that name, or an error that says which ones there are. */
export async function getOrganization(queryable: Queryable, name: string): Promise<Organization> {
  const organization = await findOrganization(queryable, name);
  if (organization) return organization;
  const { rows } = await queryable.query<{ name: string }>(
    'SELECT name FROM organizations ORDER BY lower(name) LIMIT 10',
  );
  const known = rows.map((row) => `"${row.name}"`).join(', ');
  throw new OperatorError(`There is no organization "${name}".`, {
    hint: known === '' ? 'Make one with: keyrank organization create NAME --plan pro' : `Known: ${known}.`,
  });
}

/** Changes only what is given. When this resolves, every server goes by it. */
export async function changeSubscription(
  pool: Pool,
  { name, change }: { name: string; change: Partial<Subscription> },
): Promise<Organization> {
  const organization = await inTransaction(pool, async (transaction) => {
    const { id, subscription } = await getOrganization(transaction, name);
    const next = { ...subscription, ...change };
    await holdPlan(transaction, next.plan);
    await transaction.query(
      'UPDATE subscriptions SET plan = $2, status = $3, period_end = $4, updated_at = now() WHERE organization_id = $1',
      [id, next.plan, next.status, next.periodEnd],
    );
    await recordAction(transaction, { action: 'organization.set-plan', organizationId: id, details: { ...next } });
    return await getOrganization(transaction, name);
  });
  await untilServersHeard(pool);
  return organization;
}

async function insertOrganization(transaction: Queryable, name: string): Promise<OrganizationId> {
  try {
    const { rows } = await transaction.query<{ id: OrganizationId }>(
      'INSERT INTO organizations (name) VALUES ($1) RETURNING id',
      [name],
    );
    const [row] = rows;
    if (!row) throw new Error('INSERT … RETURNING gave no row');
    return row.id;
  } catch (error) {
    if (errorCode(error) === UNIQUE_VIOLATION) {
      throw new OperatorError(`There is already an organization "${name}".`, {
        hint: 'Choose another name (case does not count), or change its plan with: keyrank organization set-plan',
      });
    }
    throw error;
  }
}

function parseOrganizationName(name: string): string {
  const clean = name.normalize('NFC').trim();
  if (clean === '' || [...clean].length > MAX_NAME_CHARACTERS || /\p{Cc}/u.test(clean)) {
    throw new OperatorError(`"${name}" cannot be the name of an organization.`, {
      hint: `Use 1 to ${MAX_NAME_CHARACTERS} printable characters.`,
    });
  }
  return clean;
}

function fromRow(row: OrganizationRow): Organization {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    subscription: { plan: row.plan, status: row.status, periodEnd: row.period_end },
  };
}
