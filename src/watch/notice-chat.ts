// A notice as Slack, Microsoft Teams and Discord want it. What people wrote is escaped, so that no keyword mentions a channel, makes a
// link or changes how the rest looks.
import type { Notice } from '../domain/notice.ts';
import type { ChannelKind } from '../domain/notification.ts';
import { oneLine } from './notice-mail.ts';
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

interface ChatService {
  readonly render: (notice: Notice, links: NoticeLinks) => object;
  /** Whether the service takes the message that it made. */
  readonly fits: (message: object) => boolean;
}

/** The body of a message, as JSON: with as many rows as the service takes. */
export function renderChat(kind: Exclude<ChannelKind, 'email'>, notice: Notice, links: NoticeLinks): string {
  const { render, fits } = SERVICES[kind];
  const messages = listShorter(notice).map((shorter) => () => render(shorter, links));
  let message: object = {};
  for (const make of messages) {
    message = make();
    if (fits(message)) break;
  }
  return JSON.stringify(message);
}

const SERVICES: Readonly<Record<Exclude<ChannelKind, 'email'>, ChatService>> = {
  slack: { render: renderSlack, fits: fitsSlack },
  teams: { render: renderTeams, fits: fitsTeams },
  discord: { render: renderDiscord, fits: fitsDiscord },
};

/** What the services take: characters of a Slack section, bytes of a Teams message, characters of a Discord embed and of all of them. */
const SLACK_TEXT = 3_000;
const TEAMS_BYTES = 28 * 1024;
const DISCORD_TEXT = 4_096;
const DISCORD_ALL = 6_000;
/** A keyword in another script makes an address nine times as long as itself. */
const MAX_HREF = 700;
/** Of a heading, of which escaping may make twice as much; Discord takes 256. */
const MAX_TITLE = 120;
const ACCENT = 0x2f5fd0;

/** The notice, then with fewer and fewer rows, then with fewer periods too. What is left out is counted in the message. */
function listShorter(notice: Notice): readonly Notice[] {
  const withRows = (rows: number, count: number): Notice => ({
    ...notice,
    sections: notice.sections.slice(0, count).map((section) => ({
      ...section,
      alerts: section.alerts.slice(0, rows),
      movers: section.movers.slice(0, rows),
      products: section.products.slice(0, rows),
    })),
    moreCount: notice.moreCount + Math.max(0, notice.sections.length - count),
  });
  const { length } = notice.sections;
  return [
    ...[10, 7, 5, 3, 2, 1].map((rows) => withRows(rows, length)),
    ...[5, 3, 1].filter((count) => count < length).map((count) => withRows(2, count)),
    withRows(0, 1),
  ];
}

function renderSlack(notice: Notice, links: NoticeLinks): object {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  const sections = notice.sections.flatMap((each) => [
    section(`*${escapeSlack(headingOf(each, notice))}*\n${escapeSlack(summaryOf(each))}`),
    ...blocksOf(each, links).map((block) =>
      section(blockText(block, { bold: '*', link: slackLink, escaped: escapeSlack })),
    ),
  ]);
  return {
    // For notifications and whatever shows no blocks.
    text: escapeSlack(subjectOf(notice)),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(subjectOf(notice), 150), emoji: false } },
      ...(notice.kind === 'test' ? [section(TEST_WORDS)] : sections),
      ...(notice.moreCount > 0 ? [section(moreWords(notice.moreCount, 'period'))] : []),
      {
        type: 'context',
        elements: [
          {
            type: 'mrkdwn',
            text: `<${links.pageUrl}/tracked|Open ${PRODUCT_NAME}> · <${links.pageUrl}/account|Change>`,
          },
        ],
      },
    ],
  };
}

