// Where a person wants to be told: by mail, or in a chat by the address that Slack, Teams or Discord give out for it. Channels are
// kept beside webhooks and are sent from the same queue; but they belong to one member, and no other sees them.
import type { Tenant } from './account.ts';
import type { NoticeEvent } from './notice.ts';
import type { Idempotency } from './shared-item.ts';
import type { PriorityRule } from './tracked-keyword.ts';
import { type DeliveryStatus, PAUSE_REASONS } from './webhook.ts';

export const CHANNEL_KINDS = ['email', 'slack', 'teams', 'discord'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const NOTICE_FREQUENCIES = ['at_once', 'weekly'] as const;
export type NoticeFrequency = (typeof NOTICE_FREQUENCIES)[number];

/** Of one member. */
export const MAX_CHANNELS = 10;
/** Of one channel in an hour. */
export const MAX_TESTS_PER_HOUR = 5;

/** Why nothing is sent to a channel; its owner can end the first two. */
export const CHANNEL_PAUSE_REASONS = ['owner', 'unsubscribed', ...PAUSE_REASONS] as const;
export type ChannelPauseReason = (typeof CHANNEL_PAUSE_REASONS)[number];

export interface Channel {
  readonly id: string;
  readonly kind: ChannelKind;
  /** Where it leads: the mail address, or the whole address of a chat, which is a secret. */
  readonly address: string;
  readonly events: readonly NoticeEvent[];
  readonly frequency: NoticeFrequency;
  readonly createdAt: Date;
  /** Null while messages are sent. */
  readonly pausedReason: ChannelPauseReason | null;
  /** Null before the first message. */
  readonly lastStatus: DeliveryStatus | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: Date | null;
}

export interface NewChannel {
  readonly kind: ChannelKind;
  /** Empty for mail, which goes to the address of the member. */
  readonly url: string;
  /** Whether it is added with an API key: then nothing is sent once its owner has no usable one. */
  readonly isByKey: boolean;
  readonly events: readonly NoticeEvent[];
  readonly frequency: NoticeFrequency;
}

/** Undefined leaves a field as it is. */
export interface ChannelChange {
  readonly events: readonly NoticeEvent[] | undefined;
  readonly frequency: NoticeFrequency | undefined;
  readonly isActive: boolean | undefined;
}

export interface NotificationSettings {
  /** Of the member, where mail goes. */
  readonly email: string;
  /** The rule of tracked keywords without one of their own or of a list; null without one. */
  readonly defaultRule: PriorityRule | null;
}

/** Every call sees and touches what is the member's own, and nothing else. */
export interface Notifications {
  /** Whether this server can send mail. */
  readonly offersMail: boolean;
  read(tenant: Tenant): Promise<NotificationSettings>;
  changeDefaultRule(tenant: Tenant, rule: PriorityRule | null): Promise<NotificationSettings>;
  /** Oldest first. */
  listChannels(tenant: Tenant): Promise<readonly Channel[]>;
  addChannel(
    tenant: Tenant,
    request: { readonly item: NewChannel; readonly idempotency: Idempotency },
  ): Promise<Channel>;
  changeChannel(tenant: Tenant, id: string, change: ChannelChange): Promise<Channel | undefined>;
  deleteChannel(tenant: Tenant, id: string): Promise<boolean>;
  /** Queues a message that says that it is a test. */
  testChannel(tenant: Tenant, id: string): Promise<Channel | undefined>;
}
