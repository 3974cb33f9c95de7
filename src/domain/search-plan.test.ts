import { describe, expect, it } from 'vitest';
import { RequestError } from './error.ts';
import type { Frequency, Period } from './period.ts';
import { type Plan, PRO, STUDIO } from './plan.ts';
import { parseQueryText } from './query-text.ts';
import { foldBrand } from './search-filter.ts';
import { planAsinSearch, planSearch } from './search-plan.ts';
import type { AsinQuery, SearchQuery } from './search-query.ts';

const MONTHS = Array.from({ length: 30 }, (_, i): Period => {
  return { frequency: 'monthly', year: 2023 + Math.floor(i / 12), number: 1 + (i % 12) };
});
const WEEKS = Array.from({ length: 8 }, (_, i): Period => ({ frequency: 'weekly', year: 2026, number: 20 + i }));

const QUERY: SearchQuery = {
  frequency: 'monthly',
  queries: ['usb cable'],
  method: 'similar',
  excludeQueries: [],
  brands: [],
  asins: [],
  categories: [],
  orderBy: 'best_match',
  orderDirection: undefined,
  excludeNulls: false,
  minRank: undefined,
  maxRank: undefined,
  minWords: undefined,
  maxWords: undefined,
  page: 1,
  limit: 50,
};
const ASIN_QUERY: AsinQuery = {
  frequency: 'monthly',
  asins: ['b000000001'],
  orderBy: 'best_match',
  orderDirection: undefined,
  excludeNulls: false,
  page: 1,
  limit: 50,
};

function planned(query: Partial<SearchQuery>, plan: Plan = PRO) {
  const frequency: Frequency = query.frequency ?? 'monthly';
  return planSearch({ ...QUERY, ...query }, { plan, published: frequency === 'monthly' ? MONTHS : WEEKS });
}

