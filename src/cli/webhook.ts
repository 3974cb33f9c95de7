import type { Command } from 'commander';
import type { ChannelPauseReason } from '../domain/notification.ts';
import {
  disableWebhook,
  enableWebhook,
  listWebhookRecords,
  removeWebhook,
  type WebhookRecord,
} from '../postgres/webhook-pauses.ts';
import { asOperator } from './operator.ts';
import { type Columns, type JsonFlag, print, printList, shortTime } from './output.ts';
import { registerListen } from './webhook-listen.ts';

export function registerWebhook(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('see, pause and remove webhooks and the channels of members, and try webhooks out');

  webhook
    .command('list')
    .description('list webhooks, mail and chats, whether messages are sent to them, and how many wait or were given up')
    .option('--organization <name>', 'only webhooks of this organization')
    .option('--json', 'print JSON')
    .action(async ({ organization, json }: JsonFlag & { organization?: string }) => {
      const webhooks = await asOperator(({ pool }) => listWebhookRecords(pool, organization));
      printList(webhooks, { json, columns: COLUMNS, present, none: 'There are none.' });
    });

  const commands = [
    ['disable', 'pause a webhook: nothing is sent to it, and what waits is given up', disableWebhook, 'Paused'],
    ['enable', 'send to a paused webhook again, from the next event on', enableWebhook, 'Resumed'],
    ['remove', 'remove a webhook and the log of its deliveries', removeWebhook, 'Removed'],
  ] as const;
  for (const [name, description, change, done] of commands) {
    webhook
      .command(name)
      .description(description)
      .argument('<id>', 'its id, as lists show it')
      .option('--json', 'print JSON')
      .action(async (id: string, { json }: JsonFlag) => {
        const record = await asOperator(({ pool }) => change(pool, id));
        const { url, user, organization } = record;
        print(present(record), { json, lines: [`${done} ${url} of ${user} in "${organization}".`] });
      });
  }

  registerListen(webhook);
}

const STATES: Readonly<Record<ChannelPauseReason, string>> = {
  operator: 'paused',
  no_key: 'paused: no usable key',
  owner: 'switched off',
  unsubscribed: 'unsubscribed',
};

const COLUMNS: Columns<WebhookRecord> = {
  ID: ({ id }) => id,
  ORGANIZATION: ({ organization }) => organization,
  USER: ({ user }) => user,
  KIND: ({ kind }) => kind,
  STATE: ({ pausedReason }) => (pausedReason === null ? 'active' : STATES[pausedReason]),
  WAITING: ({ pending }) => String(pending),
  FAILED: ({ failed }) => String(failed),
  CREATED: ({ createdAt }) => shortTime(createdAt, ''),
  ADDRESS: ({ url }) => url,
};

function present(record: WebhookRecord) {
  return {
    id: record.id,
    organization: record.organization,
    user: record.user,
    kind: record.kind,
    url: record.url,
    events: record.events,
    created_at: record.createdAt,
    is_active: record.pausedReason === null,
    paused_reason: record.pausedReason,
    pending_deliveries: record.pending,
    failed_deliveries: record.failed,
  };
}
