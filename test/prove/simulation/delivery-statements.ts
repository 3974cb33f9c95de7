// The statements that queue, claim and settle messages to webhooks.
import type { ModelTransaction } from './model-database.ts';
import { update, type Values } from './statement.ts';
import type { DeliveryRow, Tables } from './tables.ts';

export async function insertNews(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [event, key, payload, plans] = values as [string, string, string, readonly string[]];
  const webhooks = transaction.list('webhooks').filter(({ events, organization_id }) => {
    const subscription = transaction.find('subscriptions', organization_id);
    return events.includes(event) && subscription?.status === 'active' && plans.includes(subscription.plan);
  });
  return await insertDeliveries(
    transaction,
    webhooks.map((webhook) => ({ webhook, event, key, payload })),
  );
}

export async function insertAlerts(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [organizationId, userId, event, keys, payloads] = values as [string, string, string, string[], string[]];
  const webhooks = transaction
    .list('webhooks')
    .filter((row) => row.organization_id === organizationId && row.user_id === userId && row.events.includes(event));
  return await insertDeliveries(
    transaction,
    keys.flatMap((key, i) => webhooks.map((webhook) => ({ webhook, event, key, payload: payloads[i] ?? '' }))),
  );
}

async function insertDeliveries(
  transaction: ModelTransaction,
  messages: readonly { webhook: Tables['webhooks']; event: string; key: string; payload: string }[],
): Promise<readonly object[]> {
  const inserted: object[] = [];
  for (const { webhook, event, key, payload } of messages) {
    const uniqueKey = `${webhook.id} ${key}`;
    const row: DeliveryRow = {
      id: transaction.database.nextUuid(),
      organization_id: webhook.organization_id,
      webhook_id: webhook.id,
      event,
      event_key: key,
      payload,
      status: 'pending',
      attempts: 0,
      next_attempt_at: transaction.nowMs,
      last_attempt_at: null,
      response_status: null,
      error: null,
      recipient_key: null,
    };
    if (await transaction.insert('webhook_deliveries', uniqueKey, row)) inserted.push(row);
  }
  return inserted;
}

export async function claimDeliveries(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [limit, busy, leaseMs, maxAttempts, , lost, delaysMs, jitter] = values as [
    number,
    readonly string[],
    number,
    number,
    string,
    string,
    readonly number[],
    number,
  ];
  const isDue = (row: DeliveryRow) => row.status === 'pending' && row.next_attempt_at <= transaction.nowMs;
  const due = transaction.list('webhook_deliveries').filter((row) => isDue(row) && !busy.includes(row.webhook_id));
  const claimed: object[] = [];
  for (const webhookId of new Set(due.map((row) => row.webhook_id))) {
    const webhook = transaction.find('webhooks', webhookId);
    if (!webhook || claimed.length >= limit) continue;
    const next = due
      .filter((row) => row.webhook_id === webhookId)
      .toSorted((a, b) => a.next_attempt_at - b.next_attempt_at)
      .find((row) => transaction.tryLock('webhook_deliveries', deliveryKey(row)));
    if (!next) continue;
    const nowMs = transaction.database.nowMs();
    const fault = next.attempts >= maxAttempts ? lost : null;
    const row: DeliveryRow = {
      ...next,
      ...(fault ? { status: 'failed', error: fault } : { attempts: next.attempts + 1, last_attempt_at: nowMs }),
      next_attempt_at:
        nowMs + Math.max(leaseMs, delaysMs[next.attempts] ?? 0) * (1 + jitter * transaction.database.random()),
    };
    transaction.write('webhook_deliveries', deliveryKey(row), row);
    claimed.push({
      ...{
        deliveryId: row.id,
        webhookId,
        organizationId: row.organization_id,
        userId: webhook.user_id,
        kind: 'webhook',
        url: webhook.url,
        secret: webhook.secret,
      },
      ...{ payload: row.payload, attempt: row.attempts, error: fault },
    });
  }
  return claimed;
}

export async function settleDelivery(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [id, attempt, status, responseStatus, error, delayMs] = values as [
    string,
    number,
    string,
    number | null,
    string | null,
    number,
  ];
  const found = transaction.list('webhook_deliveries').find((row) => row.id === id);
  if (!found) return [];
  return await update(transaction, 'webhook_deliveries', deliveryKey(found), (row) =>
    row.status === 'pending' && (row.attempts === attempt || status === 'delivered')
      ? {
          ...row,
          status,
          response_status: responseStatus,
          error,
          next_attempt_at: transaction.database.nowMs() + delayMs,
        }
      : row,
  );
}

function deliveryKey({ webhook_id, event_key }: DeliveryRow): string {
  return `${webhook_id} ${event_key}`;
}
