// The channels of a member and what else they chose about being told. Channels are rows of webhooks with another kind.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import {
  type Channel,
  type ChannelChange,
  MAX_CHANNELS,
  MAX_TESTS_PER_HOUR,
  type NewChannel,
  type NotificationSettings,
  type Notifications,
} from '../domain/notification.ts';
import type { Idempotency } from '../domain/shared-item.ts';
import type { PriorityRule } from '../domain/tracked-keyword.ts';
import { claimIdempotencyKey, keepOutcome } from './idempotency-keys.ts';
import { queueTest } from './notices.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';

const COLUMNS = `w.id, w.kind, CASE WHEN w.kind = 'email' THEN u.email ELSE w.url END AS address, w.events, w.frequency,
  w.created_at AS "createdAt", channel_pause(w.needs_key, w.paused_reason, w.organization_id, w.user_id) AS "pausedReason",
  d.status AS "lastStatus", d.error AS "lastError", d.last_attempt_at AS "lastAttemptAt"`;
const FROM = `webhooks w JOIN users u ON u.id = w.user_id LEFT JOIN LATERAL (
    SELECT status, error, last_attempt_at FROM webhook_deliveries WHERE webhook_id = w.id ORDER BY created_at DESC, id LIMIT 1) d
    ON true`;
const OWN = `w.organization_id = $1 AND w.user_id = $2 AND w.kind <> 'webhook'`;
/** Messages are not signed, but every webhook has a secret. */
const SECRET_BYTES = 32;

export function openNotifications(pool: Pool, { offersMail }: { readonly offersMail: boolean }): Notifications {
  return {
    offersMail,
    read: (tenant) => inTenant(pool, tenant, (transaction) => readSettings(transaction, tenant)),
    changeDefaultRule: (tenant, rule) =>
      changeInTenant(pool, tenant, async (transaction) => {
        await transaction.query(
          `INSERT INTO notification_settings AS s (organization_id, user_id, default_rule) VALUES ($1, $2, $3)
           ON CONFLICT ON CONSTRAINT notification_settings_pkey DO UPDATE SET default_rule = excluded.default_rule, updated_at = now()`,
          [tenant.organizationId, tenant.userId, rule && JSON.stringify(rule)],
        );
        return await readSettings(transaction, tenant);
      }),
    listChannels: (tenant) => inTenant(pool, tenant, (transaction) => selectChannels(transaction, tenant)),
    addChannel: (tenant, request) =>
      changeInTenant(pool, tenant, (transaction) => addChannel(transaction, tenant, request)),
    changeChannel: (tenant, id, change) =>
      changeInTenant(pool, tenant, (transaction) => changeChannel(transaction, tenant, { ...change, id })),
    deleteChannel: async (tenant, id) => {
      const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
        transaction.query(`DELETE FROM webhooks w WHERE ${OWN} AND w.id = $3`, [
          tenant.organizationId,
          tenant.userId,
          id,
        ]),
      );
      return rowCount === 1;
    },
    testChannel: (tenant, id) => changeInTenant(pool, tenant, (transaction) => testChannel(transaction, tenant, id)),
  };
}

async function readSettings(transaction: Queryable, { organizationId, userId }: Tenant): Promise<NotificationSettings> {
  const { rows } = await transaction.query<NotificationSettings>(
    `SELECT u.email, s.default_rule AS "defaultRule" FROM users u
     LEFT JOIN notification_settings s ON s.organization_id = $1 AND s.user_id = u.id WHERE u.id = $2`,
    [organizationId, userId],
  );
  const [settings] = rows;
  if (!settings) throw new Error('a member who asks is not there');
  return settings;
}

/** For whoever evaluates what a member tracks. */
export async function findDefaultRule(
  transaction: Queryable,
  { organizationId, userId }: Tenant,
): Promise<PriorityRule | undefined> {
  const { rows } = await transaction.query<{ rule: PriorityRule | null }>(
    'SELECT default_rule AS rule FROM notification_settings WHERE organization_id = $1 AND user_id = $2',
    [organizationId, userId],
  );
  return rows[0]?.rule ?? undefined;
}

