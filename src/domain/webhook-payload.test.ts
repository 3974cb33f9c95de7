import { describe, expect, it } from 'vitest';
import type { IsoDate } from './period.ts';
import type { PublishedNews } from './publication.ts';
import { takeSnapshot } from './tracked-keyword.ts';
import { presentAlert, presentNews } from './webhook-payload.ts';

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
    const window = [{ ...NEWS.period, number: 6 }, NEWS.period];
    const alert = presentAlert({ keyword, snapshot: takeSnapshot({ window, ranks: [151, 50] }) }, NEWS);
    expect(alert).toEqual({
      type: 'tracked_keyword.priority_hit',
      timestamp: '2026-02-15T01:02:03.004Z',
      data: {
        tracked_keyword_id: 'id',
        search_term: 'USB Cable',
        marketplace: 'US',
        type: 'weekly',
        period: '07-2026',
        priority_rule: priorityRule,
        latest_rank: 50,
        previous_rank: 151,
        rank_change: 101,
        best_rank: 50,
        worst_rank: 151,
        avg_rank: 100.5,
      },
    });
  });
});
