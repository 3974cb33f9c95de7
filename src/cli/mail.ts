import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { OperatorError } from '../domain/error.ts';
import { MailFault } from '../domain/mail-fault.ts';
import { isMailAddress } from '../mail/smtp-location.ts';
import { openSmtpMailer } from '../mail/smtp-mailer.ts';
import { type JsonFlag, print } from './output.ts';

export function registerMail(program: Command): void {
  const mail = program.command('mail').description('try out the mail server of SMTP_URL');

  mail
    .command('test')
    .description('send a mail that says that it is a test; what waits to be sent stands in: keyrank webhook list')
    .requiredOption('--to <address>', 'whom to send it to')
    .option('--json', 'print JSON')
    .action(async ({ to, json }: JsonFlag & { to: string }) => {
      const { mail: settings } = readConfig(process.env);
      if (!settings) {
        throw new OperatorError('SMTP_URL is not set: this installation sends no mail.', {
          hint: 'Set SMTP_URL=smtp://user:password@host:587 and KEYRANK_MAIL_FROM.',
        });
      }
      if (!isMailAddress(to)) {
        throw new OperatorError(`"${to}" is not a mail address.`, { hint: 'Write it like ada@example.com.' });
      }
      const { host, port } = settings.location;
      try {
        await openSmtpMailer(settings).send({
          to,
          subject: 'Test message from keyrank',
          text: 'This is a test. If you read it, keyrank can send mail.\n',
        });
      } catch (error) {
        if (!(error instanceof MailFault)) throw error;
        const said = error.cause instanceof Error ? ` It said: ${error.cause.message}` : '';
        throw new OperatorError(`The mail was not sent by ${host} port ${port}: ${error.message}.`, {
          hint: `Check SMTP_URL, KEYRANK_MAIL_FROM and the log of the mail server.${said}`,
          cause: error,
        });
      }
      print({ sent_to: to, host, port }, { json, lines: [`${host} took the mail to ${to}.`] });
    });
}
