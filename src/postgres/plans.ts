// Plans are rows that operators make; servers read them with the account of each key.
import { OperatorError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import { type Plan, parsePlanName } from '../domain/plan.ts';
import { untilServersHeard } from './account-changes.ts';
import { recordAction } from './audit-log.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';

/** The numbers of a plan as they stand in rows; null is all. */
export interface PlanNumbers {
  readonly searches_per_hour: number;
  readonly months: number | null;
  readonly weeks: number | null;
}

interface PlanRow extends PlanNumbers {
  readonly name: string;
  readonly is_built_in: boolean;
  readonly organizations: number;
}

export interface PlanRecord extends Plan {
  readonly isBuiltIn: boolean;
  /** How many organizations have it. */
  readonly organizations: number;
}

const UNIQUE_VIOLATION = '23505';

const SELECT_PLANS = `SELECT p.name, p.searches_per_hour, p.months, p.weeks, p.is_built_in,
  (SELECT count(*)::integer FROM subscriptions s WHERE s.plan = p.name) AS organizations FROM plans p`;

export function planOf(name: string, { searches_per_hour, months, weeks }: PlanNumbers): Plan {
  return { name, searchesPerHour: searches_per_hour, months: months ?? 'all', weeks: weeks ?? 'all' };
}

/** Those that ship first, then by name. */
export async function listPlans(queryable: Queryable): Promise<readonly PlanRecord[]> {
  const { rows } = await queryable.query<PlanRow>(
    `${SELECT_PLANS} ORDER BY NOT p.is_built_in, CASE WHEN p.is_built_in THEN p.searches_per_hour END, p.name`,
  );
  return rows.map(fromRow);
}

export async function createPlan(pool: Pool, plan: Plan): Promise<PlanRecord> {
  parsePlanName(plan.name);
  return await inTransaction(pool, async (transaction) => {
    try {
      await transaction.query(
        'INSERT INTO plans (name, searches_per_hour, months, weeks) VALUES ($1, $2, $3, $4)',
        valuesOf(plan),
      );
    } catch (error) {
      if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
      throw new OperatorError(`There is already a plan "${plan.name}".`, {
        hint: 'Choose another name, or change it with: keyrank plan set',
      });
    }
    await recordAction(transaction, { action: 'plan.create', details: { ...plan } });
    return await lockPlan(transaction, plan.name);
  });
}

/** Changes only what is given. When this resolves, every server goes by it. */
export async function changePlan(pool: Pool, name: string, change: Partial<Omit<Plan, 'name'>>): Promise<PlanRecord> {
  const changed = await inTransaction(pool, async (transaction) => {
    const { searchesPerHour, months, weeks } = await lockOwnPlan(transaction, name);
    const next = { name, searchesPerHour, months, weeks, ...change };
    await transaction.query(
      'UPDATE plans SET searches_per_hour = $2, months = $3, weeks = $4, updated_at = now() WHERE name = $1',
      valuesOf(next),
    );
    await recordAction(transaction, { action: 'plan.set', details: next });
    return await lockPlan(transaction, name);
  });
  await untilServersHeard(pool);
  return changed;
}

/** Refused while an organization has the plan. */
export async function removePlan(pool: Pool, name: string): Promise<PlanRecord> {
  return await inTransaction(pool, async (transaction) => {
    const plan = await lockOwnPlan(transaction, name);
    if (plan.organizations > 0) throw await inUse(transaction, name);
    await transaction.query('DELETE FROM plans WHERE name = $1', [name]);
    await recordAction(transaction, { action: 'plan.remove', details: { name } });
    return plan;
  });
}

/** Keeps the plan from being removed until the transaction ends; an error that says which ones there are, without it. */
export async function holdPlan(transaction: Queryable, name: string): Promise<void> {
  const { rowCount } = await transaction.query('SELECT FROM plans WHERE name = $1 FOR KEY SHARE', [name]);
  if (rowCount !== 1) throw await unknownPlan(transaction, name);
}

async function lockPlan(transaction: Queryable, name: string): Promise<PlanRecord> {
  await transaction.query('SELECT FROM plans WHERE name = $1 FOR UPDATE', [name]);
  // A statement of its own, which sees what was committed while the lock was waited for.
  const { rows } = await transaction.query<PlanRow>(`${SELECT_PLANS} WHERE p.name = $1`, [name]);
  const [row] = rows;
  if (!row) throw await unknownPlan(transaction, name);
  return fromRow(row);
}

async function lockOwnPlan(transaction: Queryable, name: string): Promise<PlanRecord> {
  const plan = await lockPlan(transaction, name);
  if (!plan.isBuiltIn) return plan;
  throw new OperatorError(`The plan "${name}" ships with keyrank and stays as it is.`, {
    hint: 'Make one of your own with: keyrank plan create',
  });
}

async function unknownPlan(queryable: Queryable, name: string): Promise<OperatorError> {
  const names = (await listPlans(queryable)).map((plan) => plan.name);
  return new OperatorError(`There is no plan "${name}".`, { hint: `Known: ${names.join(', ')}.` });
}

async function inUse(transaction: Queryable, name: string): Promise<OperatorError> {
  const { rows } = await transaction.query<{ name: string }>(
    `SELECT o.name FROM organizations o JOIN subscriptions s ON s.organization_id = o.id WHERE s.plan = $1
     ORDER BY lower(o.name) LIMIT 3`,
    [name],
  );
  const names = rows.map((row) => `"${row.name}"`).join(', ');
  return new OperatorError(`The plan "${name}" is in use, for example by ${names}.`, {
    hint: 'Move them first with: keyrank organization set-plan NAME --plan PLAN',
  });
}

function valuesOf({ name, searchesPerHour, months, weeks }: Plan) {
  return [name, searchesPerHour, months === 'all' ? null : months, weeks === 'all' ? null : weeks];
}

function fromRow(row: PlanRow): PlanRecord {
  return { ...planOf(row.name, row), isBuiltIn: row.is_built_in, organizations: row.organizations };
}
