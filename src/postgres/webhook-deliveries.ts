// The queue of messages to webhooks. A claim counts an attempt and plans the next one as if this one failed: if the process
// that claimed it dies, the message is simply due again, and set aside after its last attempt.
import type { Tenant } from '../domain/account.ts';
import type { LatePeriod } from '../domain/download-schedule.ts';
import type { ChannelPauseReason } from '../domain/notification.ts';
import type { Slice } from '../domain/page.ts';
import type { PublishedNews, WatchingMember } from '../domain/publication.ts';
import {
  type AttemptOutcome,
  DELIVERY_KINDS,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryQueue,
  MAX_ATTEMPTS,
  type PauseReason,
  RETRY_DELAYS_MS,
  type WebhookEvent,
} from '../domain/webhook.ts';
import { presentLate, presentNews } from '../domain/webhook-payload.ts';
import { inTenant, type Pool, type Queryable } from './pool.ts';

/** Servers listen here for messages to send. */
export const DELIVERIES_CHANNEL = 'keyrank_deliveries';

/** Longer than an attempt may take. */
const LEASE_MS = 30_000;
/**
 * Share by which the next claim of a lost delivery is put off at random. What was claimed together is lost together: without it
 * one that ends its server would take the same others with it at every attempt.
 */
const LOST_JITTER = 0.2;
/** A delivery that was given up without an outcome. */
export interface SetAsideDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly organizationId: string;
  /** As in the log of deliveries. */
  readonly error: string;
}

/** In words for the log of deliveries. */
const LOST = 'given up: the server stopped during its last attempts';
const PAUSED: Readonly<Record<ChannelPauseReason, string>> = {
  operator: 'not sent: the operator paused the webhook',
  no_key: 'not sent: the webhook is paused, because the user who registered it has no usable key',
  owner: 'not sent: the channel was switched off',
  unsubscribed: 'not sent: mail was unsubscribed from',
};

/** How long settled deliveries stay in the log. */
const KEPT_DAYS = 30;

const PAUSE_OF_W = 'channel_pause(w.needs_key, w.paused_reason, w.organization_id, w.user_id)';
/** Channels of members are told by notices. */
const IS_ACTIVE = `w.kind = 'webhook' AND ${PAUSE_OF_W} IS NULL`;

/** Queues `period.published` for every webhook that wants it, of organizations with one of these plans, by name. */
export async function queueNews(
  transaction: Queryable,
  { news, plans }: { readonly news: PublishedNews; readonly plans: readonly string[] },
): Promise<void> {
  const event: WebhookEvent = 'period.published';
  const queued = await transaction.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT w.organization_id, w.id, $1, $2, $3 FROM webhooks w JOIN subscriptions s USING (organization_id)
     WHERE $1 = ANY (w.events) AND ${IS_ACTIVE} AND s.plan = ANY ($4) AND s.status = 'active'
       AND (s.period_end IS NULL OR s.period_end > now())
     ON CONFLICT (webhook_id, event_key) DO NOTHING`,
    [event, eventKey(event, news), JSON.stringify(presentNews(news)), plans],
  );
  await announce(transaction, queued.rowCount);
}

/** Queues `data.late` for every webhook that wants it, of organizations with an active subscription. */
export async function queueLate(transaction: Queryable, late: LatePeriod, noticedAt: Date): Promise<void> {
  const event: WebhookEvent = 'data.late';
  const { frequency, year, number } = late.period;
  const queued = await transaction.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT w.organization_id, w.id, $1, $2, $3 FROM webhooks w JOIN subscriptions s USING (organization_id)
     WHERE $1 = ANY (w.events) AND ${IS_ACTIVE} AND s.status = 'active' AND (s.period_end IS NULL OR s.period_end > now())
     ON CONFLICT (webhook_id, event_key) DO NOTHING`,
    [
      event,
      `${event} ${late.marketplace} ${frequency} ${year}-${number}`,
      JSON.stringify(presentLate(late, noticedAt)),
    ],
  );
  await announce(transaction, queued.rowCount);
}

/** Who is told of what. */
export interface Address {
  readonly member: WatchingMember;
  readonly news: PublishedNews;
}

