import { describe, expect, it } from 'vitest';
import { invalidParameter } from './error.ts';
import { type Frequency, type IsoDate, type Period, periodKey } from './period.ts';
import { type Plan, PRO, STUDIO } from './plan.ts';
import { listMarketplaces, listVisiblePeriods, parseMarketplace } from './published-ranks.ts';
import type { PublishedPeriod, RankCatalog, RankSource } from './store.ts';

function published(
  marketplace: string,
  period: Period,
  { source = 'search' }: { readonly source?: RankSource } = {},
): PublishedPeriod {
  return {
    marketplace,
    source,
    period,
    revision: 1,
    startDate: '2026-01-01' as IsoDate,
    endDate: '2026-01-31' as IsoDate,
    keywords: 1,
    dataPoints: 1,
    publishedAt: new Date(0),
    sourceFile: 'report.csv',
    warnings: [],
    digest: '',
  };
}

function catalogOf(periods: readonly PublishedPeriod[]): RankCatalog {
  return { version: 1, computedAt: null, totalDataPoints: 0, periods };
}

function count(frequency: Frequency, length: number): readonly Period[] {
  return Array.from({ length }, (_, i) => ({ frequency, year: 2020 + Math.floor(i / 12), number: 1 + (i % 12) }));
}

describe('a marketplace that a caller names', () => {
  const week: Period = { frequency: 'weekly', year: 2026, number: 7 };
  const catalog = catalogOf([published('US', week), published('DE', week), published('US', { ...week, number: 8 })]);

  it('is the default one unless there is one, with or without data', () => {
    for (const defaultMarketplace of ['US', 'FR']) {
      expect(parseMarketplace(undefined, { catalog, defaultMarketplace })).toBe(defaultMarketplace);
      expect(parseMarketplace(defaultMarketplace, { catalog, defaultMarketplace })).toBe(defaultMarketplace);
    }
  });

  it('may be any that has data, and no other', () => {
    expect(parseMarketplace('DE', { catalog, defaultMarketplace: 'US' })).toBe('DE');
    expect(() => parseMarketplace('FR', { catalog, defaultMarketplace: 'US' })).toThrow(
      invalidParameter(
        { name: 'marketplace', fault: "names 'FR', for which there is no data." },
        'There is data for DE, US.',
      ),
    );
    expect(() => parseMarketplace('FR', { catalog: catalogOf([]), defaultMarketplace: 'US' })).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETERS', hint: 'No marketplace has data yet.' }),
    );
    expect(() => parseMarketplace('FR', { catalog, defaultMarketplace: 'US' })).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETERS', hint: 'There is data for DE, US.' }),
    );
  });

  it('is listed once, in the order of the alphabet', () => {
    expect(listMarketplaces(catalog)).toEqual(['DE', 'US']);
  });
});

describe('the periods that a plan can see', () => {
  const weeks = count('weekly', 8);
  const months = count('monthly', 30);
  const catalog = catalogOf([
    ...weeks.map((period) => published('US', period)),
    ...months.map((period) => published('US', period)),
    ...weeks.slice(0, 2).map((period) => published('US', period, { source: 'social' })),
    ...months.map((period) => published('DE', period)),
  ]);
  const list = (plan: Plan, sources: readonly RankSource[]) =>
    listVisiblePeriods(catalog, { plan, marketplace: 'US', sources }).map(
      ({ marketplace, source, period }) => `${marketplace} ${source} ${period.frequency} ${periodKey(period)}`,
    );
  const named = (source: RankSource, periods: readonly Period[]) =>
    periods.toReversed().map((period) => `US ${source} ${period.frequency} ${periodKey(period)}`);

  it('come newest first, months before weeks, source by source', () => {
    expect(list(PRO, ['search', 'social'])).toEqual([
      ...named('search', months.slice(6)),
      ...named('search', weeks.slice(2)),
      ...named('social', weeks.slice(0, 2)),
    ]);
    expect(list(STUDIO, ['social', 'search'])).toEqual([
      ...named('social', weeks.slice(0, 2)),
      ...named('search', months),
      ...named('search', weeks.slice(2)),
    ]);
  });

  it('are those of the sources that are asked for', () => {
    expect(list(PRO, ['social'])).toEqual(named('social', weeks.slice(0, 2)));
  });
});
