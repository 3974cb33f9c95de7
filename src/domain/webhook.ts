// Webhooks tell an organization's own programs what happened, as the Standard Webhooks specification describes. A message
// is sent at least once, always under the same id, until the receiver takes it or a day has passed.
import type { OrganizationId, Tenant, UserId } from './account.ts';
import type { Slice } from './page.ts';

export const WEBHOOK_EVENTS = [
  'period.published',
  'tracked_keyword.priority_hit',
  'tracked_product.changed',
  'data.late',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What is sent to try a webhook out, whatever it is registered for. */
export const TEST_EVENT = 'webhook.test';
export type SentEvent = WebhookEvent | typeof TEST_EVENT;

export const MAX_WEBHOOKS = 20;
export const MAX_WEBHOOK_URL_CHARACTERS = 2048;

/**
 * Why nothing is sent to a webhook: an operator paused it, or whoever registered it had no usable key left. It stays paused
 * until an operator resumes it, because a key that was disabled may have been in wrong hands.
 */
export const PAUSE_REASONS = ['operator', 'no_key'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: Date;
  /** Registered by the user who asks. What is tracked is told to the webhooks of its owner only. */
  readonly isOwn: boolean;
  /** Null while messages are sent. */
  readonly pausedReason: PauseReason | null;
}

export type NewWebhook = Pick<Webhook, 'url' | 'events'>;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A line of the log: what was to be told, and what became of it. */
export interface Delivery {
  readonly id: string;
  readonly event: SentEvent;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly lastAttemptAt: Date | null;
  /** Null once it is settled. */
  readonly nextAttemptAt: Date | null;
  readonly responseStatus: number | null;
  readonly error: string | null;
}

export interface Webhooks {
  /** Why messages would never be sent to an address, in words that follow its name; undefined when they may be. */
  findUrlFault(url: string): string | undefined;
  /** Those of the tenant's organization, oldest first. */
  list(tenant: Tenant): Promise<readonly Webhook[]>;
  /** The secret, `whsec_…`, can be read here and never again. */
  add(tenant: Tenant, webhook: NewWebhook): Promise<{ readonly webhook: Webhook; readonly secret: string }>;
  delete(tenant: Tenant, id: string): Promise<boolean>;
  /** Queues a message to try it out with; undefined when the organization has no such webhook. */
  test(tenant: Tenant, id: string): Promise<string | undefined>;
  /** Newest first; undefined when the organization has no such webhook. */
  listDeliveries(
    tenant: Tenant,
    query: Slice & { readonly webhookId: string },
  ): Promise<{ readonly deliveries: readonly Delivery[]; readonly totalCount: number } | undefined>;
}

/** An attempt that this process has taken on. */
export interface DeliveryAttempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly organizationId: OrganizationId;
  /** Whose it is. */
  readonly userId: UserId;
  readonly kind: DeliveryKind;
  /** Where to; of mail, the address of the user. */
  readonly url: string;
  readonly secret: Uint8Array;
  /** Sent as it is, byte for byte, on every attempt. */
  readonly payload: string;
  /** 1 for the first. */
  readonly attempt: number;
}

export type AttemptOutcome =
  | { readonly kind: 'accepted'; readonly responseStatus: number }
  | { readonly kind: 'refused'; readonly responseStatus: number; readonly error: string; readonly isFinal?: boolean }
  | { readonly kind: 'unreachable'; readonly error: string; readonly isFinal?: boolean };

/** How messages are sent. All wait in one queue. */
export const DELIVERY_KINDS = ['webhook', 'email', 'slack', 'teams', 'discord'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** Sends one message, once. Tells of every failure that it knows by the outcome. */
export interface MessageSender {
  send(attempt: DeliveryAttempt, now: Date): Promise<AttemptOutcome>;
}

export interface DeliveryQueue {
  /**
   * Takes on up to `limit` due deliveries, at most one per webhook and none of the busy ones. The attempt is counted here,
   * before the work: one that is not settled, because its process died, is due again later as if it had failed. What has
   * used up its attempts that way, or belongs to a paused webhook, is set aside as failed and never claimed again.
   */
  claim(options: {
    readonly limit: number;
    readonly busyWebhookIds: readonly string[];
    /** All by default. */
    readonly kinds?: readonly DeliveryKind[];
  }): Promise<readonly DeliveryAttempt[]>;
  /** Writes what became of an attempt; `retryAfterMs` undefined means there will be no other. */
  settle(
    attempt: DeliveryAttempt,
    result: { readonly outcome: AttemptOutcome; readonly retryAfterMs: number | undefined },
  ): Promise<void>;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses between attempts: nine attempts over almost 24 hours, also with the jitter. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  7.5 * HOUR_MS,
  7.5 * HOUR_MS,
];
/** However they end: a delivery that ends its server each time is claimed no more often than this. */
export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1;
/** Receivers that failed together must not be asked again together. */
export const RETRY_JITTER = 0.05;

const GONE = 410;

/** When to try again after an attempt; undefined when the matter is settled. `random` is from 0 to below 1. */
export function planRetry(
  { attempt }: Pick<DeliveryAttempt, 'attempt'>,
  { outcome, random }: { readonly outcome: AttemptOutcome; readonly random: number },
): number | undefined {
  if (outcome.kind === 'accepted') return undefined;
  if (outcome.isFinal) return undefined;
  // The receiver says that there is nobody here any more.
  if (outcome.kind === 'refused' && outcome.responseStatus === GONE) return undefined;
  const delayMs = RETRY_DELAYS_MS[attempt - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + RETRY_JITTER * (2 * random - 1)));
}

/** What is signed: the id, the time of the attempt and the payload. */
export function signedContent(message: {
  readonly id: string;
  readonly timestamp: string;
  readonly payload: string;
}): string {
  return `${message.id}.${message.timestamp}.${message.payload}`;
}
