import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { MailFault } from '../../src/domain/mail-fault.ts';
import type { Mail } from '../../src/domain/mailer.ts';
import { isMailAddress, parseSender, parseSmtpLocation } from '../../src/mail/smtp-location.ts';
import { openSmtpMailer, type SmtpMailerOptions } from '../../src/mail/smtp-mailer.ts';
import { openMailServer } from '../support/mail-server.ts';

const MAIL: Mail = { to: 'ada@example.com', subject: 'Ranks', text: 'Text\n', html: '<p>HTML</p>' };
const SENDER = { name: 'keyrank', address: 'ranks@example.com' };

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

function mailerTo(url: string, options: Partial<SmtpMailerOptions> = {}) {
  const location = parseSmtpLocation(url);
  if (!location) throw new Error(url);
  return openSmtpMailer({ location, sender: SENDER, ...options });
}

async function serve(...options: Parameters<typeof openMailServer>) {
  const server = await openMailServer(...options);
  opened.push(server);
  return server;
}

/** A server that says what `talk` does with each connection. */
async function serveRaw(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function faultOf(sending: Promise<void>) {
  const fault = await sending.then(
    () => 'sent',
    (error: unknown) => error,
  );
  if (!(fault instanceof MailFault)) throw new Error(`no fault: ${fault}`);
  const { message, status, isFinal } = fault;
  return { message, status, isFinal };
}

const refuse = (responseCode: number) => Object.assign(new Error('no, said mx.internal.example'), { responseCode });

describe('a mailer', () => {
  it('hands over a mail with both parts and its headers', async () => {
    const server = await serve();
    const headers = { 'Message-ID': '<1@ranks.example.com>', 'List-Unsubscribe': '<https://ranks.example.com/u>' };
    await mailerTo(server.url).send({ ...MAIL, subject: 'Ränge ✓', headers });
    const [mail] = server.mails;
    expect([mail?.from, mail?.to]).toEqual(['ranks@example.com', ['ada@example.com']]);
    expect(mail?.headers.get('from')).toBe('keyrank <ranks@example.com>');
    expect(mail?.headers.get('message-id')).toBe('<1@ranks.example.com>');
    expect(mail?.headers.get('list-unsubscribe')).toBe('<https://ranks.example.com/u>');
    expect(mail?.headers.get('content-type')).toMatch(/^multipart\/alternative/);
    expect(mail?.source).toContain('text/plain');
    expect(mail?.source).toContain('<p>HTML</p>');
  });

  it.each([
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com, eve@example.com',
    'ada@example.com>\r\nRCPT TO:<eve@example.com',
    'Ada <ada@example.com>',
    'ada',
    '',
  ])('sends nothing to %j', async (to) => {
    const server = await serve();
    expect(await faultOf(mailerTo(server.url).send({ ...MAIL, to }))).toMatchObject({ isFinal: true, status: null });
    expect(server.mails).toEqual([]);
  });

  it('makes no header of a line break in a subject or in a header', async () => {
    const server = await serve();
    const subject = 'Ranks\r\nBcc: eve@example.com\r\n\r\nBody';
    await mailerTo(server.url).send({ ...MAIL, subject, headers: { 'X-Note': 'a\r\nBcc: eve@example.com' } });
    const [mail] = server.mails;
    expect(mail?.to).toEqual(['ada@example.com']);
    expect(mail?.headers.has('bcc')).toBe(false);
  });

  it('tells a refusal for good from one for now, in words of its own', async () => {
    const answers = { onRcptTo: [550, 450], onMailFrom: [553, 451] } as const;
    for (const [step, codes] of Object.entries(answers)) {
      for (const code of codes) {
        const server = await serve({
          [step]: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(refuse(code)),
        });
        expect(await faultOf(mailerTo(server.url).send(MAIL))).toEqual({
          message: `the mail server refused the mail (${code})`,
          status: code,
          isFinal: code >= 500,
        });
      }
    }
  });

  it('does not send again what was handed over and not confirmed', async () => {
    const url = await serveRaw((socket) => {
      socket.write('220 mx\r\n');
      let isData = false;
      socket.on('data', (chunk) => {
        const text = chunk.toString();
        if (isData && text.endsWith('\r\n.\r\n')) socket.destroy();
        else if (!isData) {
          isData = /^DATA/m.test(text);
          socket.write(isData ? '354 go on\r\n' : '250 ok\r\n');
        }
      });
    });
    expect(await faultOf(mailerTo(url).send(MAIL))).toEqual({
      message: 'the mail server took the mail and did not confirm it; it is not sent twice',
      status: null,
      isFinal: true,
    });
  });

  it('gives up on servers that are silent, drip or never end', async () => {
    const drip = (socket: Socket) => {
      const timer = setInterval(() => socket.write('220-'), 20);
      socket.on('close', () => clearInterval(timer));
    };
    const flood = (socket: Socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write('220-'.padEnd(4096, 'x'))) {
          // Until it is full.
        }
      };
      socket.on('drain', more);
      more();
    };
    for (const talk of [() => {}, drip, flood]) {
      const fault = await faultOf(mailerTo(await serveRaw(talk), { timeoutMs: 300 }).send(MAIL));
      expect(fault).toMatchObject({ isFinal: false });
    }
  });

  it('says that nobody is there, and that what is there is no mail server', async () => {
    expect(await faultOf(mailerTo('smtp://127.0.0.1:1').send(MAIL))).toEqual({
      message: 'the mail server cannot be reached',
      status: null,
      isFinal: false,
    });
    const url = await serveRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await faultOf(mailerTo(url).send(MAIL))).message).toBe('the mail server does not speak SMTP as it should');
  });

  it('trusts no certificate that nobody vouches for', async () => {
    const server = await serve({ secure: true });
    const fault = await faultOf(mailerTo(server.url.replace('smtp:', 'smtps:')).send(MAIL));
    expect(fault).toMatchObject({ status: null, isFinal: false });
    expect(server.mails).toEqual([]);
  });

  it('logs in, and says when it is not let in', async () => {
    const server = await serve({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        done(password === 'p@ss' ? null : new Error('no'), { user: username ?? '' }),
    });
    const as = (password: string) => server.url.replace('//', `//ada:${password}@`);
    await mailerTo(as('p%40ss')).send(MAIL);
    expect(server.mails).toHaveLength(1);
    expect((await faultOf(mailerTo(as('wrong')).send(MAIL))).message).toBe(
      'the mail server refused to let this service in',
    );
  });
});

