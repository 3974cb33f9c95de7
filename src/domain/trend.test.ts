import { describe, expect, it } from 'vitest';
import type { Period } from './period.ts';
import { PRO, STUDIO } from './plan.ts';
import { parseQueryText } from './query-text.ts';
import {
  type ChangeQuery,
  changePercentage,
  type NewQuery,
  planChanges,
  planLatestRanks,
  planNewTerms,
  planSocialRanks,
  type SocialQuery,
} from './trend.ts';

const MONTHS = Array.from({ length: 30 }, (_, i): Period => {
  return { frequency: 'monthly', year: 2023 + Math.floor(i / 12), number: 1 + (i % 12) };
});
const WEEKS = [51, 52, 53].map((number): Period => ({ frequency: 'weekly', year: 2026, number }));

const CHANGES: ChangeQuery = {
  frequency: 'monthly',
  threshold: 1000,
  direction: undefined,
  orderBy: 'abs_change',
  orderDirection: 'desc',
  offset: 7,
  limit: 5,
  queries: [],
  categories: [],
  minRank: undefined,
  maxRank: undefined,
};
const SOCIAL: SocialQuery = { ...CHANGES, orderBy: 'total_improvement' };
const NO_FILTERS = { queries: [], categories: [], minRank: undefined, maxRank: undefined };

describe('planning rank changes', () => {
  it('compares the two newest periods, whatever the order in which they are given', () => {
    const published = [...MONTHS.slice(20), ...MONTHS.slice(0, 20), ...WEEKS];
    expect(planChanges(CHANGES, { plan: PRO, published })).toEqual({
      window: MONTHS.slice(6),
      filters: NO_FILTERS,
      previous: MONTHS[28],
      current: MONTHS[29],
      threshold: 1000,
      direction: undefined,
      order: { field: 'abs_change', direction: 'desc' },
      offset: 7,
      limit: 5,
    });
  });

  it('takes the periods that are published, not those of the calendar', () => {
    const published = MONTHS.filter((_, i) => i !== 28);
    const plan = planChanges(CHANGES, { plan: STUDIO, published });
    expect([plan.previous, plan.current]).toEqual([MONTHS[27], MONTHS[29]]);
  });

  it('knows the newest period alone, and none without data', () => {
    const one = planChanges({ ...CHANGES, frequency: 'weekly' }, { plan: PRO, published: WEEKS.slice(0, 1) });
    expect([one.previous, one.current]).toEqual([undefined, WEEKS[0]]);
    const none = planChanges(CHANGES, { plan: PRO, published: WEEKS });
    expect([none.previous, none.current]).toEqual([undefined, undefined]);
  });
});

describe('planning social-media ranks', () => {
  it('spans the last six periods, oldest first, or as many as there are', () => {
    expect(planSocialRanks(SOCIAL, { plan: STUDIO, published: MONTHS, retailPublished: WEEKS })).toEqual({
      window: MONTHS,
      retailWindow: [],
      filters: NO_FILTERS,
      span: MONTHS.slice(24),
      order: { field: 'total_improvement', direction: 'desc' },
      offset: 7,
      limit: 5,
    });
    const weekly = { ...SOCIAL, frequency: 'weekly' } as const;
    expect(planSocialRanks(weekly, { plan: PRO, published: WEEKS, retailPublished: [] }).span).toEqual(WEEKS);
    expect(planSocialRanks(SOCIAL, { plan: PRO, published: [], retailPublished: [] }).span).toEqual([]);
  });

  it('looks up categories only in the retail periods that the plan can see', () => {
    const context = { published: [], retailPublished: MONTHS } as const;
    expect(planSocialRanks(SOCIAL, { plan: PRO, ...context }).retailWindow).toEqual(MONTHS.slice(6));
    expect(planSocialRanks(SOCIAL, { plan: STUDIO, ...context }).retailWindow).toEqual(MONTHS);
  });
});

describe('planning new terms', () => {
  it('looks only at the periods that the plan can see', () => {
    const query: NewQuery = { ...CHANGES, orderBy: 'current_rank' };
    expect(planNewTerms(query, { plan: PRO, published: [...MONTHS].reverse() })).toEqual({
      window: MONTHS.slice(6),
      filters: NO_FILTERS,
      order: { field: 'current_rank', direction: 'desc' },
      offset: 7,
      limit: 5,
    });
  });
});

describe('planning the filters of a trend list', () => {
  it('normalises queries, once each, and knows categories by bucket and by stored name', () => {
    const query = {
      ...CHANGES,
      queries: ['USB  Cable', 'usb cable', 'lamp'],
      categories: ['Electronics', 'camera', '?'],
    };
    expect(planChanges({ ...query, minRank: 5, maxRank: 9 }, { plan: PRO, published: [] }).filters).toEqual({
      queries: [parseQueryText('usb cable'), parseQueryText('lamp')],
      categories: [
        { kind: 'bucket', bucket: 'Electronics' },
        { kind: 'stored', foldedName: 'camera' },
        { kind: 'bucket', bucket: 'Other' },
      ],
      minRank: 5,
      maxRank: 9,
    });
  });
});

describe('planning latest ranks', () => {
  it('looks only at the periods that the plan can see', () => {
    const query = { frequency: 'monthly', terms: ['usb'] } as const;
    expect(planLatestRanks(query, { plan: PRO, published: MONTHS })).toEqual({
      window: MONTHS.slice(6),
      terms: ['usb'],
    });
    expect(planLatestRanks(query, { plan: STUDIO, published: MONTHS }).window).toEqual(MONTHS);
  });
});

describe('the change in percent', () => {
  it.each([
    [200, 100, 50],
    [100, 200, -100],
    [3, 2, 33.33],
    [3, 1, 66.67],
    [1, 40_000_000, -3_999_999_900],
    // Halves of a hundredth go away from zero on both sides.
    [800, 799, 0.13],
    [800, 801, -0.13],
    [7, 7, 0],
    [40_000_000, 39_999_999, 0],
  ])('from %d to %d is %d', (previousRank, currentRank, percentage) => {
    expect(changePercentage({ previousRank, currentRank })).toBe(percentage);
  });

  it('has no negative zero', () => {
    expect(Object.is(changePercentage({ previousRank: 39_999_999, currentRank: 40_000_000 }), 0)).toBe(true);
  });
});
