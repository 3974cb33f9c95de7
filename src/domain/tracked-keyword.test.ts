import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Period } from './period.ts';
import {
  findMetRule,
  isRuleMet,
  PRIORITY_FIELDS,
  PRIORITY_OPERATORS,
  type PriorityRule,
  takeSnapshot,
} from './tracked-keyword.ts';

function monthAt(index: number): Period {
  return { frequency: 'monthly', year: 2024 + Math.floor(index / 12), number: 1 + (index % 12) };
}

const series = fc
  .array(fc.option(fc.integer({ min: 1, max: 3_000_000 })), { maxLength: 40 })
  .map((ranks) => ({ ranks, window: ranks.map((_, i) => monthAt(i)) }));

const rules: fc.Arbitrary<PriorityRule> = fc.record({
  field: fc.constantFrom(...PRIORITY_FIELDS),
  operator: fc.constantFrom(...PRIORITY_OPERATORS),
  value: fc.oneof(fc.integer({ min: -10, max: 10 }), fc.double({ min: -1e6, max: 1e6, noNaN: true })),
});

describe('a snapshot', () => {
  it('sums up the ranks of its window', () => {
    fc.assert(
      fc.property(series, ({ ranks, window }) => {
        const snapshot = takeSnapshot({ window, ranks });
        const known = ranks.filter((rank) => rank !== null);
        expect(snapshot.totalPeriods).toBe(known.length);
        if (known.length === 0) {
          expect(snapshot).toEqual(takeSnapshot({ window: [], ranks: [] }));
          return;
        }
        const latest = ranks.findLastIndex((rank) => rank !== null);
        const previous = ranks[latest - 1] ?? null;
        const mean = known.reduce((sum, rank) => sum + rank, 0) / known.length;
        expect(snapshot).toMatchObject({
          latestPeriod: monthAt(latest),
          latestRank: ranks[latest],
          previousRank: previous,
          rankChange: previous === null ? null : previous - (ranks[latest] ?? 0),
          bestRank: known.toSorted((a, b) => a - b)[0],
          worstRank: known.toSorted((a, b) => b - a)[0],
          history: ranks.map((rank, i) => ({ period: monthAt(i), rank })),
        });
        expect(Math.abs((snapshot.avgRank ?? 0) - mean)).toBeLessThanOrEqual(0.005_000_1);
      }),
    );
  });

  it('of a shorter window does not depend on what comes after it', () => {
    fc.assert(
      fc.property(series, fc.nat(40), ({ ranks, window }, length) => {
        const until = { window: window.slice(0, length), ranks: ranks.slice(0, length) };
        expect(takeSnapshot({ window: until.window, ranks })).toEqual(takeSnapshot(until));
      }),
    );
  });
});

describe('a priority rule', () => {
  it('holds when the comparison holds, and never for a value that is not known', () => {
    fc.assert(
      fc.property(series, rules, (data, rule) => {
        const snapshot = takeSnapshot(data);
        const values = {
          latest_rank: snapshot.latestRank,
          rank_change: snapshot.rankChange,
          best_rank: snapshot.bestRank,
          worst_rank: snapshot.worstRank,
          avg_rank: snapshot.avgRank,
        };
        const actual = values[rule.field];
        const sign = { lt: '<', lte: '<=', gt: '>', gte: '>=', eq: '===' }[rule.operator];
        const expected = actual !== null && new Function('a', 'b', `return a ${sign} b`)(actual, rule.value);
        expect(isRuleMet(rule, snapshot)).toBe(expected);
      }),
    );
  });

  it('says less, equal or more, exactly one of them', () => {
    fc.assert(
      fc.property(series, rules, (data, rule) => {
        const snapshot = takeSnapshot(data);
        const isMet = (operator: PriorityRule['operator']) => isRuleMet({ ...rule, operator }, snapshot);
        const holding = [isMet('lt'), isMet('eq'), isMet('gt')].filter(Boolean).length;
        const isKnown = snapshot.latestRank !== null && (rule.field !== 'rank_change' || snapshot.rankChange !== null);
        expect(holding).toBe(isKnown ? 1 : 0);
        expect(isMet('lte')).toBe(isMet('lt') || isMet('eq'));
        expect(isMet('gte')).toBe(isMet('gt') || isMet('eq'));
      }),
    );
  });

  it.each([
    ['lt', [true, false, false]],
    ['lte', [true, true, false]],
    ['gt', [false, false, true]],
    ['gte', [false, true, true]],
    ['eq', [false, true, false]],
  ] as const)('%s compares ranks of 49, 50 and 51 with 50', (operator, expected) => {
    const isMet = (rank: number) =>
      isRuleMet({ field: 'latest_rank', operator, value: 50 }, takeSnapshot({ window: [monthAt(0)], ranks: [rank] }));
    expect([49, 50, 51].map(isMet)).toEqual(expected);
  });

  it('hits only when it is on, and the keyword is ranked in the period itself', () => {
    const priorityRule = { field: 'latest_rank', operator: 'lt', value: 100 } as const;
    const window = [monthAt(0), monthAt(1)];
    const ranked = { snapshot: takeSnapshot({ window, ranks: [500, 50] }), period: monthAt(1) };
    const dropped = { snapshot: takeSnapshot({ window, ranks: [50, null] }), period: monthAt(1) };
    const listRules = [
      { ...priorityRule, value: 10 },
      { ...priorityRule, value: 60 },
      { ...priorityRule, value: 70 },
    ];
    const found = (isPriorityEnabled: boolean, asked: typeof ranked, rules: typeof listRules = []) =>
      findMetRule({ isPriorityEnabled, priorityRule }, { ...asked, listRules: rules });
    expect(found(true, ranked)).toBe(priorityRule);
    expect(found(false, ranked)).toBe(undefined);
    expect(found(true, dropped, listRules)).toBe(undefined);
    // Rules of lists stand in for one that is off, and the first that is met is told.
    expect(found(false, ranked, listRules)).toBe(listRules[1]);
    expect(found(false, dropped, listRules)).toBe(undefined);
    expect(
      findMetRule({ isPriorityEnabled: true, priorityRule: { ...priorityRule, value: 1 } }, { ...ranked, listRules }),
    ).toBe(undefined);
  });
});