function errorOf(work: () => unknown): RequestError {
  try {
    work();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('rule 1, the plan window', () => {
  it('shows the last 24 published months on Pro and all of them on Studio', () => {
    expect(planned({}).window).toEqual(MONTHS.slice(6));
    expect(planned({}, STUDIO).window).toEqual(MONTHS);
  });

  it('shows the last six published weeks on every plan', () => {
    expect(planned({ frequency: 'weekly' }).window).toEqual(WEEKS.slice(2));
    expect(planned({ frequency: 'weekly' }, STUDIO).window).toEqual(WEEKS.slice(2));
  });

  it('counts published periods in time order, not in the order given', () => {
    const gaps = [MONTHS[29], MONTHS[0], MONTHS[7]].flatMap((period) => (period ? [period] : []));
    expect(planSearch(QUERY, { plan: PRO, published: gaps }).window).toEqual([MONTHS[0], MONTHS[7], MONTHS[29]]);
  });
});

describe('rule 2, what matches', () => {
  it('compares normalised queries, each once', () => {
    expect(planned({ queries: ['USB  Cable', 'usb cable', 'Hub'] }).match).toEqual({
      kind: 'similar',
      queries: [parseQueryText('usb cable'), parseQueryText('hub')],
      excluded: [],
    });
  });

  it('turns ASINs to upper case', () => {
    expect(planAsinSearch(ASIN_QUERY, { plan: PRO, published: MONTHS }).match).toEqual({
      kind: 'asins',
      asins: ['B000000001'],
    });
  });
});

describe('rule 3, exclusions', () => {
  it('apply to similar searches', () => {
    expect(planned({ excludeQueries: ['Mini', 'mini '] }).match).toMatchObject({
      excluded: [{ text: 'mini', words: [{ spelling: 'mini', stem: 'mini' }] }],
    });
  });

  it('are ignored for exact searches', () => {
    expect(planned({ method: 'exact', excludeQueries: ['mini'] }).match).toEqual({
      kind: 'exact',
      terms: ['usb cable'],
    });
  });
});

describe('rule 4, filters', () => {
  it('fold brands, ASINs and categories', () => {
    const { filters } = planned({ brands: ['ANKER', 'anker'], asins: ['b0x'], categories: ['grocery', 'Toys', 'zzz'] });
    expect(filters).toMatchObject({
      brands: ['anker'],
      asins: ['B0X'],
      categories: [
        { kind: 'bucket', bucket: 'Grocery' },
        { kind: 'stored', foldedName: 'toys' },
        { kind: 'bucket', bucket: 'Other' },
      ],
    });
  });
});

describe('rule 5, the order', () => {
  it.each([
    ['latest_rank', 'asc'],
    ['best_rank', 'asc'],
    ['worst_rank', 'asc'],
    ['avg_rank', 'asc'],
    ['latest_period', 'desc'],
    ['total_periods', 'desc'],
    ['fts_rank', 'desc'],
    ['similarity_score', 'desc'],
    ['best_match', 'desc'],
  ] as const)('is by %s %s unless a direction is given', (orderBy, direction) => {
    expect(planned({ orderBy }).order).toEqual({ kind: 'field', field: orderBy, direction });
    expect(planned({ orderBy, orderDirection: 'asc' }).order).toMatchObject({ direction: 'asc' });
    expect(planned({ orderBy, orderDirection: 'desc' }).order).toMatchObject({ direction: 'desc' });
  });

  it.each(['best_match', 'fts_rank', 'similarity_score'] as const)(
    'of an exact search by %s is the order of the queries',
    (orderBy) => {
      expect(planned({ method: 'exact', orderBy, orderDirection: 'desc' }).order).toEqual({
        kind: 'field',
        field: 'query_order',
        direction: 'asc',
      });
    },
  );

  it('of an ASIN search is never by relevance: the most searched come first', () => {
    const orderOf = (orderBy: AsinQuery['orderBy']) =>
      planAsinSearch({ ...ASIN_QUERY, orderBy }, { plan: PRO, published: MONTHS }).order;
    expect(orderOf('best_match')).toEqual({ kind: 'field', field: 'latest_period', direction: 'desc' });
    expect(orderOf('click_share')).toEqual({ kind: 'field', field: 'click_share', direction: 'desc' });
  });

  it.each(['6-2025', '06-2025', '006-2025'])('reads the period key %s', (key) => {
    expect(planned({ orderBy: { periodKey: key } }).order).toEqual({
      kind: 'period',
      period: { frequency: 'monthly', year: 2025, number: 6 },
      direction: 'asc',
    });
  });

  it.each([
    ['13-2025', 'monthly', 'Use a monthly period from 07-2023 to 06-2025.'],
    ['01-2023', 'monthly', 'Use a monthly period from 07-2023 to 06-2025.'],
    ['53-2025', 'weekly', 'Use a weekly period from 22-2026 to 27-2026.'],
  ] as const)('refuses %s for %s data and names the window', (key, frequency, hint) => {
    const error = errorOf(() => planned({ frequency, orderBy: { periodKey: key } }));
    expect(error.code).toBe('INVALID_PARAMETERS');
    expect(error.hint).toBe(hint);
  });

  it('takes a period without data inside the window, where every rank is null', () => {
    const published = [
      { frequency: 'monthly', year: 2025, number: 1 },
      { frequency: 'monthly', year: 2025, number: 3 },
    ] as const;
    const { order } = planSearch({ ...QUERY, orderBy: { periodKey: '2-2025' } }, { plan: PRO, published });
    expect(order).toMatchObject({ kind: 'period', period: { year: 2025, number: 2 } });
  });

  it('says so when nothing is published', () => {
    const error = errorOf(() =>
      planSearch({ ...QUERY, orderBy: { periodKey: '01-2025' } }, { plan: PRO, published: [] }),
    );
    expect(error.hint).toBe('No monthly period is published yet; order by a field such as latest_rank.');
    expect(error.message).toContain("Parameter 'order_by' names the period '01-2025'");
  });
});

describe('brand names', () => {
  it('are compared without case and space around them, and composed or not', () => {
    expect(foldBrand(' CAFE\u0301\u00a0')).toBe('café');
  });
});

describe('rule 6, the slice', () => {
  it('counts pages from 1', () => {
    expect(planned({ page: 3, limit: 20 })).toMatchObject({ offset: 40, limit: 20 });
  });
});