async function selectChannels(transaction: Queryable, tenant: Tenant, id?: string): Promise<readonly Channel[]> {
  const { rows } = await transaction.query<Channel>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE ${OWN} AND ($3::uuid IS NULL OR w.id = $3) ORDER BY w.created_at, w.id`,
    [tenant.organizationId, tenant.userId, id],
  );
  return rows;
}

async function addChannel(
  transaction: Queryable,
  tenant: Tenant,
  { item, idempotency }: { readonly item: NewChannel; readonly idempotency: Idempotency },
): Promise<Channel> {
  const earlier = idempotency && (await claimIdempotencyKey(transaction, tenant, idempotency));
  const [earlierId] = earlier?.itemIds ?? [];
  if (earlierId !== undefined) {
    const [known] = await selectChannels(transaction, tenant, earlierId);
    if (known) return known;
    throw new RequestError(
      'CONFLICT',
      'The channel of this Idempotency-Key was deleted.',
      'Use a new key to add it again.',
    );
  }
  const { kind, url, events, frequency, isByKey } = item;
  const channels = await selectChannels(transaction, tenant);
  const same = channels.find((each) => each.kind === kind && (kind === 'email' || each.address === url));
  if (same) {
    throw new RequestError(
      'CONFLICT',
      'There is a channel to this address already.',
      `Change it: PATCH /v1/notification-channels/${same.id}.`,
    );
  }
  if (channels.length >= MAX_CHANNELS) {
    throw new RequestError(
      'CONFLICT',
      `You have ${MAX_CHANNELS} channels, and no more are allowed.`,
      'Delete one first.',
    );
  }
  const { rows } = await transaction.query<{ id: string }>(
    `INSERT INTO webhooks (organization_id, user_id, url, events, secret, kind, frequency, needs_key)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [
      ...[tenant.organizationId, tenant.userId, url, events, randomBytes(SECRET_BYTES), kind, frequency],
      // Mail goes to the member's own address, whoever asked for it.
      kind !== 'email' && isByKey,
    ],
  );
  const id = rows[0]?.id ?? '';
  if (idempotency) {
    await keepOutcome(transaction, tenant, { key: idempotency.key, itemIds: [id], areNew: [true] });
  }
  const [added] = await selectChannels(transaction, tenant, id);
  if (!added) throw new Error('a channel just added is not there');
  return added;
}

/** A pause that an operator made, or that followed from a key, stays. What waits for a paused channel is given up when it is due. */
async function changeChannel(
  transaction: Queryable,
  tenant: Tenant,
  { id, events, frequency, isActive }: ChannelChange & { readonly id: string },
): Promise<Channel | undefined> {
  const own = [tenant.organizationId, tenant.userId, id];
  await transaction.query(
    `UPDATE webhooks w SET events = coalesce($4, events), frequency = coalesce($5, frequency),
       paused_at = CASE WHEN $6::boolean IS NULL OR paused_reason IN ('operator', 'no_key') THEN paused_at
         WHEN NOT $6 THEN coalesce(paused_at, now()) END,
       paused_reason = CASE WHEN $6::boolean IS NULL OR paused_reason IN ('operator', 'no_key') THEN paused_reason
         WHEN NOT $6 THEN coalesce(paused_reason, 'owner') END
     WHERE ${OWN} AND w.id = $3`,
    [...own, events, frequency, isActive],
  );
  return (await selectChannels(transaction, tenant, id))[0];
}

async function testChannel(transaction: Queryable, tenant: Tenant, id: string): Promise<Channel | undefined> {
  const [channel] = await selectChannels(transaction, tenant, id);
  if (!channel) return undefined;
  if (channel.pausedReason !== null) {
    throw new RequestError('CONFLICT', 'Nothing is sent to this channel: it is paused.', 'Switch it on first.');
  }
  const { rows } = await transaction.query<{ count: number }>(
    `SELECT count(*) AS count FROM webhook_deliveries
     WHERE webhook_id = $1 AND event = 'test' AND created_at > now() - interval '1 hour'`,
    [id],
  );
  if ((rows[0]?.count ?? 0) >= MAX_TESTS_PER_HOUR) {
    throw new RequestError(
      'RATE_LIMIT_EXCEEDED',
      `This channel had ${MAX_TESTS_PER_HOUR} test messages in the last hour.`,
      'Wait for the next one; the error of the last message says what went wrong.',
      { retryAfterSeconds: 3600 },
    );
  }
  await queueTest(transaction, {
    organizationId: tenant.organizationId,
    channelId: id,
    key: `test ${randomUUID()}`,
  });
  return (await selectChannels(transaction, tenant, id))[0];
}
