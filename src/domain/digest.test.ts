import { describe, expect, it } from 'vitest';
import { digestProduct, evaluatePeriod, parseDigestProducts, parseDigestRows } from './digest.ts';
import type { Period } from './period.ts';
import type { TrackedKeyword } from './tracked-keyword.ts';

function month(number: number): Period {
  return { frequency: 'monthly', year: 2026, number };
}

function keyword(id: string, change: Partial<TrackedKeyword> = {}): TrackedKeyword {
  return {
    id,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    notes: '',
    isActive: true,
    isPriorityEnabled: false,
    priorityRule: { field: 'latest_rank', operator: 'lt', value: 100 },
    termId: 1,
    originalTerm: `Term ${id}`,
    normalizedTerm: `term ${id}`,
    ...change,
  };
}

const WINDOW = [month(1), month(2), month(3), month(4)];

describe('a digest', () => {
  it('has a row for each keyword: its rank in the period, and in the visible one before it', () => {
    const { rows } = evaluatePeriod(month(3), {
      keywords: [keyword('a'), keyword('b'), keyword('c'), keyword('d')],
      listRules: new Map(),
      window: WINDOW,
      ranks: [
        [1, 70, 50, 999],
        [1, null, 50, 999],
        [1, 70, null, 999],
      ],
    });
    const row = { rank: null, previousRank: null, rankChange: null, isPriorityHit: false };
    expect(rows).toEqual([
      { ...row, trackedKeywordId: 'a', searchTerm: 'Term a', rank: 50, previousRank: 70, rankChange: 20 },
      { ...row, trackedKeywordId: 'b', searchTerm: 'Term b', rank: 50 },
      { ...row, trackedKeywordId: 'c', searchTerm: 'Term c', previousRank: 70 },
      { ...row, trackedKeywordId: 'd', searchTerm: 'Term d' },
    ]);
  });

  it('names the keywords whose rule is met, with their ranks up to that period', () => {
    const watched = keyword('a', { isPriorityEnabled: true });
    const { rows, hits } = evaluatePeriod(month(2), {
      keywords: [watched, keyword('b', { isPriorityEnabled: true })],
      listRules: new Map(),
      window: WINDOW,
      ranks: [
        [300, 50, 1, 1],
        [50, 300, 1, 1],
      ],
    });
    expect(rows.map(({ isPriorityHit }) => isPriorityHit)).toEqual([true, false]);
    expect(hits).toEqual([
      {
        keyword: watched,
        rule: watched.priorityRule,
        snapshot: expect.objectContaining({ latestRank: 50, previousRank: 300, bestRank: 50, totalPeriods: 2 }),
      },
    ]);
  });

  it('takes the rules of lists for keywords without one of their own that is on', () => {
    const rule = { field: 'latest_rank', operator: 'lt', value: 60 } as const;
    const { rows, hits } = evaluatePeriod(month(2), {
      keywords: [keyword('a'), keyword('b'), keyword('c', { isPriorityEnabled: true })],
      listRules: new Map(['a', 'c'].map((id) => [`term ${id}`, [rule]])),
      window: WINDOW,
      ranks: [
        [300, 50, 1, 1],
        [300, 50, 1, 1],
        [300, 200, 1, 1],
      ],
    });
    expect(rows.map(({ isPriorityHit }) => isPriorityHit)).toEqual([true, false, false]);
    expect(hits.map((hit) => [hit.keyword.id, hit.rule])).toEqual([['a', rule]]);
  });
});

describe('stored rows', () => {
  const row = {
    trackedKeywordId: 'a',
    searchTerm: 'usb hub',
    rank: 3,
    previousRank: null,
    rankChange: null,
    isPriorityHit: false,
  };

  it('are read as they were written, and nothing beside them', () => {
    expect(parseDigestRows(JSON.parse(JSON.stringify([{ ...row, more: 1 }, row])))).toEqual([row, row]);
  });

  it.each([
    ['no list', {}],
    ['nothing', null],
    ['a row that is none', [null]],
    ['a missing rank', [{ ...row, rank: undefined }]],
    ['a rank that is text', [{ ...row, rank: '3' }]],
    ['half a rank', [{ ...row, rankChange: 0.5 }]],
    ['a term that is none', [{ ...row, searchTerm: 7 }]],
    ['a flag that is none', [{ ...row, isPriorityHit: 'no' }]],
  ])('are refused when they are %s', (_what, stored) => {
    expect(() => parseDigestRows(stored)).toThrow(/no list|damaged/);
  });
});

describe('stored products', () => {
  const changed = { change: 'entered', searchTerm: 'usb hub', rank: 3, place: 1, previousPlace: null } as const;
  const changes = {
    ...{ title: 'Hub', keywords: 2, previousKeywords: null, counts: { entered: 1, left: 0, place: 0 } },
    rows: [changed],
  };
  const item = { id: 'a', asin: 'B0', notes: '', isActive: true, createdAt: new Date(0), updatedAt: new Date(0) };
  const product = digestProduct({ product: item, changes });

  it('are read as they were written, and nothing beside them', () => {
    const { title: _title, ...told } = changes;
    expect(product).toEqual({ trackedProductId: 'a', asin: 'B0', ...told });
    const counts = { ...changes.counts, more: 1 };
    const stored = JSON.parse(JSON.stringify([{ ...product, counts, more: 1 }, product]));
    expect(parseDigestProducts(stored)).toEqual([product, product]);
  });

  it.each([
    ['no list', {}],
    ['nothing', null],
    ['a product that is none', [null]],
    ['a missing id', [{ ...product, trackedProductId: undefined }]],
    ['an ASIN that is none', [{ ...product, asin: 7 }]],
    ['half a keyword', [{ ...product, keywords: 0.5 }]],
    ['a number before that is text', [{ ...product, previousKeywords: '3' }]],
    ['without counts', [{ ...product, counts: undefined }]],
    ['a missing count', [{ ...product, counts: { entered: 1, left: 0 } }]],
    ['without rows', [{ ...product, rows: undefined }]],
    ['a row that is none', [{ ...product, rows: [null] }]],
    ['an unknown change', [{ ...product, rows: [{ ...changed, change: 'moved' }] }]],
    ['a term that is none', [{ ...product, rows: [{ ...changed, searchTerm: 7 }] }]],
    ['a place that is text', [{ ...product, rows: [{ ...changed, place: '1' }] }]],
  ])('are refused when they are %s', (_what, stored) => {
    expect(() => parseDigestProducts(stored)).toThrow(/no list|damaged/);
  });
});
