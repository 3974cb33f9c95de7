// What a person is told of a publication, by mail or in a chat: a summary, made once when the period is told and kept until it is
// sent. How it looks is decided where it is sent (watch/notice-*.ts).
import type { PriorityHit } from './digest.ts';
import type { LatePeriod } from './download-schedule.ts';
import { type Frequency, periodKey } from './period.ts';
import type { MemberNews, PublishedNews } from './publication.ts';
import type { PriorityRule } from './tracked-keyword.ts';
import { hasChanged } from './tracked-product.ts';

/** What of a publication a person wants to hear: the summary, the keywords that meet a rule, and that a period is late. */
export const NOTICE_EVENTS = ['digest', 'alert', 'late'] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** At most so many rows of a kind; a message says how many more there are. */
export const MAX_NOTICE_ROWS = 10;
/** Of one message: a week in which many periods were imported. */
export const MAX_NOTICE_SECTIONS = 10;

export interface NoticeKeyword {
  readonly term: string;
  readonly rank: number | null;
  readonly rankChange: number | null;
  /** The rule that is met; null in a list of what moved. */
  readonly rule: PriorityRule | null;
}

export interface NoticeProduct {
  readonly asin: string;
  readonly title: string;
  readonly entered: number;
  readonly left: number;
}

/** One period, for one member. */
export interface NoticeSection {
  readonly kind: 'period' | 'late';
  readonly marketplace: string;
  readonly type: Frequency;
  readonly period: string;
  /** Whether there is a digest of it; later revisions of a period have alerts alone. */
  readonly hasDigest: boolean;
  readonly keywordCount: number;
  readonly climbed: number;
  readonly fell: number;
  readonly alertCount: number;
  readonly alerts: readonly NoticeKeyword[];
  /** What moved most, alerts left out. */
  readonly movers: readonly NoticeKeyword[];
  readonly productCount: number;
  readonly products: readonly NoticeProduct[];
}

/** What one message says, as it is kept in the queue. */
export interface Notice {
  readonly kind: 'at_once' | 'weekly' | 'test';
  readonly sections: readonly (NoticeSection & { readonly organization: string })[];
  /** Sections that are left out because there are too many. */
  readonly moreCount: number;
}

export const TEST_NOTICE: Notice = { kind: 'test', sections: [], moreCount: 0 };

/** Null when there is nothing to say. `hits` are those that were not told for the period yet. */
export function summarizeNews(
  news: PublishedNews,
  { told, hits }: { readonly told: MemberNews; readonly hits: readonly PriorityHit[] },
): NoticeSection | null {
  const hasDigest = news.revision === 1;
  if (!hasDigest && hits.length === 0) return null;
  const hitIds = new Set(hits.map(({ keyword }) => keyword.id));
  const changed = told.rows.filter(({ rankChange }) => rankChange !== null && rankChange !== 0);
  const products = told.products.filter(({ changes }) => hasChanged(changes));
  const movers = changed
    .filter(({ trackedKeywordId }) => !hitIds.has(trackedKeywordId))
    .toSorted((a, b) => Math.abs(b.rankChange ?? 0) - Math.abs(a.rankChange ?? 0));
  return {
    kind: 'period',
    ...placeOf(news),
    hasDigest,
    keywordCount: told.rows.length,
    climbed: changed.filter(({ rankChange }) => (rankChange ?? 0) > 0).length,
    fell: changed.filter(({ rankChange }) => (rankChange ?? 0) < 0).length,
    alertCount: hits.length,
    alerts: hits.slice(0, MAX_NOTICE_ROWS).map(({ keyword, rule, snapshot }) => ({
      ...{ term: keyword.originalTerm, rank: snapshot.latestRank, rankChange: snapshot.rankChange, rule },
    })),
    movers: movers.slice(0, MAX_NOTICE_ROWS).map(({ searchTerm, rank, rankChange }) => ({
      ...{ term: searchTerm, rank, rankChange, rule: null },
    })),
    productCount: products.length,
    products: products.slice(0, MAX_NOTICE_ROWS).map(({ product, changes }) => ({
      ...{ asin: product.asin, title: changes.title, entered: changes.counts.entered, left: changes.counts.left },
    })),
  };
}

export function summarizeLate(late: LatePeriod): NoticeSection {
  return {
    ...{ kind: 'late', ...placeOf(late), hasDigest: false, keywordCount: 0, climbed: 0, fell: 0 },
    ...{ alertCount: 0, alerts: [], movers: [], productCount: 0, products: [] },
  };
}

function placeOf({ marketplace, period }: Pick<PublishedNews, 'marketplace' | 'period'>) {
  return { marketplace, type: period.frequency, period: periodKey(period) };
}

/** What is left of sections for whoever wants to hear of these events; null when that is nothing. */
export function composeNotice(
  kind: 'at_once' | 'weekly',
  parts: readonly {
    readonly organization: string;
    readonly section: NoticeSection;
    readonly events: readonly string[];
  }[],
): Notice | null {
  const sections = parts.flatMap(({ organization, section, events }) => {
    const wanted = narrow(section, new Set(events));
    return wanted ? [{ ...wanted, organization }] : [];
  });
  if (sections.length === 0) return null;
  return {
    kind,
    sections: sections.slice(0, MAX_NOTICE_SECTIONS),
    moreCount: Math.max(0, sections.length - MAX_NOTICE_SECTIONS),
  };
}

function narrow(section: NoticeSection, events: ReadonlySet<string>): NoticeSection | null {
  if (section.kind === 'late') return events.has('late') ? section : null;
  const hasAlerts = events.has('alert') && section.alertCount > 0;
  const hasDigest = events.has('digest') && section.hasDigest;
  if (!hasAlerts && !hasDigest) return null;
  return {
    ...section,
    hasDigest,
    ...(hasAlerts ? {} : { alertCount: 0, alerts: [] }),
    ...(hasDigest ? {} : { movers: [], productCount: 0, products: [] }),
  };
}

/** Monday 06:00 UTC. */
const WEEKLY_DAY = 1;
const WEEKLY_HOUR = 6;
const DAY_MS = 86_400_000;

/** The week that was last summed up: from one Monday, 06:00 UTC, to the next, which is not after `now`. */
export function lastWeek(now: Date): { readonly key: string; readonly from: Date; readonly until: Date } {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const daysBack = (now.getUTCDay() - WEEKLY_DAY + 7) % 7;
  const monday = midnight - daysBack * DAY_MS + WEEKLY_HOUR * 3_600_000;
  const untilMs = monday > now.getTime() ? monday - 7 * DAY_MS : monday;
  const until = new Date(untilMs);
  return { key: `weekly ${until.toISOString().slice(0, 10)}`, from: new Date(untilMs - 7 * DAY_MS), until };
}
