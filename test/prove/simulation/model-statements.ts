// What the statements of publishing and delivery mean, in the model. A statement that is not known here fails the simulation:
// whoever changes one in src/postgres changes its meaning here too, and the comparison with the real database tells whether rightly.
import { OWNER, type PeriodLimit, PRO, STUDIO } from '../../../src/domain/plan.ts';
import { claimDeliveries, insertAlerts, insertNews, settleDelivery } from './delivery-statements.ts';
import {
  deleteSnapshot,
  forgetPath,
  forgetRevisions,
  insertDelta,
  insertSnapshot,
  keepRevision,
  selectManifest,
  updateStatistics,
  upsertPeriod,
} from './manifest-statements.ts';
import type { ModelTransaction } from './model-database.ts';
import {
  compareText,
  insertNew,
  rowOf,
  type Statement,
  UnknownStatementError,
  update,
  type Values,
} from './statement.ts';
import type { Tables } from './tables.ts';

export interface StatementResult {
  readonly rows: readonly object[];
  readonly rowCount: number;
}

/** The first whose words occur in the statement counts. Of withdrawals the model knows nothing. */
const STATEMENTS: readonly (readonly [words: string, statement: Statement | undefined])[] = [
  ['SELECT version FROM rank_statistics', async (transaction) => transaction.list('rank_statistics')],
  ['FROM rank_statistics', selectManifest],
  ['INSERT INTO rank_periods', upsertPeriod],
  ['INSERT INTO kept_revisions', keepRevision],
  ['DELETE FROM kept_revisions WHERE path = $1', forgetPath],
  ['DELETE FROM kept_revisions WHERE ended_at < $1', forgetRevisions],
  ['INSERT INTO dictionary_deltas', insertDelta],
  ['AND NOT EXISTS (SELECT FROM rank_periods', undefined],
  ['DELETE FROM snapshot_files WHERE marketplace = $1 AND source = $2 AND frequency = $3', deleteSnapshot],
  ['INSERT INTO snapshot_files', insertSnapshot],
  ['UPDATE rank_statistics SET version = version + 1', updateStatistics],
  ['INSERT INTO publications', insertPublication],
  ['UPDATE publications p SET attempts = least(p.attempts + 1, $2)', claimPublication],
  ['SELECT FROM publications WHERE id = $1 AND attempts = $2 FOR UPDATE', holdPublication],
  ['UPDATE publications SET attempts = attempts - 1, next_attempt_at = now(), error = NULL', returnPublication],
  ['UPDATE publications SET error = $2 WHERE id = $1', notePublication],
  ['DELETE FROM publications WHERE id = $1', deletePublication],
  ["DELETE FROM webhook_deliveries WHERE status <> 'pending'", async () => []],
  ['FROM (SELECT organization_id, user_id FROM tracked_keywords WHERE is_active', selectMembers],
  ['FROM plans p ORDER BY', selectPlans],
  ['SELECT * FROM tracked_keywords', selectKeywords],
  // Nobody tracks products in the model.
  ['FROM tracked_products WHERE', async () => []],
  // Nor does it know lists.
  ['FROM lists l JOIN list_items i', async () => []],
  // Nor rules for everything, mail and chats.
  ['FROM notification_settings', async () => []],
  ['INSERT INTO notices', async () => []],
  ["w.kind <> 'webhook' AND w.frequency = $2", async () => []],
  ['INSERT INTO digests', insertDigest],
  ['INSERT INTO priority_hits', insertHits],
  ['INSERT INTO usage_counts', countAlerts],
  ['SELECT w.organization_id, w.id, $1, $2, $3 FROM webhooks w JOIN subscriptions s', insertNews],
  ['SELECT w.organization_id, w.id, $3, h.key, h.payload FROM webhooks w', insertAlerts],
  ['WITH due AS MATERIALIZED', claimDeliveries],
  ['UPDATE webhook_deliveries SET status = $3', settleDelivery],
  ['SELECT pg_notify($1, $2)', notify],
];

export async function runStatement(
  transaction: ModelTransaction,
  { sql, values }: { readonly sql: string; readonly values: Values },
): Promise<StatementResult> {
  const { text, statement } = parse(sql);
  if (!statement) throw new UnknownStatementError(`the model does not know: ${text}`);
  const rows = await statement(transaction, values, text);
  return { rows, rowCount: rows.length };
}

interface ParsedStatement {
  /** On one line. */
  readonly text: string;
  readonly statement: Statement | undefined;
}

/** There are a few dozen, and each is run very often. */
const parsed = new Map<string, ParsedStatement>();

export function parse(sql: string): ParsedStatement {
  const known = parsed.get(sql);
  if (known) return known;
  const text = sql.replace(/\s+/g, ' ').trim();
  const found = { text, statement: STATEMENTS.find(([words]) => text.includes(words))?.[1] };
  parsed.set(sql, found);
  return found;
}

async function insertPublication(
  transaction: ModelTransaction,
  values: Values,
  sql: string,
): Promise<readonly object[]> {
  const id = transaction.database.nextId();
  const waiting = { id, attempts: 0, next_attempt_at: transaction.nowMs, set_aside_at: null, error: null };
  const row = { ...rowOf('publications', sql, values), ...waiting };
  return await insertNew(transaction, 'publications', String(id), row);
}