/** Queues what is told of tracked items for the webhooks that their owner registered; once for each item and period. */
export async function queueMessages(
  transaction: Queryable,
  {
    member,
    news,
    event,
    messages,
  }: Address & {
    readonly event: WebhookEvent;
    readonly messages: readonly { readonly itemId: string; readonly payload: object }[];
  },
): Promise<void> {
  const queued = await transaction.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT w.organization_id, w.id, $3, h.key, h.payload FROM webhooks w,
       unnest($4::text[], $5::text[]) WITH ORDINALITY AS h (key, payload, position)
     WHERE w.organization_id = $1 AND w.user_id = $2 AND $3 = ANY (w.events) AND ${IS_ACTIVE} ORDER BY h.position
     ON CONFLICT (webhook_id, event_key) DO NOTHING`,
    [
      member.organizationId,
      member.userId,
      event,
      messages.map(({ itemId }) => eventKey(`${event} ${itemId}`, { ...news, revision: 0 })),
      messages.map(({ payload }) => JSON.stringify(payload)),
    ],
  );
  await announce(transaction, queued.rowCount);
}

/** Newest first; undefined when the organization has no such webhook. */
export async function listDeliveries(
  pool: Pool,
  tenant: Tenant,
  query: Slice & { readonly webhookId: string },
): Promise<{ readonly deliveries: readonly Delivery[]; readonly totalCount: number } | undefined> {
  const values = [tenant.organizationId, query.webhookId];
  return await inTenant(pool, tenant, async (transaction) => {
    const webhook = await transaction.query(
      `SELECT FROM webhooks WHERE organization_id = $1 AND id = $2 AND kind = 'webhook'`,
      values,
    );
    if (webhook.rowCount !== 1) return undefined;
    const page = await transaction.query<Delivery>(
      `SELECT id, event, status, attempts, created_at AS "createdAt", last_attempt_at AS "lastAttemptAt",
         CASE WHEN status = 'pending' THEN next_attempt_at END AS "nextAttemptAt",
         response_status AS "responseStatus", error
       FROM webhook_deliveries WHERE organization_id = $1 AND webhook_id = $2
       ORDER BY created_at DESC, id LIMIT $3 OFFSET $4`,
      [...values, query.limit, query.offset],
    );
    const total = await transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM webhook_deliveries WHERE organization_id = $1 AND webhook_id = $2',
      values,
    );
    return { deliveries: page.rows, totalCount: total.rows[0]?.count ?? 0 };
  });
}

export function openDeliveryQueue(pool: Pool, onSetAside: (delivery: SetAsideDelivery) => void): DeliveryQueue {
  return {
    claim: async (options) => {
      for (;;) {
        const rows = await claim(pool, options);
        const attempts = rows.filter(({ error }) => error === null);
        const setAside = rows.filter((row): row is ClaimedRow & SetAsideDelivery => row.error !== null);
        for (const { deliveryId, webhookId, organizationId, error } of setAside) {
          if (error !== PAUSED.owner) onSetAside({ deliveryId, webhookId, organizationId, error });
        }
        // Behind what was set aside others of the same webhooks may be due.
        if (attempts.length > 0 || setAside.length === 0) return attempts;
      }
    },
    settle: (attempt, result) => settle(pool, attempt, result),
  };
}

interface ClaimedRow extends DeliveryAttempt {
  /** Why it was set aside instead; null when it is to be sent. */
  readonly error: string | null;
}

/** The next due delivery of each webhook: with the attempt counted, or set aside. */
async function claim(
  pool: Pool,
  { limit, busyWebhookIds, kinds = DELIVERY_KINDS }: Parameters<DeliveryQueue['claim']>[0],
): Promise<readonly ClaimedRow[]> {
  const { rows } = await pool.query<ClaimedRow>(
    `WITH due AS MATERIALIZED (
       SELECT next.id, CASE WHEN w.pause IS NOT NULL THEN $5::jsonb ->> w.pause WHEN next.attempts >= $4 THEN $6 END AS fault
       FROM (
         SELECT DISTINCT webhook_id FROM webhook_deliveries
         WHERE status = 'pending' AND next_attempt_at <= now() AND webhook_id <> ALL ($2::uuid[])) waiting
       CROSS JOIN LATERAL (
         SELECT ${PAUSE_OF_W} AS pause FROM webhooks w WHERE w.id = waiting.webhook_id AND w.kind = ANY ($9)) w
       CROSS JOIN LATERAL (
         SELECT id, attempts FROM webhook_deliveries
         WHERE webhook_id = waiting.webhook_id AND status = 'pending' AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED) next
       LIMIT $1)
     UPDATE webhook_deliveries d SET
       status = CASE WHEN due.fault IS NULL THEN 'pending' ELSE 'failed' END,
       error = coalesce(due.fault, d.error),
       attempts = CASE WHEN due.fault IS NULL THEN d.attempts + 1 ELSE d.attempts END,
       last_attempt_at = CASE WHEN due.fault IS NULL THEN clock_timestamp() ELSE d.last_attempt_at END,
       next_attempt_at = clock_timestamp()
         + greatest($3, ($7::bigint[])[d.attempts + 1]) * (1 + $8 * random()) * interval '1 millisecond'
     FROM due, webhooks w WHERE d.id = due.id AND w.id = d.webhook_id
     RETURNING d.id AS "deliveryId", d.webhook_id AS "webhookId", d.organization_id AS "organizationId", w.secret,
       w.kind, w.user_id AS "userId",
       CASE WHEN w.kind = 'email' THEN (SELECT email FROM users u WHERE u.id = w.user_id) ELSE w.url END AS url, d.payload, d.attempts AS attempt, due.fault AS error`,
    [limit, busyWebhookIds, LEASE_MS, MAX_ATTEMPTS, JSON.stringify(PAUSED), LOST, RETRY_DELAYS_MS, LOST_JITTER, kinds],
  );
  return rows;
}

/** Settles what waits for paused webhooks. */
export async function settlePaused(
  transaction: Queryable,
  { webhookIds, reason }: { readonly webhookIds: readonly string[]; readonly reason: PauseReason },
): Promise<void> {
  await transaction.query(
    `UPDATE webhook_deliveries SET status = 'failed', error = $2 WHERE webhook_id = ANY ($1::uuid[]) AND status = 'pending'`,
    [webhookIds, PAUSED[reason]],
  );
}

async function settle(
  pool: Pool,
  { deliveryId, attempt }: DeliveryAttempt,
  { outcome, retryAfterMs }: { readonly outcome: AttemptOutcome; readonly retryAfterMs: number | undefined },
): Promise<void> {
  const status = outcome.kind === 'accepted' ? 'delivered' : retryAfterMs === undefined ? 'failed' : 'pending';
  // Whoever comes late, after another server has taken over, may only report a success.
  await pool.query(
    `UPDATE webhook_deliveries SET status = $3, response_status = $4, error = $5,
       next_attempt_at = clock_timestamp() + $6 * interval '1 millisecond'
     WHERE id = $1 AND status = 'pending' AND (attempts = $2 OR $3 = 'delivered')`,
    [
      deliveryId,
      attempt,
      status,
      outcome.kind === 'unreachable' ? null : outcome.responseStatus,
      outcome.kind === 'accepted' ? null : outcome.error,
      retryAfterMs ?? 0,
    ],
  );
}

/** Removes settled deliveries that have been in the log long enough. */
export async function sweepDeliveries(operator: Queryable): Promise<void> {
  await operator.query(
    `DELETE FROM webhook_deliveries WHERE status <> 'pending' AND created_at < now() - make_interval(days => $1)`,
    [KEPT_DAYS],
  );
}

export async function announce(transaction: Queryable, queuedCount: number | null): Promise<void> {
  if (queuedCount) await transaction.query('SELECT pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
}

/** What happened, in one line, to keep one event from being queued twice. */
export function eventKey(event: string, { marketplace, source, period, revision }: PublishedNews): string {
  return `${event} ${marketplace} ${source} ${period.frequency} ${period.year}-${period.number} revision ${revision}`;
}
