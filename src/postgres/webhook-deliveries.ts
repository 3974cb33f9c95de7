// The queue of messages to webhooks. A claim pushes a message's next attempt behind a lease: if the process that claimed it
// dies, the message is simply due again.
import type { Tenant } from '../domain/account.ts';
import type { PriorityHit } from '../domain/digest.ts';
import type { Slice } from '../domain/page.ts';
import type { Plan } from '../domain/plan.ts';
import type { PublishedNews, WatchingMember } from '../domain/publication.ts';
import type { AttemptOutcome, Delivery, DeliveryAttempt, DeliveryQueue, WebhookEvent } from '../domain/webhook.ts';
import { presentAlert, presentNews } from '../domain/webhook-payload.ts';
import { inTenant, type Pool, type Queryable } from './pool.ts';

/** Servers listen here for messages to send. */
export const DELIVERIES_CHANNEL = 'keyrank_deliveries';

/** Longer than an attempt may take. */
const LEASE_SECONDS = 30;
/** How long settled deliveries stay in the log. */
const KEPT_DAYS = 30;

/** Queues `period.published` for every webhook that wants it, of organizations with one of these plans. */
export async function queueNews(
  transaction: Queryable,
  { news, plans }: { readonly news: PublishedNews; readonly plans: readonly Plan[] },
): Promise<void> {
  const event: WebhookEvent = 'period.published';
  const queued = await transaction.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT w.organization_id, w.id, $1, $2, $3 FROM webhooks w JOIN subscriptions s USING (organization_id)
     WHERE $1 = ANY (w.events) AND s.plan = ANY ($4) AND s.status = 'active'
       AND (s.period_end IS NULL OR s.period_end > now())
     ON CONFLICT (webhook_id, event_key) DO NOTHING`,
    [event, eventKey(event, news), JSON.stringify(presentNews(news)), plans],
  );
  await announce(transaction, queued.rowCount);
}

/** Queues `tracked_keyword.priority_hit` for the webhooks that the keywords' owner registered. */
export async function queueAlerts(
  transaction: Queryable,
  {
    member,
    news,
    hits,
  }: { readonly member: WatchingMember; readonly news: PublishedNews; readonly hits: readonly PriorityHit[] },
): Promise<void> {
  const event: WebhookEvent = 'tracked_keyword.priority_hit';
  const queued = await transaction.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT w.organization_id, w.id, $3, h.key, h.payload FROM webhooks w,
       unnest($4::text[], $5::text[]) WITH ORDINALITY AS h (key, payload, position)
     WHERE w.organization_id = $1 AND w.user_id = $2 AND $3 = ANY (w.events) ORDER BY h.position
     ON CONFLICT (webhook_id, event_key) DO NOTHING`,
    [
      member.organizationId,
      member.userId,
      event,
      hits.map(({ keyword }) => eventKey(`${event} ${keyword.id}`, { ...news, revision: 0 })),
      hits.map((hit) => JSON.stringify(presentAlert(hit, news))),
    ],
  );
  await announce(transaction, queued.rowCount);
}

/** Newest first; undefined when the organization has no such webhook. */
export async function listDeliveries(
  pool: Pool,
  { tenant, query }: { readonly tenant: Tenant; readonly query: Slice & { readonly webhookId: string } },
): Promise<{ readonly deliveries: readonly Delivery[]; readonly totalCount: number } | undefined> {
  const values = [tenant.organizationId, query.webhookId];
  return await inTenant(pool, tenant, async (transaction) => {
    const webhook = await transaction.query('SELECT FROM webhooks WHERE organization_id = $1 AND id = $2', values);
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

export function openDeliveryQueue(pool: Pool): DeliveryQueue {
  return {
    claim: (options) => claim(pool, options),
    settle: (attempt, result) => settle(pool, attempt, result),
  };
}

async function claim(
  pool: Pool,
  { limit, busyWebhookIds }: Parameters<DeliveryQueue['claim']>[0],
): Promise<readonly DeliveryAttempt[]> {
  const { rows } = await pool.query<DeliveryAttempt>(
    `WITH due AS MATERIALIZED (
       SELECT next.id FROM (
         SELECT DISTINCT webhook_id FROM webhook_deliveries
         WHERE status = 'pending' AND next_attempt_at <= now() AND webhook_id <> ALL ($2::uuid[])) waiting
       CROSS JOIN LATERAL (
         SELECT id FROM webhook_deliveries
         WHERE webhook_id = waiting.webhook_id AND status = 'pending' AND next_attempt_at <= now()
         ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED) next
       LIMIT $1)
     UPDATE webhook_deliveries d SET attempts = d.attempts + 1, last_attempt_at = clock_timestamp(),
       next_attempt_at = clock_timestamp() + make_interval(secs => $3)
     FROM due, webhooks w WHERE d.id = due.id AND w.id = d.webhook_id
     RETURNING d.id AS "deliveryId", d.webhook_id AS "webhookId", d.organization_id AS "organizationId", w.url, w.secret,
       d.payload, d.attempts AS attempt`,
    [limit, busyWebhookIds, LEASE_SECONDS],
  );
  return rows;
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

async function announce(transaction: Queryable, queuedCount: number | null): Promise<void> {
  if (queuedCount) await transaction.query('SELECT pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
}

/** What happened, in one line, to keep one event from being queued twice. */
function eventKey(event: string, { marketplace, source, period, revision }: PublishedNews): string {
  return `${event} ${marketplace} ${source} ${period.frequency} ${period.year}-${period.number} revision ${revision}`;
}
