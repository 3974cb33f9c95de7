// Sends what stands in the queue in the way that its kind asks for. Messages to channels are made here, from the notice that was kept.

import { MailFault } from '../domain/mail-fault.ts';
import type { Mailer } from '../domain/mailer.ts';
import type { Notice } from '../domain/notice.ts';
import type { AttemptOutcome, DeliveryAttempt, MessageSender } from '../domain/webhook.ts';
import { renderChat } from './notice-chat.ts';
import { renderMail } from './notice-mail.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface MessageSenderOptions {
  readonly webhooks: Pick<WebhookSender, 'send' | 'post'>;
  /** Null where the operator has set up none. */
  readonly mailer: Mailer | null;
  /** Where people reach the page, without a slash at its end. */
  readonly pageUrl: string;
  /** What stands in links that end mail. */
  readonly unsubscribeToken: (userId: string) => string;
}

/** What a mail server answered when it took a message, as far as the log of deliveries is concerned. */
const MAIL_TAKEN = 250;

export function openMessageSender(options: MessageSenderOptions): MessageSender {
  const { webhooks, pageUrl } = options;
  return {
    send: async (attempt, now) => {
      const { kind, payload, url } = attempt;
      if (kind === 'webhook') return await webhooks.send(attempt, now);
      const notice = JSON.parse(payload) as Notice;
      if (kind === 'email') return await sendMail(notice, attempt, options);
      return await webhooks.post(url, { body: renderChat(kind, notice, { pageUrl }) });
    },
  };
}

async function sendMail(
  notice: Notice,
  { deliveryId, userId, url: to }: DeliveryAttempt,
  { mailer, pageUrl, unsubscribeToken }: MessageSenderOptions,
): Promise<AttemptOutcome> {
  if (!mailer) return { kind: 'unreachable', error: 'this server is not set up to send mail' };
  const unsubscribeUrl = `${pageUrl}/unsubscribe?token=${unsubscribeToken(userId)}`;
  const messageId = `<${deliveryId}@${new URL(pageUrl).hostname.replace(/^\[|\]$/g, '').replaceAll(':', '.')}>`;
  try {
    await mailer.send(renderMail(notice, { pageUrl, unsubscribeUrl }, { to, messageId }));
    return { kind: 'accepted', responseStatus: MAIL_TAKEN };
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    const { status, isFinal, message } = error;
    return status === null
      ? { kind: 'unreachable', error: message, isFinal }
      : { kind: 'refused', responseStatus: status, error: message, isFinal };
  }
}