function renderTeams(notice: Notice, links: NoticeLinks): object {
  const text = (words: string, look: object = {}) => ({ type: 'TextBlock', text: words, wrap: true, ...look });
  const sections = notice.sections.flatMap((section) => [
    text(escapeMarkdown(headingOf(section, notice)), { weight: 'Bolder', spacing: 'Large' }),
    text(escapeMarkdown(summaryOf(section)), { isSubtle: true, spacing: 'None' }),
    ...blocksOf(section, links).flatMap((block) => [
      text(block.title, { weight: 'Bolder', size: 'Small', spacing: 'Medium' }),
      text(
        lineTexts(block, { bold: '**', link: markdownLink, escaped: escapeMarkdown })
          .map((line) => `- ${line}`)
          .join('\n'),
        {
          spacing: 'Small',
        },
      ),
    ]),
  ]);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          body: [
            text(escapeMarkdown(subjectOf(notice)), { size: 'Large', weight: 'Bolder' }),
            ...(notice.kind === 'test' ? [text(TEST_WORDS)] : sections),
            ...(notice.moreCount > 0 ? [text(moreWords(notice.moreCount, 'period'))] : []),
          ],
          actions: [
            { type: 'Action.OpenUrl', title: `Open ${PRODUCT_NAME}`, url: `${links.pageUrl}/tracked` },
            { type: 'Action.OpenUrl', title: 'Change what you are told', url: `${links.pageUrl}/account` },
          ],
        },
      },
    ],
  };
}

function renderDiscord(notice: Notice, links: NoticeLinks): object {
  const markup = { bold: '**', link: markdownLink, escaped: escapeMarkdown };
  const embeds = notice.sections.map((section) => ({
    title: escapeMarkdown(cut(headingOf(section, notice), MAX_TITLE)),
    url: `${links.pageUrl}/tracked`,
    color: ACCENT,
    description: [
      escapeMarkdown(summaryOf(section)),
      ...blocksOf(section, links).map((block) => blockText(block, markup)),
    ].join('\n\n'),
  }));
  const lines = [
    `**${escapeMarkdown(subjectOf(notice))}**`,
    ...(notice.kind === 'test' ? [TEST_WORDS] : []),
    ...(notice.moreCount > 0 ? [moreWords(notice.moreCount, 'period')] : []),
  ];
  return {
    username: PRODUCT_NAME,
    content: lines.join('\n'),
    embeds,
    // Nobody is called, whatever a keyword says.
    allowed_mentions: { parse: [] },
  };
}

function fitsSlack(message: object): boolean {
  const { blocks } = message as { readonly blocks: readonly { readonly text?: { readonly text: string } }[] };
  return blocks.every(({ text }) => (text?.text.length ?? 0) <= SLACK_TEXT);
}

function fitsTeams(message: object): boolean {
  return Buffer.byteLength(JSON.stringify(message)) <= TEAMS_BYTES;
}

function fitsDiscord(message: object): boolean {
  const { embeds } = message as {
    readonly embeds: readonly { readonly title: string; readonly description: string }[];
  };
  const all = embeds.reduce((sum, { title, description }) => sum + title.length + description.length, 0);
  return all <= DISCORD_ALL && embeds.every(({ description }) => description.length <= DISCORD_TEXT);
}

interface Markup {
  readonly bold: string;
  readonly escaped: (text: string) => string;
  readonly link: (text: string, href: string) => string;
}

function blockText(block: NoticeBlock, markup: Markup): string {
  return [`${markup.bold}${block.title}${markup.bold}`, ...lineTexts(block, markup)].join('\n');
}

function lineTexts({ lines, moreCount, title }: NoticeBlock, { link, escaped }: Markup): readonly string[] {
  const named = (text: string, href: string) => (href.length > MAX_HREF ? escaped(text) : link(text, href));
  const texts = lines.map((line: NoticeLine) =>
    [
      named(cut(oneLine(line.text), 120), line.href),
      ...[line.rank, line.change, line.note].filter(Boolean).map((each) => escaped(each)),
    ].join(' · '),
  );
  return moreCount > 0 ? [...texts, moreWords(moreCount, title === 'Products' ? 'product' : 'alert')] : texts;
}

function slackLink(text: string, href: string): string {
  return `<${escapeSlack(href)}|${escapeSlack(text).replaceAll('|', '¦')}>`;
}

function markdownLink(text: string, href: string): string {
  return `[${escapeMarkdown(text)}](${href.replace(/[()\s]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)})`;
}

/** Slack knows three characters that begin something; in what remains its marks for bold and the like must not meet letters. */
function escapeSlack(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`]/g, (mark) => `\u200b${mark}\u200b`);
}

/** Of Teams and Discord. An @ is kept from what follows, so that it calls nobody. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~:]/g, '\\$&').replaceAll('@', '@\u200b');
}

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