describe('the address of a mail server', () => {
  it('names host and port, and encrypts passwords that leave the machine', () => {
    expect(parseSmtpLocation('smtp://mx.example.com')).toEqual({
      ...{ host: 'mx.example.com', port: 587, isSecure: false, needsTls: false, login: null },
    });
    expect(parseSmtpLocation('smtps://a:b%40@mx.example.com')).toMatchObject({
      ...{ port: 465, isSecure: true, needsTls: true, login: { user: 'a', password: 'b@' } },
    });
    expect(parseSmtpLocation('smtp://a:b@[::1]:25')).toMatchObject({ host: '::1', port: 25, needsTls: false });
  });

  it.each([
    '',
    'mx.example.com',
    'http://mx.example.com',
    'smtp://',
    'smtp://mx/path',
    'smtp://mx?x=1',
    'smtp://a:%zz@mx',
  ])('is not %j', (text) => expect(parseSmtpLocation(text)).toBeUndefined());

  it('is followed by a sender', () => {
    expect(parseSender('keyrank <ranks@example.com>')).toEqual(SENDER);
    expect(parseSender('ranks@example.com')).toEqual({ name: '', address: 'ranks@example.com' });
    for (const text of ['', 'keyrank', 'a <b', 'a\r\nb <ranks@example.com>', '<a@b>, <c@d>']) {
      expect(parseSender(text)).toBeUndefined();
    }
    expect(isMailAddress('müller@exämple.com')).toBe(true);
  });
});
