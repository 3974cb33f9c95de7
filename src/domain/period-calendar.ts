// Every period of every marketplace, for those who read the data: there, coming, late, or given up and why. It says nothing of whose
// account is asked, nor what Amazon said; that is the operator's.
import type { Tenant } from './account.ts';
import type { DownloadReason, DownloadState } from './download.ts';
import { expectNextPeriod } from './download-schedule.ts';
import { comparePeriods, FREQUENCIES, isSamePeriod, type Period } from './period.ts';
import type { Plan } from './plan.ts';
import { listMarketplaces, listVisiblePeriods } from './published-ranks.ts';
import type { PublishedPeriod, RankCatalog } from './store.ts';

export const CALENDAR_STATES = ['there', 'coming', 'late', 'failed'] as const;
export type CalendarState = (typeof CALENDAR_STATES)[number];

/** What may be told of why a period is not there, with a sentence for people. */
export const CALENDAR_REASONS = {
  not_made_yet: 'Amazon has not made this report yet. It is asked for again every few hours.',
  not_made: 'Amazon could not make this report.',
  unreachable: 'Amazon cannot be reached, or asks to come slower. It is tried again by itself.',
  not_allowed: 'Amazon does not give this report to the account that asks for it. The operator has to look after it.',
  unreadable: 'The file that Amazon gave cannot be imported.',
  undecided: 'The operator has to decide whether this report may be imported.',
  service: 'This service could not finish it.',
} as const;
export type CalendarReason = keyof typeof CALENDAR_REASONS;

const REASONS: Readonly<Record<DownloadReason, CalendarReason>> = {
  early: 'not_made_yet',
  'not-made': 'not_made',
  gone: 'not_made',
  throttled: 'unreachable',
  unavailable: 'unreachable',
  'token-expired': 'unreachable',
  'address-expired': 'unreachable',
  cut: 'unreachable',
  credentials: 'not_allowed',
  forbidden: 'not_allowed',
  refused: 'not_allowed',
  unreadable: 'unreadable',
  declined: 'undecided',
  sealed: 'service',
  machine: 'service',
  lost: 'service',
};

/** What is fetched, for those who read the data. */
export interface FetchedPeriods {
  list(tenant: Tenant): Promise<readonly FetchedPeriod[]>;
}

/** A period that a connection fetches, as far as readers may know of it. */
export interface FetchedPeriod {
  readonly marketplace: string;
  readonly period: Period;
  readonly state: DownloadState;
  readonly reason: DownloadReason | null;
  /** When it is worked on next; null when not by itself. */
  readonly nextAt: Date | null;
}

export interface CalendarEntry {
  readonly marketplace: string;
  readonly period: Period;
  readonly state: CalendarState;
  readonly reason: CalendarReason | null;
  /** Of the next period of a series: when it comes if it is as punctual as the ones before it. */
  readonly expectedAt: Date | null;
  readonly nextAt: Date | null;
  readonly published: PublishedPeriod | null;
}

/**
 * Retail periods by marketplace, months before weeks, newest first. Whatever was published and is hidden by the plan might as well not
 * exist: nothing here follows from it.
 */
export function listCalendar({
  catalog,
  plan,
  fetched,
  now,
}: {
  readonly catalog: RankCatalog;
  readonly plan: Plan;
  readonly fetched: readonly FetchedPeriod[];
  readonly now: Date;
}): readonly CalendarEntry[] {
  const marketplaces = new Set([...listMarketplaces(catalog), ...fetched.map(({ marketplace }) => marketplace)]);
  return [...marketplaces].sort().flatMap((marketplace) => {
    const visible = listVisiblePeriods(catalog, { plan, marketplace, sources: ['search'] });
    return FREQUENCIES.flatMap((frequency) =>
      listSeries({
        marketplace,
        published: visible.filter(({ period }) => period.frequency === frequency),
        fetched: fetched.filter((each) => each.marketplace === marketplace && each.period.frequency === frequency),
        limit: frequency === 'monthly' ? plan.months : plan.weeks,
        now,
      }),
    );
  });
}

function listSeries({
  marketplace,
  published,
  fetched,
  limit,
  now,
}: {
  readonly marketplace: string;
  readonly published: readonly PublishedPeriod[];
  readonly fetched: readonly FetchedPeriod[];
  readonly limit: Plan['months'];
  readonly now: Date;
}): readonly CalendarEntry[] {
  const there = published.map((each): CalendarEntry => {
    const { period } = each;
    return { marketplace, period, state: 'there', reason: null, expectedAt: null, nextAt: null, published: each };
  });
  const expected = expectNextPeriod(published, now);
  // With a full window anything older would be hidden as soon as it came.
  const oldest = limit !== 'all' && published.length >= limit ? published.at(-1)?.period : undefined;
  const isThere = (period: Period) => published.some((each) => isSamePeriod(each.period, period));
  const onTheirWay = fetched
    // What was imported and is not to be seen is hidden, or was withdrawn.
    .filter(({ state, period }) => state !== 'imported' && !isThere(period))
    .filter(({ period }) => !oldest || comparePeriods(period, oldest) > 0)
    .map(({ period, state, reason, nextAt }): CalendarEntry => {
      const isNext = expected !== undefined && isSamePeriod(expected.period, period);
      return {
        marketplace,
        period,
        state: state === 'failed' ? 'failed' : isNext && expected.isLate ? 'late' : 'coming',
        reason: reason && REASONS[reason],
        expectedAt: isNext ? expected.expectedAt : null,
        nextAt,
        published: null,
      };
    });
  const isListed = expected && onTheirWay.some(({ period }) => isSamePeriod(period, expected.period));
  const isAwaited = expected && (fetched.length > 0 || (expected.isLate && expected.hasHabit));
  const next: readonly CalendarEntry[] =
    isAwaited && !isListed
      ? [
          {
            marketplace,
            period: expected.period,
            state: expected.isLate ? 'late' : 'coming',
            reason: null,
            expectedAt: expected.expectedAt,
            nextAt: null,
            published: null,
          },
        ]
      : [];
  return [...next, ...onTheirWay, ...there].toSorted((a, b) => comparePeriods(b.period, a.period));
}

/** What is told of a reason, and of none. */
export function describeEntry({ state, reason }: Pick<CalendarEntry, 'state' | 'reason'>): string | null {
  if (state === 'there') return null;
  if (reason) return CALENDAR_REASONS[reason];
  if (state === 'late') return 'Later than usual.';
  return state === 'failed' ? CALENDAR_REASONS.service : 'On its way.';
}

/** Those of one year; the newest with something in it unless one is given. */
export function entriesOfYear(
  entries: readonly CalendarEntry[],
  given: number | undefined,
): { readonly year: number | null; readonly years: readonly number[]; readonly entries: readonly CalendarEntry[] } {
  const years = [...new Set(entries.map(({ period }) => period.year))].sort((a, b) => b - a);
  const newestThere = Math.max(...entries.filter(({ state }) => state === 'there').map(({ period }) => period.year));
  const year = given ?? (Number.isFinite(newestThere) ? newestThere : (years[0] ?? null));
  return { year, years, entries: entries.filter(({ period }) => period.year === year) };
}
