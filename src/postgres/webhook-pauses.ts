// Pausing and resuming webhooks, for operators and for whatever takes a user's last key. A paused webhook is told nothing, and
// what waited for it is settled. A pause ends only when an operator ends it: the key that was disabled may have been in wrong
// hands, and so may the webhook be that was registered with it.
import type { Tenant } from '../domain/account.ts';
import { OperatorError } from '../domain/error.ts';
import type { NoticeEvent } from '../domain/notice.ts';
import type { ChannelPauseReason } from '../domain/notification.ts';
import type { DeliveryKind, PauseReason, WebhookEvent } from '../domain/webhook.ts';
import { recordAction } from './audit-log.ts';
import { getOrganization } from './organizations.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';
import { settlePaused } from './webhook-deliveries.ts';

/** What an operator sees of a webhook; never its secret. */
export interface WebhookRecord {
  readonly id: string;
  readonly organization: string;
  readonly organizationId: Tenant['organizationId'];
  readonly user: string;
  readonly kind: DeliveryKind;
  /** Of mail, the address of the user. */
  readonly url: string;
  readonly events: readonly (WebhookEvent | NoticeEvent)[];
  readonly createdAt: Date;
  readonly pausedReason: ChannelPauseReason | null;
  /** Messages that wait to be sent, and those of the last 30 days that were given up. */
  readonly pending: number;
  readonly failed: number;
}

const SELECT_WEBHOOK = `SELECT w.id, o.name AS organization, w.organization_id AS "organizationId", u.email AS user, w.kind,
    CASE WHEN w.kind = 'email' THEN u.email ELSE w.url END AS url, w.events, w.created_at AS "createdAt",
    channel_pause(w.needs_key, w.paused_reason, w.organization_id, w.user_id) AS "pausedReason",
    d.pending, d.failed
  FROM webhooks w JOIN organizations o ON o.id = w.organization_id JOIN users u ON u.id = w.user_id
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'failed') AS failed
    FROM webhook_deliveries WHERE webhook_id = w.id) d`;

export async function listWebhookRecords(pool: Pool, organization?: string): Promise<readonly WebhookRecord[]> {
  if (organization !== undefined) await getOrganization(pool, organization);
  const { rows } = await pool.query<WebhookRecord>(
    `${SELECT_WEBHOOK} WHERE $1::text IS NULL OR lower(o.name) = lower($1) ORDER BY lower(o.name), w.created_at, w.id`,
    [organization ?? null],
  );
  return rows;
}

/** Pauses a webhook. Pausing twice changes nothing. */
export async function disableWebhook(pool: Pool, id: string): Promise<WebhookRecord> {
  return await change(pool, { id, action: 'webhook.disable' }, async (transaction) => {
    await pause(transaction, { where: 'id = $2', values: [id], reason: 'operator' });
  });
}

/** Ends a pause, whatever its reason was. What would have been sent meanwhile is not. */
export async function enableWebhook(pool: Pool, id: string): Promise<WebhookRecord> {
  return await change(pool, { id, action: 'webhook.enable' }, async (transaction) => {
    await transaction.query('UPDATE webhooks SET paused_at = NULL, paused_reason = NULL WHERE id = $1', [id]);
    const { user, organization, pausedReason } = await getWebhook(transaction, id);
    if (pausedReason === null) return;
    throw new OperatorError(`${user} has no usable key in "${organization}", and so webhook ${id} stays paused.`, {
      hint: `Make a key first: keyrank key create --organization "${organization}" --user ${user}`,
    });
  });
}

/** Removes a webhook with its deliveries. */
export async function removeWebhook(pool: Pool, id: string): Promise<WebhookRecord> {
  return await inTransaction(pool, async (transaction) => {
    const record = await getWebhook(transaction, id);
    await transaction.query('DELETE FROM webhooks WHERE id = $1', [record.id]);
    await audit(transaction, record, 'webhook.remove');
    return record;
  });
}

/**
 * Pauses the webhooks of a member who has no usable key. To be called when a key was disabled, and before one is made: a
 * key that expired leaves no other moment at which it could be noticed for good. Returns how many are paused for that.
 */
export async function pauseWithoutKey(
  transaction: Queryable,
  { organizationId, userId }: Pick<Tenant, 'organizationId' | 'userId'>,
): Promise<number> {
  await pause(transaction, {
    where: `organization_id = $2 AND user_id = $3 AND channel_pause(needs_key, NULL, organization_id, user_id) = 'no_key'`,
    values: [organizationId, userId],
    reason: 'no_key',
  });
  const { rowCount } = await transaction.query(
    `SELECT FROM webhooks WHERE organization_id = $1 AND user_id = $2 AND paused_reason = 'no_key'`,
    [organizationId, userId],
  );
  return rowCount ?? 0;
}

async function pause(
  transaction: Queryable,
  {
    where,
    values,
    reason,
  }: { readonly where: string; readonly values: readonly string[]; readonly reason: PauseReason },
): Promise<void> {
  const { rows } = await transaction.query<{ id: string }>(
    `UPDATE webhooks SET paused_at = now(), paused_reason = $1 WHERE paused_at IS NULL AND ${where} RETURNING id`,
    [reason, ...values],
  );
  await settlePaused(transaction, { webhookIds: rows.map(({ id }) => id), reason });
}

async function change(
  pool: Pool,
  { id, action }: { readonly id: string; readonly action: string },
  work: (transaction: Queryable) => Promise<void>,
): Promise<WebhookRecord> {
  return await inTransaction(pool, async (transaction) => {
    await getWebhook(transaction, id);
    await work(transaction);
    const record = await getWebhook(transaction, id);
    await audit(transaction, record, action);
    return record;
  });
}

async function audit(transaction: Queryable, record: WebhookRecord, action: string): Promise<void> {
  const { id, organizationId, user, url } = record;
  await recordAction(transaction, { action, organizationId, details: { webhook: id, user, url } });
}

async function getWebhook(transaction: Queryable, id: string): Promise<WebhookRecord> {
  const { rows } = await transaction.query<WebhookRecord>(`${SELECT_WEBHOOK} WHERE w.id::text = lower($1)`, [id]);
  if (rows[0]) return rows[0];
  throw new OperatorError(`There is no webhook "${id}".`, { hint: 'List the webhooks with: keyrank webhook list' });
}
