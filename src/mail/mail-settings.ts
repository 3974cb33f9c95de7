import { OperatorError } from '../domain/error.ts';
import { parseSender, parseSmtpLocation, type SmtpLocation } from './smtp-location.ts';

export interface MailSettings {
  readonly location: SmtpLocation;
  readonly sender: NonNullable<ReturnType<typeof parseSender>>;
}

/** Null without a server. */
export function readMail({
  server,
  sender: from,
}: {
  readonly server: string;
  readonly sender: string;
}): MailSettings | null {
  if (server === '') return null;
  const location = parseSmtpLocation(server);
  if (!location) {
    // The value is not repeated: it may hold a password.
    throw new OperatorError('SMTP_URL is not the address of a mail server.', {
      hint: 'Write it like smtp://user:password@host:587, with special characters percent-encoded, or leave it empty.',
    });
  }
  const sender = parseSender(from);
  if (sender) return { location, sender };
  throw new OperatorError(`KEYRANK_MAIL_FROM=${from} is not valid.`, {
    hint: 'Write it like keyrank <ranks@example.com>: SMTP_URL needs a sender.',
  });
}
