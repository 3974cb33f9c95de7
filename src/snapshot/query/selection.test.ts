import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAST_KEY, selectPositions } from './selection.ts';

/** Long lists of few or many different keys, so that every branch of the narrowing is taken. */
const lists = fc
  .record({
    length: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 8000, max: 12_000 })),
    spread: fc.constantFrom(1, 3, 300, 70_000, LAST_KEY),
    seed: fc.integer(),
    tieSpread: fc.constantFrom(1, 5, 100_000),
    isUneven: fc.boolean(),
  })
  .map(({ length, spread, seed, tieSpread, isUneven }) => {
    const at = (i: number, salt: number) => Math.imul(i + seed + salt, 2_654_435_761) >>> 0;
    return {
      // Every other list has its low keys where a sample does not look.
      keys: Uint32Array.from({ length }, (_, i) => (isUneven && i % 11 === 1 ? 0 : at(i, 1) % spread)),
      tieKeys: Uint32Array.from({ length }, (_, i) => at(i, 7) % tieSpread),
    };
  });

describe('selecting a slice', () => {
  it('gives what sorting everything gives, ties broken by their own key and then by the comparison', () => {
    fc.assert(
      fc.property(
        lists,
        fc.oneof(fc.nat(3200), fc.nat(12_500)),
        fc.integer({ min: 1, max: 1000 }),
        ({ keys, tieKeys }, from, limit) => {
          const sorted = [...keys.keys()].sort(
            (a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || (tieKeys[a] ?? 0) - (tieKeys[b] ?? 0) || b - a,
          );
          const ties = {
            levels: [(position: number) => tieKeys[position] ?? 0],
            compare: (a: number, b: number) => b - a,
          };
          expect(selectPositions({ keys, ties }, { from, to: from + limit })).toEqual(sorted.slice(from, from + limit));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps the order of the list among equal keys when there are no tie keys', () => {
    fc.assert(
      fc.property(
        lists,
        fc.oneof(fc.nat(3200), fc.nat(12_500)),
        fc.integer({ min: 1, max: 1000 }),
        ({ keys }, from, limit) => {
          const sorted = [...keys.keys()].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
          const selected = selectPositions({ keys, ties: undefined }, { from, to: from + limit });
          expect(selected).toEqual(sorted.slice(from, from + limit));
        },
      ),
      { numRuns: 300 },
    );
  });
});
