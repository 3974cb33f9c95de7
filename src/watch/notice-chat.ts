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

type Render = (notice: Notice, links: NoticeLinks) => object;

/** The body of a message, as JSON. */
export function renderChat(kind: Exclude<ChannelKind, 'email'>, notice: Notice, links: NoticeLinks): string {
  return JSON.stringify(RENDERERS[kind](notice, links));
}

const RENDERERS: Readonly<Record<Exclude<ChannelKind, 'email'>, Render>> = {
  slack: renderSlack,
  teams: renderTeams,
  discord: renderDiscord,
};

/** Longest that the services take: text of a Slack section, the description of a Discord embed, its embeds. */
const SLACK_TEXT = 3_000;
const DISCORD_TEXT = 4_096;
const DISCORD_ALL = 5_800;
const ACCENT = 0x2f5fd0;

function renderSlack(notice: Notice, links: NoticeLinks): object {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text: cut(text, SLACK_TEXT) } });
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
  let left = DISCORD_ALL;
  const embeds = notice.sections.flatMap((section) => {
    const blocks = blocksOf(section, links).map((block) =>
      blockText(block, { bold: '**', link: markdownLink, escaped: escapeMarkdown }),
    );
    const description = cut([escapeMarkdown(summaryOf(section)), ...blocks].join('\n\n'), Math.min(DISCORD_TEXT, left));
    left -= description.length + 256;
    const title = cut(headingOf(section, notice), 250);
    return left < 0
      ? []
      : [{ title: escapeMarkdown(title), url: `${links.pageUrl}/tracked`, color: ACCENT, description }];
  });
  return {
    username: PRODUCT_NAME,
    content: `**${escapeMarkdown(subjectOf(notice))}**${notice.kind === 'test' ? `\n${TEST_WORDS}` : ''}`,
    embeds,
    // Nobody is called, whatever a keyword says.
    allowed_mentions: { parse: [] },
  };
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
  const texts = lines.map((line: NoticeLine) =>
    [
      link(cut(oneLine(line.text), 120), line.href),
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
