// What a notice says, in words that every form shares. Texts that people wrote are left as they are: each form makes them harmless in
// its own way.
import type { Notice, NoticeKeyword, NoticeSection } from '../domain/notice.ts';
import type { PriorityRule } from '../domain/tracked-keyword.ts';

/** Where what is sent leads back to. */
export interface NoticeLinks {
  /** Of the page, without a slash at its end. */
  readonly pageUrl: string;
}

export const PRODUCT_NAME = 'keyrank';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `10-2026` as people say it. */
export function periodName({ type, period }: Pick<NoticeSection, 'type' | 'period'>): string {
  const [number = '', year = ''] = period.split('-');
  return type === 'monthly' ? `${MONTHS[Number(number) - 1] ?? number} ${year}` : `week ${Number(number)} of ${year}`;
}

export function subjectOf(notice: Notice): string {
  const [first] = notice.sections;
  if (notice.kind === 'test' || !first) return `Test message from ${PRODUCT_NAME}`;
  if (notice.kind === 'weekly') return 'Your week in keyword ranks';
  if (first.kind === 'late') return `Late: ${periodName(first)} (${first.marketplace})`;
  const alertCount = notice.sections.reduce((sum, section) => sum + section.alertCount, 0);
  const ranks = `eyword ranks of ${periodName(first)}`;
  return alertCount === 0 ? `K${ranks}` : `${countOf(alertCount, 'alert')}: k${ranks}`;
}

/** One line under the heading of a section. */
export function summaryOf(section: NoticeSection): string {
  if (section.kind === 'late') return 'This period is later than usual. You hear of it here when it is published.';
  const { keywordCount, climbed, fell, alertCount, productCount } = section;
  const parts = [
    ...(alertCount > 0 ? [countOf(alertCount, 'alert')] : []),
    ...(section.hasDigest
      ? [`${countOf(keywordCount, 'keyword')} watched`, `${formatCount(climbed)} climbed`, `${formatCount(fell)} fell`]
      : []),
    ...(productCount > 0 ? [`${countOf(productCount, 'product')} with changes`] : []),
  ];
  return parts.join(' · ');
}

export interface NoticeBlock {
  readonly title: string;
  readonly lines: readonly NoticeLine[];
  readonly moreCount: number;
}

export interface NoticeLine {
  readonly text: string;
  readonly href: string;
  readonly rank: string;
  readonly change: string;
  /** Positive is good. */
  readonly direction: number;
  /** Why it stands here, for alerts. */
  readonly note: string;
}

/** The lists of a section, those that are empty left out. */
export function blocksOf(section: NoticeSection, links: NoticeLinks): readonly NoticeBlock[] {
  const lineOf = (keyword: NoticeKeyword): NoticeLine => ({
    text: keyword.term,
    href: `${links.pageUrl}/keyword?${new URLSearchParams({ term: keyword.term, ...(section.type === 'weekly' && { type: 'weekly' }) })}`,
    rank: keyword.rank === null ? 'no rank' : `#${formatCount(keyword.rank)}`,
    change: changeOf(keyword.rankChange),
    direction: Math.sign(keyword.rankChange ?? 0),
    note: keyword.rule ? ruleWords(keyword.rule) : '',
  });
  const blocks = [
    { title: 'Alerts', lines: section.alerts.map(lineOf), count: section.alertCount },
    { title: 'Moved most', lines: section.movers.map(lineOf), count: section.movers.length },
    {
      title: 'Products',
      lines: section.products.map(({ asin, title, entered, left }) => ({
        text: title === '' ? asin : title,
        href: `${links.pageUrl}/product?${new URLSearchParams({ asin })}`,
        rank: '',
        change: `+${formatCount(entered)} / −${formatCount(left)} keywords`,
        direction: Math.sign(entered - left),
        note: title === '' ? '' : asin,
      })),
      count: section.productCount,
    },
  ];
  return blocks
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines, count }) => ({ title, lines, moreCount: count - lines.length }));
}

function changeOf(change: number | null): string {
  if (change === null) return 'new';
  if (change === 0) return '±0';
  return change > 0 ? `▲ ${formatCount(change)}` : `▼ ${formatCount(-change)}`;
}

const FIELDS: Readonly<Record<PriorityRule['field'], string>> = {
  latest_rank: 'rank',
  rank_change: 'change',
  best_rank: 'best rank',
  worst_rank: 'worst rank',
  avg_rank: 'average rank',
};
const OPERATORS: Readonly<Record<PriorityRule['operator'], string>> = {
  lt: 'below',
  lte: 'at most',
  gt: 'above',
  gte: 'at least',
  eq: 'exactly',
};

function ruleWords({ field, operator, value }: PriorityRule): string {
  return `${FIELDS[field]} ${OPERATORS[operator]} ${formatCount(value)}`;
}

/** A few words for each section, where there is room for nothing else. */
export function headingOf(section: Notice['sections'][number], { sections }: Notice): string {
  const organizations = new Set(sections.map(({ organization }) => organization));
  const of = organizations.size > 1 ? ` · ${section.organization}` : '';
  const late = section.kind === 'late' ? 'Late: ' : '';
  return `${late}${periodName(section)} · ${section.marketplace}${of}`;
}

export const TEST_WORDS = 'This is a test. Messages about your tracked keywords and products will look like this one.';

export function moreWords(count: number, noun: string): string {
  return `and ${countOf(count, `more ${noun}`)}`;
}

function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
