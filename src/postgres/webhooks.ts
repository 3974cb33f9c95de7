import { randomBytes } from 'node:crypto';
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { MAX_WEBHOOKS, type NewWebhook, type Webhook } from '../domain/webhook.ts';
import { changeInTenant, inTenant, type Pool } from './pool.ts';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
const COLUMNS = `id, url, events, created_at AS "createdAt", user_id = $2 AS "isOwn",
  webhook_pause(paused_reason, organization_id, user_id) AS "pausedReason"`;

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
    return { webhook, secret: `whsec_${secret.toString('base64')}` };
  });
}

/** Removes a webhook of the organization, with all that waits to be sent to it. */
export async function deleteWebhook(pool: Pool, tenant: Tenant, id: string): Promise<boolean> {
  const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
    transaction.query(`DELETE FROM webhooks WHERE organization_id = $1 AND id = $2 AND kind = 'webhook'`, [
      tenant.organizationId,
      id,
    ]),
  );
  return rowCount === 1;
}