async function claimPublication(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [manifestVersion, maxAttempts, delaysMs] = values as [number, number, readonly number[]];
  const due = transaction
    .list('publications')
    .filter((row) => row.next_attempt_at <= transaction.nowMs && row.manifest_version <= manifestVersion)
    .filter((row) => row.set_aside_at === null)
    .toSorted((a, b) => a.id - b.id);
  const next = due.find((row) => transaction.tryLock('publications', String(row.id)));
  if (!next) return [];
  const row = {
    ...next,
    attempts: Math.min(next.attempts + 1, maxAttempts),
    set_aside_at: next.attempts >= maxAttempts ? transaction.nowMs : null,
    next_attempt_at: transaction.nowMs + (delaysMs[Math.min(next.attempts + 1, maxAttempts - 1) - 1] ?? 0),
  };
  transaction.write('publications', String(row.id), row);
  return [{ ...row, setAsideAt: row.set_aside_at === null ? null : new Date(row.set_aside_at) }];
}

async function holdPublication(transaction: ModelTransaction, [id, attempts]: Values): Promise<readonly object[]> {
  const isMeant = () => transaction.find('publications', String(id))?.attempts === attempts;
  if (!isMeant()) return [];
  await transaction.lock('publications', String(id));
  return isMeant() ? [{}] : [];
}

async function returnPublication(transaction: ModelTransaction, [id]: Values): Promise<readonly object[]> {
  return await update(transaction, 'publications', String(id), (row) => ({
    ...row,
    attempts: row.attempts - 1,
    next_attempt_at: transaction.nowMs,
    error: null,
  }));
}

async function notePublication(transaction: ModelTransaction, [id, error]: Values): Promise<readonly object[]> {
  return await update(transaction, 'publications', String(id), (row) => ({ ...row, error: String(error) }));
}

async function deletePublication(transaction: ModelTransaction, [id]: Values): Promise<readonly object[]> {
  return await update(transaction, 'publications', String(id), () => undefined);
}

async function selectMembers(transaction: ModelTransaction): Promise<readonly object[]> {
  const members = new Map<string, object>();
  for (const { organization_id: organizationId, user_id: userId, is_active } of transaction.list('tracked_keywords')) {
    const subscription = transaction.find('subscriptions', organizationId);
    if (!is_active || subscription?.status !== 'active') continue;
    const plan = subscription.plan;
    members.set(`${organizationId} ${userId}`, { organizationId, userId, plan, ...numbersOf(plan) });
  }
  return [...members].toSorted(([a], [b]) => compareText(a, b)).map(([, member]) => member);
}

/** Operators make none here. In the order of lists. */
const PLANS = [PRO, STUDIO, OWNER];

async function selectPlans(transaction: ModelTransaction): Promise<readonly object[]> {
  return PLANS.map(({ name }) => {
    const organizations = transaction.list('subscriptions').filter(({ plan }) => plan === name).length;
    return { name, ...numbersOf(name), is_built_in: true, organizations };
  });
}

function numbersOf(name: string): object {
  const plan = PLANS.find((each) => each.name === name);
  if (!plan) throw new Error(`there is no plan ${name}`);
  const orNull = (limit: PeriodLimit) => (limit === 'all' ? null : limit);
  return { searches_per_hour: plan.searchesPerHour, months: orNull(plan.months), weeks: orNull(plan.weeks) };
}

async function selectKeywords(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [organizationId, userId, id, hashes, isActive] = values;
  if (id !== undefined || hashes !== undefined) throw new UnknownStatementError('the model selects no single keywords');
  return transaction
    .list('tracked_keywords')
    .filter((row) => row.organization_id === organizationId && row.user_id === userId)
    .filter((row) => isActive === undefined || row.is_active === isActive)
    .toSorted((a, b) => a.position - b.position);
}

async function insertDigest(transaction: ModelTransaction, values: Values, sql: string): Promise<readonly object[]> {
  const row = { ...rowOf('digests', sql, values), kind: 'period' };
  const key = `${row.organization_id} ${row.user_id} ${periodOf(row)}`;
  return (await transaction.insert('digests', key, row)) ? [row] : [];
}

async function insertHits(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [organizationId, userId, marketplace, frequency, year, number, ids] = values as [
    string,
    string,
    string,
    string,
    number,
    number,
    readonly string[],
  ];
  const inserted: { readonly id: string }[] = [];
  for (const id of ids) {
    const keyword = transaction.find('tracked_keywords', id);
    if (keyword?.organization_id !== organizationId || keyword.user_id !== userId) continue;
    const row = { tracked_keyword_id: id, organization_id: organizationId, marketplace, frequency, year, number };
    if (await transaction.insert('priority_hits', `${id} ${periodOf(row)}`, row)) inserted.push({ id });
  }
  return inserted;
}

async function countAlerts(transaction: ModelTransaction, [organizationId, count]: Values): Promise<readonly object[]> {
  const key = String(organizationId);
  await transaction.lock('usage_counts', key);
  const before = transaction.find('usage_counts', key)?.count ?? 0;
  transaction.write('usage_counts', key, { organization_id: key, count: before + Number(count) });
  return [{}];
}

async function notify(transaction: ModelTransaction, [channel, payload]: Values): Promise<readonly object[]> {
  transaction.notify({ channel: String(channel), payload: String(payload) });
  return [{}];
}

function periodOf(row: Tables['digests'] | Tables['priority_hits']): string {
  return `${row.marketplace} ${row.frequency} ${row.year} ${row.number}`;
}
