import { describe, expect, it } from 'vitest';
import type { Notice, NoticeSection } from '../domain/notice.ts';
import { renderChat } from './notice-chat.ts';
import { renderMail } from './notice-mail.ts';

const LINKS = { pageUrl: 'https://ranks.example.com', unsubscribeUrl: 'https://ranks.example.com/unsubscribe?token=t' };
const ADDRESS = { to: 'ada@example.com', messageId: '<1@ranks.example.com>' };
const HOSTILE =
  '<img src=x onerror=alert(1)> "a" <!channel> <@U1> @everyone [b](https://evil.example)|*x*\r\nBcc: eve\u202e';
const SECTION: NoticeSection & { readonly organization: string } = {
  kind: 'period',
  organization: 'Acme <b>',
  marketplace: 'US',
  type: 'monthly',
  period: '10-2026',
  hasDigest: true,
  keywordCount: 12,
  climbed: 7,
  fell: 3,
  alertCount: 12,
  alerts: [{ term: HOSTILE, rank: 1234, rankChange: 56, rule: { field: 'latest_rank', operator: 'lt', value: 2000 } }],
  movers: [{ term: 'running shoes', rank: null, rankChange: -1000, rule: null }],
  productCount: 1,
  products: [{ asin: 'B0CHX1W1XY', title: HOSTILE, entered: 3, left: 1 }],
};
const NOTICE: Notice = { kind: 'at_once', sections: [SECTION], moreCount: 0 };

type Row = Readonly<Record<'title' | 'description', string>>;

