import { describe, expect, it } from 'vitest';
import type { IsoDate } from './period.ts';
import type { PublishedNews } from './publication.ts';
import { takeSnapshot } from './tracked-keyword.ts';
import { presentAlert, presentNews, presentProductChange } from './webhook-payload.ts';

const NEWS: PublishedNews = {
  marketplace: 'US',
  source: 'search',
  period: { frequency: 'weekly', year: 2026, number: 7 },
  revision: 2,
  startDate: '2026-02-08' as IsoDate,
  endDate: '2026-02-14' as IsoDate,
  keywords: 5,
  publishedAt: new Date('2026-02-15T01:02:03.004Z'),
};

describe('a webhook message', () => {
  it('tells of a published period', () => {
    expect(presentNews(NEWS)).toEqual({
      type: 'period.published',
      timestamp: '2026-02-15T01:02:03.004Z',
      data: {
        marketplace: 'US',
        source: 'search',
        type: 'weekly',
        period: '07-2026',
        start_date: '2026-02-08',
        end_date: '2026-02-14',
        keywords: 5,
        revision: 2,
      },
    });
  });

  it('tells of a keyword that calls for attention', () => {
    const priorityRule = { field: 'latest_rank', operator: 'lt', value: 100 } as const;
    const keyword = {
      id: 'id',
      createdAt: new Date(0),
      updatedAt: new Date(0),
      notes: '',
      isActive: true,
      isPriorityEnabled: true,
      priorityRule,
      termId: 1,
      originalTerm: 'USB Cable',
      normalizedTerm: 'usb cable',
    };
    // That of a list.
    const rule = { ...priorityRule, value: 51 };
    const window = [{ ...NEWS.period, number: 6 }, NEWS.period];
    const alert = presentAlert({ keyword, rule, snapshot: takeSnapshot({ window, ranks: [151, 50] }) }, NEWS);
    expect(alert).toEqual({
      type: 'tracked_keyword.priority_hit',
      timestamp: '2026-02-15T01:02:03.004Z',
      data: {
        tracked_keyword_id: 'id',
        search_term: 'USB Cable',
        marketplace: 'US',
        type: 'weekly',
        period: '07-2026',
        priority_rule: rule,
        latest_rank: 50,
        previous_rank: 151,
        rank_change: 101,
        best_rank: 50,
        worst_rank: 151,
        avg_rank: 100.5,
      },
    });
  });

  it('tells of a product whose keywords changed', () => {
    const product = { id: 'id', asin: 'B0', notes: '', isActive: true, createdAt: new Date(0), updatedAt: new Date(0) };
    const rows = [{ change: 'left', searchTerm: 'USB Cable', rank: null, place: null, previousPlace: 2 }] as const;
    const counts = { entered: 0, left: 1, place: 0 };
    const changes = { title: 'Cable', keywords: 4, previousKeywords: 5, counts, rows };
    expect(presentProductChange({ product, changes }, NEWS)).toEqual({
      type: 'tracked_product.changed',
      timestamp: '2026-02-15T01:02:03.004Z',
      data: {
        tracked_product_id: 'id',
        asin: 'B0',
        title: 'Cable',
        marketplace: 'US',
        type: 'weekly',
        period: '07-2026',
        keywords: 4,
        previous_keywords: 5,
        entered: 0,
        left: 1,
        place: 0,
        rows: [{ change: 'left', search_term: 'USB Cable', rank: null, place: null, previous_place: 2 }],
      },
    });
  });
});
