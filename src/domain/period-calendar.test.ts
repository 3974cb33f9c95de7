import { describe, expect, it } from 'vitest';
import type { DownloadReason } from './download.ts';
import { parsePeriodKey, periodDates } from './period.ts';
import { describeEntry, entriesOfYear, type FetchedPeriod, listCalendar } from './period-calendar.ts';
import { OWNER, type Plan, STUDIO } from './plan.ts';
import type { PublishedPeriod, RankCatalog } from './store.ts';

const NOW = new Date('2026-07-15T06:00:00Z');
const week = (key: string) => {
  const period = parsePeriodKey(key, 'weekly');
  if (!period) throw new Error(key);
  return period;
};
/** Weeks that came three days after their end. */
const published = (...keys: readonly string[]): readonly PublishedPeriod[] =>
  keys.map((key) => {
    const { start, end } = periodDates(week(key));
    const publishedAt = new Date(Date.parse(end) + 4 * 86_400_000);
    const [marketplace, sourceFile] = ['US', 'a.csv'];
    const place = { marketplace, source: 'search' as const, period: week(key), startDate: start, endDate: end };
    return {
      ...place,
      publishedAt,
      sourceFile,
      revision: 1,
      keywords: 1,
      dataPoints: 1,
      digest: '',
    } as PublishedPeriod;
  });
const fetched = (key: string, given: Partial<FetchedPeriod> = {}): FetchedPeriod => ({
  ...{ marketplace: 'US', period: week(key), state: 'wanted', reason: null, nextAt: NOW },
  ...given,
});
const calendar = (
  periods: readonly PublishedPeriod[],
  { plan = STUDIO, now = NOW, of = [] }: { plan?: Plan; now?: Date; of?: readonly FetchedPeriod[] } = {},
) =>
  listCalendar({ catalog: { version: 1, periods } as unknown as RankCatalog, plan, fetched: of, now }).map((entry) => [
    entry.period.number,
    entry.state,
    entry.reason,
  ]);

const REGULAR = published('24-2026', '25-2026', '26-2026', '27-2026');

describe('listCalendar', () => {
  it('shows what is there, what comes, and why it does not', () => {
    const of = [
      fetched('27-2026', { state: 'imported' }),
      fetched('23-2026', { state: 'failed', reason: 'forbidden' }),
    ];
    expect(calendar(REGULAR, { of: [...of, fetched('28-2026', { reason: 'early' })] })).toEqual([
      [28, 'coming', 'not_made_yet'],
      ...[27, 26, 25, 24].map((number) => [number, 'there', null]),
      [23, 'failed', 'not_allowed'],
    ]);
  });

  it('calls the next period late two days after the others came, and expects none where nobody fetches without a habit', () => {
    const now = new Date('2026-07-17T00:00:01Z');
    expect(calendar(REGULAR, { now, of: [fetched('28-2026', { state: 'requested' })] })[0]).toEqual([28, 'late', null]);
    expect(calendar(REGULAR, { now })[0]).toEqual([28, 'late', null]);
    expect(calendar(REGULAR.slice(2), { now })[0]).toEqual([27, 'there', null]);
  });

  it('tells of the next period before it is asked for, where it will be', () => {
    expect(calendar(REGULAR, { of: [fetched('27-2026', { state: 'imported' })] })[0]).toEqual([28, 'coming', null]);
    expect(calendar(REGULAR)[0]).toEqual([27, 'there', null]);
  });

  it('says the same whether hidden periods exist or not', () => {
    const keys = Array.from({ length: 9 }, (_, index) => `${19 + index}-2026`);
    const all = keys.map((key) => fetched(key, { state: 'imported' }));
    const of = [...all, fetched('18-2026', { state: 'failed' }), fetched('28-2026')];
    const seen = calendar(published(...keys), { of });
    expect(seen.map(([number]) => number)).toEqual([28, 27, 26, 25, 24, 23, 22]);
    expect(calendar(published(...keys.slice(3)), { of })).toEqual(seen);
    expect(calendar(published(...keys), { of, plan: OWNER }).at(-1)).toEqual([18, 'failed', null]);
  });
});

describe('describeEntry', () => {
  it('has a sentence for every reason and state, and none for what is there', () => {
    const reasons = ['credentials', 'sealed', 'cut', 'unreadable', 'declined', 'not-made', 'lost'] as const;
    const told = (reason: DownloadReason) =>
      listCalendar({
        catalog: { periods: [] } as unknown as RankCatalog,
        plan: STUDIO,
        fetched: [fetched('28-2026', { reason })],
        now: NOW,
      }).map(describeEntry)[0];
    for (const reason of reasons) expect(told(reason)).toMatch(/\.$/);
    expect(describeEntry({ state: 'late', reason: null })).toBe('Later than usual.');
    expect(describeEntry({ state: 'there', reason: null })).toBeNull();
  });
});

describe('entriesOfYear', () => {
  it('takes the newest year with something in it', () => {
    const entries = listCalendar({
      catalog: { periods: published('52-2026', '53-2026') } as unknown as RankCatalog,
      plan: STUDIO,
      fetched: [fetched('01-2027')],
      now: NOW,
    });
    expect(entriesOfYear(entries, undefined)).toMatchObject({ year: 2026, years: [2027, 2026] });
    expect(entriesOfYear(entries, 2027).entries).toHaveLength(1);
    expect(entriesOfYear([], undefined)).toEqual({ year: null, years: [], entries: [] });
    expect(entriesOfYear([], 2020)).toEqual({ year: 2020, years: [], entries: [] });
  });
});
