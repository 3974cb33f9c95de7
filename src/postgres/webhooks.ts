import { randomBytes, randomUUID } from 'node:crypto';
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { MAX_WEBHOOKS, type NewWebhook, TEST_EVENT, type Webhook } from '../domain/webhook.ts';
import { presentTest } from '../domain/webhook-payload.ts';
import { recordAct } from './audit-log.ts';
import { changeInTenant, inTenant, type Pool } from './pool.ts';
import { DELIVERIES_CHANNEL } from './webhook-deliveries.ts';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
const COLUMNS = `id, url, events, created_at AS "createdAt", user_id = $2 AS "isOwn",
  channel_pause(needs_key, paused_reason, organization_id, user_id) AS "pausedReason"`;

/** The webhooks of the tenant's organization, oldest first. */
export async function listWebhooks(pool: Pool, tenant: Tenant): Promise<readonly Webhook[]> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<Webhook>(
      `SELECT ${COLUMNS} FROM webhooks WHERE organization_id = $1 AND kind = 'webhook' ORDER BY created_at, id`,
      [tenant.organizationId, tenant.userId],
    ),
  );
  return rows;
}

/** Registers a webhook; the secret is known here and never shown again. */
export async function addWebhook(
  pool: Pool,
  tenant: Tenant,
  { url, events }: NewWebhook,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const secret = randomBytes(SECRET_BYTES);
  return await changeInTenant(pool, tenant, async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `webhooks ${tenant.organizationId}`,
    ]);
    const { rows: counted } = await transaction.query<{ count: number }>(
      `SELECT count(*) AS count FROM webhooks WHERE organization_id = $1 AND kind = 'webhook'`,
      [tenant.organizationId],
    );
    if ((counted[0]?.count ?? 0) >= MAX_WEBHOOKS) {
      throw new RequestError(
        'CONFLICT',
        `The organization has ${MAX_WEBHOOKS} webhooks, and no more are allowed.`,
        'Delete one first: DELETE /v1/webhooks/{id}.',
      );
    }
    const { rows } = await transaction.query<Webhook>(
      `INSERT INTO webhooks (organization_id, user_id, url, events, secret) VALUES ($1, $2, $3, $4, $5)
       RETURNING ${COLUMNS}`,
      [tenant.organizationId, tenant.userId, url, events, secret],
    );
    const [webhook] = rows;
    if (!webhook) throw new Error('INSERT … RETURNING gave no row');
    await recordAct(transaction, { tenant, action: 'webhook.create', details: { webhook: webhook.id, url, events } });
    return { webhook, secret: `whsec_${secret.toString('base64')}` };
  });
}

/** Removes a webhook of the organization, with all that waits to be sent to it. */
export async function deleteWebhook(pool: Pool, tenant: Tenant, id: string): Promise<boolean> {
  return await changeInTenant(pool, tenant, async (transaction) => {
    const { rows } = await transaction.query<{ url: string }>(
      `DELETE FROM webhooks WHERE organization_id = $1 AND id = $2 AND kind = 'webhook' RETURNING url`,
      [tenant.organizationId, id],
    );
    const [webhook] = rows;
    if (!webhook) return false;
    await recordAct(transaction, { tenant, action: 'webhook.delete', details: { webhook: id, url: webhook.url } });
    return true;
  });
}

/** How many messages to try out with may wait for one webhook. */
const MAX_WAITING_TESTS = 3;

export async function testWebhook(pool: Pool, tenant: Tenant, id: string): Promise<string | undefined> {
  return await changeInTenant(pool, tenant, async (transaction) => {
    const { rows: known } = await transaction.query<{ paused: string | null; waiting: number }>(
      `SELECT channel_pause(needs_key, paused_reason, organization_id, user_id) AS paused,
         (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.event = $3 AND d.status = 'pending') AS waiting
       FROM webhooks w WHERE organization_id = $1 AND id = $2 AND kind = 'webhook'`,
      [tenant.organizationId, id, TEST_EVENT],
    );
    const [webhook] = known;
    if (!webhook) return undefined;
    if (webhook.paused !== null) {
      throw new RequestError(
        'CONFLICT',
        'The webhook is paused, and nothing is sent to it.',
        'Ask the operator to resume it.',
      );
    }
    if (webhook.waiting >= MAX_WAITING_TESTS) {
      throw new RequestError(
        'CONFLICT',
        'Messages to try it out with wait already.',
        'See the deliveries for what became of them.',
      );
    }
    const { rows } = await transaction.query<{ id: string }>(
      `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
       VALUES ($1, $2, $3, $4, $5) RETURNING id`,
      [tenant.organizationId, id, TEST_EVENT, `${TEST_EVENT} ${randomUUID()}`, JSON.stringify(presentTest(new Date()))],
    );
    await transaction.query('SELECT pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
    return rows[0]?.id;
  });
}
