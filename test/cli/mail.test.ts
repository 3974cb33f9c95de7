import { describe, expect, it } from 'vitest';
import { openMailServer } from '../support/mail-server.ts';
import { runKeyrank } from '../support/process.ts';

const FROM = 'keyrank <ranks@example.com>';

describe('keyrank mail test', () => {
  it('sends a mail, or says in which setting the fault is', async () => {
    await using server = await openMailServer();
    const run = (to: string, settings: Record<string, string>) =>
      runKeyrank(['mail', 'test', '--to', to], { SMTP_URL: '', KEYRANK_MAIL_FROM: '', ...settings });
    const sent = await run('ada@example.com', { SMTP_URL: server.url, KEYRANK_MAIL_FROM: FROM });
    expect([sent.code, sent.stdout]).toEqual([0, '127.0.0.1 took the mail to ada@example.com.\n']);
    expect(server.mails.map(({ from, to }) => [from, to])).toEqual([['ranks@example.com', ['ada@example.com']]]);
    for (const [to, settings, words] of [
      ['ada@example.com', {}, 'SMTP_URL is not set'],
      ['ada@example.com', { SMTP_URL: server.url }, 'KEYRANK_MAIL_FROM= is not valid'],
      ['ada@example.com', { SMTP_URL: 'smtp://user:secret@' }, 'SMTP_URL is not the address of a mail server'],
      ['a\nb@example.com', { SMTP_URL: server.url, KEYRANK_MAIL_FROM: FROM }, 'is not a mail address'],
      ['ada@example.com', { SMTP_URL: 'smtp://127.0.0.1:1', KEYRANK_MAIL_FROM: FROM }, 'cannot be reached'],
    ] as const) {
      const { code, stderr } = await run(to, settings);
      expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
      expect(stderr).not.toContain('secret');
    }
  });
});
