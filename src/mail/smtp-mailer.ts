// Hands one mail to the operator's mail server. A connection for each: they are few, and one that is never reused cannot be found dead.
//
// What was handed over completely and not confirmed may be on its way. Sending it again could tell a person twice, so that counts as
// the end of it, unlike every other failure.
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { MailFault } from '../domain/mail-fault.ts';
import type { Mail, Mailer } from '../domain/mailer.ts';
import { isMailAddress, type parseSender, type SmtpLocation } from './smtp-location.ts';

export interface SmtpMailerOptions {
  readonly location: SmtpLocation;
  readonly sender: NonNullable<ReturnType<typeof parseSender>>;
  /** From the first look-up to the end; shorter than the lease of a delivery. */
  readonly timeoutMs?: number;
  /** Told of each failure, with the words of the server in its cause. */
  readonly onFault?: (fault: MailFault) => void;
  /** What the mail server must prove; for tests. */
  readonly tls?: { readonly ca?: string };
}

const TIMEOUT_MS = 20_000;
/** A mail server has little to say. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export function openSmtpMailer(options: SmtpMailerOptions): Mailer {
  return { send: (mail) => send(mail, options) };
}

async function send(mail: Mail, options: SmtpMailerOptions): Promise<void> {
  if (!isMailAddress(mail.to))
    throw new MailFault('the address is not one that mail can be sent to', { isFinal: true });
  const message = await compose(mail, options);
  const { location, timeoutMs = TIMEOUT_MS } = options;
  const connection = new SMTPConnection({
    host: location.host,
    port: location.port,
    secure: location.isSecure,
    requireTLS: location.needsTls,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
    logger: false,
    tls: { minVersion: 'TLSv1.2', ...options.tls },
  });
  const progress = { isHandedOver: false };
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      // However slowly it drips: each answer in time is not enough.
      timer = setTimeout(() => reject(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), timeoutMs);
      connection.on('error', reject);
      converse(connection, { mail, message, options, progress }).then(resolve, reject);
    });
  } catch (error) {
    const fault = describeFault(error, progress);
    options.onFault?.(fault);
    throw fault;
  } finally {
    clearTimeout(timer);
    // What comes after the end concerns nobody.
    connection.on('error', () => {});
    const socket = connection._socket;
    connection.close();
    if (socket) socket.destroy();
  }
}

interface Conversation {
  readonly mail: Mail;
  readonly message: Buffer;
  readonly options: SmtpMailerOptions;
  readonly progress: { isHandedOver: boolean };
}

async function converse(
  connection: SMTPConnection,
  { mail, message, options: { location, sender }, progress }: Conversation,
): Promise<void> {
  await asked((done) => connection.connect(done));
  const { login } = location;
  if (login) await asked((done) => connection.login({ user: login.user, pass: login.password }, done));
  // Read once the server has asked for it, and to its end when all is on its way.
  const chunks = [message];
  const stream = new Readable({
    read() {
      const chunk = chunks.shift() ?? null;
      progress.isHandedOver = chunk === null;
      this.push(chunk);
    },
  });
  await asked((done) => connection.send({ from: sender.address, to: [mail.to] }, stream, done));
}

function asked(ask: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    ask((error) => (error ? reject(error) : resolve()));
  });
}

function compose(mail: Mail, { sender }: SmtpMailerOptions): Promise<Buffer> {
  const composer = new MailComposer({
    from: { name: sender.name, address: sender.address },
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    headers: { ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build() as Promise<Buffer>;
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly responseCode?: number;
}

/** What the server said stays in `cause`, for the operator: it may name the operator's machines. */
function describeFault(cause: unknown, { isHandedOver }: { readonly isHandedOver: boolean }): MailFault {
  const { code = '', responseCode = null } = cause as SmtpError;
  const isRefused = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isRefused && responseCode !== null) {
    const isFinal = responseCode >= 500;
    const fault = `the mail server refused the mail (${responseCode})`;
    return new MailFault(fault, { status: responseCode, isFinal, cause });
  }
  if (isRefused) return new MailFault('the mail cannot be sent to this address', { isFinal: true, cause });
  if (isHandedOver) {
    return new MailFault('the mail server took the mail and did not confirm it; it is not sent twice', {
      isFinal: true,
      cause,
    });
  }
  return new MailFault(FAULTS[code] ?? 'the mail server cannot be reached', { status: responseCode, cause });
}

const FAULTS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused to let this service in',
  ETLS: 'no encrypted connection to the mail server could be made',
  ETIMEDOUT: 'the mail server did not answer in time',
  EPROTOCOL: 'the mail server does not speak SMTP as it should',
  EDNS: 'the name of the mail server could not be looked up',
};
