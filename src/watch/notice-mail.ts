// A notice as a mail: plain text, and HTML that mail programs understand. Those know tables and styles of their own elements best;
// the colours of a dark theme come from a media query, and where that is not understood the light ones stay readable. No images, no
// fonts and nothing else is asked for when it is opened.
import type { Mail } from '../domain/mailer.ts';
import type { Notice } from '../domain/notice.ts';
import {
  blocksOf,
  headingOf,
  moreWords,
  type NoticeBlock,
  type NoticeLine,
  type NoticeLinks,
  PRODUCT_NAME,
  subjectOf,
  summaryOf,
  TEST_WORDS,
} from './notice-words.ts';

export interface MailLinks extends NoticeLinks {
  /** Ends mail without signing in (RFC 8058). */
  readonly unsubscribeUrl: string;
}

export interface MailAddress {
  readonly to: string;
  /** The same on every attempt, so that a mail server can tell a repetition. */
  readonly messageId: string;
}

export function renderMail(notice: Notice, links: MailLinks, { to, messageId }: MailAddress): Mail {
  return {
    to,
    subject: subjectOf(notice),
    text: renderText(notice, links),
    html: renderHtml(notice, links),
    headers: {
      'Message-ID': messageId,
      'List-Unsubscribe': `<${links.unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // Nobody's absence note should answer.
      'Auto-Submitted': 'auto-generated',
    },
  };
}

function renderText(notice: Notice, links: MailLinks): string {
  const sections = notice.sections.map((section) =>
    [
      headingOf(section, notice).toUpperCase(),
      summaryOf(section),
      ...blocksOf(section, links).flatMap((block) => [
        '',
        `${block.title}:`,
        ...block.lines.map(textLine),
        ...more(block),
      ]),
    ].join('\n'),
  );
  return [
    subjectOf(notice),
    ...(notice.kind === 'test' ? [TEST_WORDS] : sections),
    ...(notice.moreCount > 0 ? [moreWords(notice.moreCount, 'period')] : []),
    `All of it: ${links.pageUrl}/tracked`,
    `What you are told, and where: ${links.pageUrl}/account\nNo more mails: ${links.unsubscribeUrl}`,
  ].join('\n\n');
}

function textLine({ text, rank, change, note }: NoticeLine): string {
  return `  ${oneLine(text)}  ${[rank, change, note].filter(Boolean).join('  ')}`;
}

function more({ moreCount, title }: NoticeBlock): string[] {
  return moreCount > 0 ? [`  ${moreWords(moreCount, title === 'Products' ? 'product' : 'alert')}`] : [];
}

const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .page { background: #0f1218 !important; } .card { background: #181c25 !important; border-color: #2b3140 !important; }
    .ink { color: #e8eaf0 !important; } .soft { color: #9aa3b5 !important; } .line { border-color: #2b3140 !important; }
    .up { color: #4fd08c !important; } .down { color: #ff8d83 !important; } .link { color: #8fb4ff !important; }
    .action { background: #3f6fe0 !important; }
  }
  @media (max-width: 480px) { .card { padding: 20px 16px !important; } }`;

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const INK = `${FONT};color:#1b2130`;
const SOFT = `${FONT};color:#5c667a`;

function renderHtml(notice: Notice, links: MailLinks): string {
  const body =
    notice.kind === 'test'
      ? `<p class="ink" style="${INK};font-size:15px;line-height:22px;margin:16px 0 0">${escapeHtml(TEST_WORDS)}</p>`
      : notice.sections.map((section) => sectionHtml(section, { notice, links })).join('');
  const moreLine = notice.moreCount > 0 ? paragraph(moreWords(notice.moreCount, 'period')) : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subjectOf(notice))}</title>
<style>${STYLE}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f5f9">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f5f9"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px"><tr>
<td class="card" style="background:#ffffff;border:1px solid #dfe4ee;border-radius:10px;padding:28px 28px 24px">
<p class="soft" style="${SOFT};font-size:13px;margin:0 0 4px;font-weight:600">${PRODUCT_NAME}</p>
<h1 class="ink" style="${INK};font-size:21px;line-height:28px;margin:0">${escapeHtml(subjectOf(notice))}</h1>
${body}${moreLine}
<p style="margin:26px 0 0"><a class="action" href="${escapeHtml(`${links.pageUrl}/tracked`)}" style="${FONT};display:inline-block;background:#2f5fd0;color:#ffffff;text-decoration:none;font-size:15px;font-weight:600;padding:10px 18px;border-radius:7px">Open ${PRODUCT_NAME}</a></p>
</td></tr><tr><td style="padding:16px 8px;text-align:center">
<p class="soft" style="${SOFT};font-size:12px;line-height:18px;margin:0">You asked to be told here.
<a class="link" style="color:#2f5fd0" href="${escapeHtml(`${links.pageUrl}/account`)}">Change what you are told</a> ·
<a class="link" style="color:#2f5fd0" href="${escapeHtml(links.unsubscribeUrl)}">Unsubscribe</a></p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function sectionHtml(
  section: Notice['sections'][number],
  { notice, links }: { readonly notice: Notice; readonly links: MailLinks },
): string {
  return `<h2 class="ink" style="${INK};font-size:16px;line-height:22px;margin:24px 0 2px">${escapeHtml(headingOf(section, notice))}</h2>
${paragraph(summaryOf(section))}
${blocksOf(section, links).map(blockHtml).join('\n')}`;
}

function blockHtml(block: NoticeBlock): string {
  const rows = block.lines.map((line) => {
    const tone = line.direction > 0 ? 'up' : line.direction < 0 ? 'down' : 'soft';
    const colour = { up: '#11804a', down: '#c2382c', soft: '#5c667a' }[tone];
    const note =
      line.note === '' ? '' : `<br><span class="soft" style="${SOFT};font-size:12px">${escapeHtml(line.note)}</span>`;
    const cell = 'padding:7px 0;border-top:1px solid #e8ecf3;vertical-align:top';
    return `<tr><td class="line" style="${cell};word-break:break-word"><a class="ink" href="${escapeHtml(line.href)}" style="${INK};font-size:14px;text-decoration:none">${escapeHtml(oneLine(line.text))}</a>${note}</td>
<td class="line ink" align="right" style="${cell};${INK};font-size:14px;padding-left:12px;white-space:nowrap">${escapeHtml(line.rank)}</td>
<td class="line ${tone}" align="right" style="${cell};${FONT};font-size:14px;color:${colour};padding-left:12px;white-space:nowrap">${escapeHtml(line.change)}</td></tr>`;
  });
  return `<h3 class="soft" style="${SOFT};font-size:12px;text-transform:uppercase;letter-spacing:.05em;margin:18px 0 6px">${escapeHtml(block.title)}</h3>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows.join('\n')}</table>
${more(block)
  .map((line) => paragraph(line.trim()))
  .join('')}`;
}

function paragraph(text: string): string {
  return `<p class="soft" style="${SOFT};font-size:14px;line-height:20px;margin:4px 0 0">${escapeHtml(text)}</p>`;
}

/** Also inside of attributes. */
export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? character);
}

/** What breaks lines, turns the direction of writing or cannot be seen would make one line look like several, or like another. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
}
