import { describe, expect, it } from 'vitest';
import {
  brandHolder,
  HELD_ORDERS,
  type HeldKeywordQuery,
  meanClickShare,
  planComparison,
  planHeldKeywords,
  planHolder,
  planTermHistory,
  shareChange,
  sumShares,
} from './holder.ts';
import type { Period } from './period.ts';
import { PRO } from './plan.ts';

const month = (number: number): Period => ({ frequency: 'monthly', year: 2026, number });
/** April was never published. */
const context = { plan: PRO, frequency: 'monthly', published: [month(5), month(2), month(3)] } as const;
const ALL = { periodKey: undefined, queries: [], offset: 0, limit: 50, orderDirection: undefined };
const QUERY: HeldKeywordQuery = {
  ...ALL,
  holder: { kind: 'product', asin: 'B000000001' },
  status: 'held',
  orderBy: 'search_rank',
};

function standing(clickShare: number | null) {
  return { place: 1, clickShare, conversionShare: null };
}

describe('planning', () => {
  it('sees the plan window, oldest first', () => {
    const window = [month(2), month(3), month(5)];
    expect(planTermHistory('  Snow  BOOTS ', context)).toEqual({ window, term: 'snow boots' });
    expect(planHolder(QUERY.holder, { ...context, plan: { ...PRO, months: 2 } }).window).toEqual(window.slice(1));
  });

  it('takes the newest period and the published one before it', () => {
    expect(planHeldKeywords(QUERY, context)).toMatchObject({ period: month(5), previous: month(3) });
    expect(planHeldKeywords({ ...QUERY, periodKey: '2-2026' }, context)).toMatchObject({
      period: month(2),
      previous: undefined,
    });
  });

  it('lists nothing of a gap inside, of no periods at all, and refuses what is outside', () => {
    const gap = planHeldKeywords({ ...QUERY, periodKey: '04-2026' }, context);
    expect([gap.period, gap.previous]).toEqual([undefined, undefined]);
    const none = planHeldKeywords(QUERY, { ...context, published: [] });
    expect([none.window, none.period, none.previous]).toEqual([[], undefined, undefined]);
    expect(() => planHeldKeywords({ ...QUERY, periodKey: '01-2026' }, context)).toThrow("Parameter 'period'");
    expect(() => planHeldKeywords({ ...QUERY, periodKey: '13-2026' }, context)).toThrow('is not a monthly period');
  });

  it('puts the best first unless told otherwise', () => {
    for (const [orderBy, direction] of Object.entries(HELD_ORDERS)) {
      const field = orderBy as keyof typeof HELD_ORDERS;
      expect(planHeldKeywords({ ...QUERY, orderBy: field }, context).order).toEqual({ field, direction });
    }
    const told = planHeldKeywords({ ...QUERY, orderBy: 'place', orderDirection: 'desc' }, context);
    expect(told.order).toEqual({ field: 'place', direction: 'desc' });
  });

  it('compares distinct products in upper case, most searched first', () => {
    const plan = planComparison({ ...ALL, queries: ['A b', 'a  B'], asins: ['b1', 'B2', 'B1'], mode: 'gap' }, context);
    expect(plan).toMatchObject({ asins: ['B1', 'B2'], mode: 'gap', direction: 'asc', period: month(5) });
    expect(plan.queries.map(({ text }) => text)).toEqual(['a b']);
  });

  it('folds the names of brands', () => {
    expect(brandHolder('E\u0301LAN')).toEqual({ kind: 'brand', name: 'élan' });
  });
});

describe('shares', () => {
  it('are summed up exactly, and are nothing when none is known', () => {
    expect(sumShares([0.1, 0.2, null])).toBe(0.3);
    expect(sumShares([0])).toBe(0);
    expect(sumShares([null, null])).toBeNull();
    expect(sumShares([])).toBeNull();
  });

  it('change by percentage points where both are known', () => {
    expect(shareChange({ standing: standing(0.3), previous: standing(0.1) })).toBe(0.2);
    expect(shareChange({ standing: standing(0), previous: standing(33.33) })).toBe(-33.33);
    expect(shareChange({ standing: standing(1), previous: standing(null) })).toBeNull();
    expect(shareChange({ standing: standing(null), previous: standing(1) })).toBeNull();
    expect(shareChange({ standing: null, previous: standing(1) })).toBeNull();
    expect(shareChange({ standing: standing(1), previous: null })).toBeNull();
  });

  it('have a mean of those that are known, rounded half up', () => {
    expect(meanClickShare({ clickShareSum: 0.05, knownClickShares: 2 })).toBe(0.03);
    expect(meanClickShare({ clickShareSum: 10, knownClickShares: 3 })).toBe(3.33);
    expect(meanClickShare({ clickShareSum: null, knownClickShares: 0 })).toBeNull();
  });
});