describe('a mail', () => {
  const mail = renderMail(NOTICE, LINKS, ADDRESS);

  it('says in its subject and in both parts what happened', () => {
    expect(mail.subject).toBe('12 alerts: keyword ranks of October 2026');
    for (const part of [mail.text, mail.html]) {
      for (const words of [
        'October 2026 · US',
        '12 keywords watched',
        '#1,234',
        '▲ 56',
        '▼ 1,000',
        'no rank',
        'rank below 2,000',
      ])
        expect(part?.toLowerCase()).toContain(words.toLowerCase());
      expect(part).toContain('and 11 more alerts');
      expect(part).toContain(LINKS.unsubscribeUrl);
    }
  });

  it('can be ended with one click', () => {
    expect(mail.headers).toEqual({
      'Message-ID': '<1@ranks.example.com>',
      'List-Unsubscribe': `<${LINKS.unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    });
  });

  it('holds what people wrote as text, on one line, in any attribute', () => {
    expect(mail.html).not.toMatch(/<img|<!channel|<b>/);
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;a&quot;');
    expect(mail.text).not.toMatch(/\r|^Bcc/m);
    expect(mail.html).not.toContain('\u202e');
    expect(mail.html).not.toContain('Acme');
  });

  it('asks for nothing when it is opened, and has a dark theme', () => {
    expect(mail.html).not.toMatch(/<(img|link|script|iframe|video)|url\(|@import|@font-face/i);
    expect(mail.html).toMatch(/prefers-color-scheme: dark/);
    const addresses = [...(mail.html ?? '').matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? '');
    expect(addresses.length).toBeGreaterThan(4);
    for (const address of addresses) expect(address).toMatch(/^https:\/\/ranks\.example\.com\//);
  });

  it('names organizations when it is of several', () => {
    const two = { ...NOTICE, sections: [SECTION, { ...SECTION, organization: 'Other' }] };
    expect(renderMail(two, LINKS, ADDRESS).html).toContain('October 2026 · US · Acme &lt;b&gt;');
  });

  it('of a test, a late period and a week says so', () => {
    const subjects = [
      { ...NOTICE, kind: 'test' as const, sections: [] },
      { ...NOTICE, sections: [{ ...SECTION, kind: 'late' as const }] },
      { ...NOTICE, kind: 'weekly' as const, moreCount: 2 },
    ].map((notice) => renderMail(notice, LINKS, ADDRESS));
    expect(subjects.map(({ subject }) => subject)).toEqual([
      'Test message from keyrank',
      'Late: October 2026 (US)',
      'Your week in keyword ranks',
    ]);
    expect(subjects[2]?.text).toContain('and 2 more periods');
  });
});

describe('a chat message', () => {
  const render = (kind: 'slack' | 'teams' | 'discord', notice = NOTICE) => JSON.parse(renderChat(kind, notice, LINKS));
  const textsOf = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(textsOf)
        : [];

  it('for Slack is made of blocks in which nobody is called', () => {
    const message = render('slack');
    expect(message.text).toBe('12 alerts: keyword ranks of October 2026');
    expect(message.blocks[0]).toEqual({
      type: 'header',
      text: { type: 'plain_text', text: '12 alerts: keyword ranks of October 2026', emoji: false },
    });
    const texts = textsOf(message).join('\n');
    expect(texts).toContain('*Alerts*');
    expect(texts).not.toMatch(/<[!@#]/);
    // Every angle bracket is of a link to this service.
    for (const [, link] of texts.matchAll(/<([^>]*)>/g)) expect(link).toMatch(/^https:\/\/ranks\.example\.com\//);
    for (const block of message.blocks) expect(JSON.stringify(block).length).toBeLessThan(4000);
  });

  it('for Teams is an adaptive card whose texts are escaped', () => {
    const message = render('teams');
    const [{ contentType, content }] = message.attachments;
    expect([message.type, contentType, content.type, content.version]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
      'AdaptiveCard',
      '1.4',
    ]);
    const texts = textsOf(content.body).join('\n');
    expect(texts).toContain('\\[b\\]\\(https\\://evil\\.example\\)');
    expect(texts).not.toMatch(/\]\(https:\/\/evil/);
  });

  it('for Discord calls nobody and stays below its limits', () => {
    const many = { ...NOTICE, sections: Array.from({ length: 10 }, () => SECTION) };
    for (const notice of [NOTICE, many]) {
      const message = render('discord', notice);
      expect(message.allowed_mentions).toEqual({ parse: [] });
      expect(message.embeds.length).toBeGreaterThan(0);
      expect(message.embeds.length).toBeLessThanOrEqual(10);
      const length = message.embeds.reduce(
        (sum: number, embed: { title: string; description: string }) =>
          sum + embed.title.length + embed.description.length,
        0,
      );
      expect(length).toBeLessThan(6000);
      expect(JSON.stringify(message)).not.toContain('@everyone');
    }
  });

  it('is one that each service takes, however long its keywords are, and counts what it leaves out', () => {
    const term = '蓝牙耳机*<@U1>'.repeat(25);
    const keyword = { term, rank: 1_234_567, rankChange: -56_789, rule: null };
    const full = {
      ...SECTION,
      ...{ organization: 'Ä'.repeat(200), alertCount: 900, productCount: 900 },
      alerts: Array(10).fill({ ...keyword, rule: SECTION.alerts[0]?.rule ?? null }),
      movers: Array(10).fill(keyword),
      products: Array(10).fill({ asin: 'B0CHX1W1XY', title: term, entered: 3, left: 1 }),
    };
    const notice = { ...NOTICE, moreCount: 4, sections: Array(10).fill(full) };
    const slack = render('slack', notice);
    for (const text of textsOf(slack)) {
      expect(text.length).toBeLessThanOrEqual(3000);
      expect(text.split('<').length).toBe(text.split('>').length);
    }
    expect(slack.blocks.length).toBeLessThanOrEqual(50);
    expect(Buffer.byteLength(renderChat('teams', notice, LINKS))).toBeLessThanOrEqual(28 * 1024);
    const discord = render('discord', notice);
    const sizes = discord.embeds.map((embed: Row) => embed.title.length + embed.description.length);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBeLessThanOrEqual(6000);
    for (const { title, description } of discord.embeds) {
      expect([title.length <= 256, description.length <= 4096]).toEqual([true, true]);
    }
    expect(discord.content).toContain(`and ${14 - discord.embeds.length} more periods`);
    for (const message of [slack, discord, render('teams', notice)]) {
      expect(textsOf(message).join('\n')).toMatch(/and 89\d more alerts/);
    }
  });

  it('says when it is a test', () => {
    for (const kind of ['slack', 'teams', 'discord'] as const) {
      expect(renderChat(kind, { kind: 'test', sections: [], moreCount: 0 }, LINKS)).toContain('This is a test.');
    }
  });
});
