import { describe, expect, it } from 'vitest';
import { composeNotice, lastWeek, MAX_NOTICE_SECTIONS, type NoticeSection } from './notice.ts';

const SECTION: NoticeSection = {
  ...{ kind: 'period', marketplace: 'US', type: 'monthly', period: '10-2026', hasDigest: true, keywordCount: 3 },
  ...{ climbed: 1, fell: 1, alertCount: 1, movers: [], productCount: 1 },
  alerts: [{ term: 'a', rank: 1, rankChange: null, rule: { field: 'latest_rank', operator: 'lt', value: 2 } }],
  products: [{ asin: 'B000000001', title: '', entered: 1, left: 0 }],
};

function compose(events: readonly string[], ...sections: readonly Partial<NoticeSection>[]) {
  const parts = sections.map((section) => ({ organization: 'Acme', section: { ...SECTION, ...section }, events }));
  return composeNotice('at_once', parts)?.sections;
}

describe('a notice', () => {
  it('holds what its reader wants to hear of, and nothing else', () => {
    expect(compose(['digest', 'alert'], {})).toEqual([{ ...SECTION, organization: 'Acme' }]);
    expect(compose(['digest'], {})).toMatchObject([{ hasDigest: true, alertCount: 0, alerts: [], productCount: 1 }]);
    expect(compose(['alert'], {})).toMatchObject([{ hasDigest: false, alertCount: 1, products: [], productCount: 0 }]);
    expect(compose(['late'], { kind: 'late' })).toMatchObject([{ kind: 'late' }]);
  });

  it('is not made when it would say nothing', () => {
    expect(compose(['late'], {})).toBeUndefined();
    expect(compose(['alert'], { alertCount: 0, alerts: [] })).toBeUndefined();
    expect(compose(['digest'], { hasDigest: false })).toBeUndefined();
    expect(compose(['digest', 'alert'], { kind: 'late' })).toBeUndefined();
  });

  it('says how many sections it leaves out', () => {
    const parts = Array.from({ length: MAX_NOTICE_SECTIONS + 3 }, () => {
      return { organization: 'Acme', section: SECTION, events: ['digest'] };
    });
    const notice = composeNotice('weekly', parts);
    expect([notice?.kind, notice?.sections.length, notice?.moreCount]).toEqual(['weekly', MAX_NOTICE_SECTIONS, 3]);
  });
});

describe('the last week', () => {
  it.each([
    ['2026-11-16T05:59:59.999Z', '2026-11-09T06:00:00.000Z'],
    ['2026-11-16T06:00:00.000Z', '2026-11-16T06:00:00.000Z'],
    ['2026-11-18T12:00:00.000Z', '2026-11-16T06:00:00.000Z'],
    ['2026-11-22T23:59:00.000Z', '2026-11-16T06:00:00.000Z'],
    ['2026-03-01T00:00:00.000Z', '2026-02-23T06:00:00.000Z'],
  ])('at %s ended on %s', (now, until) => {
    const week = lastWeek(new Date(now));
    expect(week.until.toISOString()).toBe(until);
    expect(week.until.getTime() - week.from.getTime()).toBe(7 * 86_400_000);
    expect(week.key).toBe(`weekly ${until.slice(0, 10)}`);
  });
});
