import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NONE_32 } from '../format/format.ts';
import { ALL_HASHES, ROOT_WIDTH, RootTable } from './root-table.ts';

type Pair = readonly [number, number];

const word = fc.oneof(fc.nat(5), fc.nat(60), fc.integer({ min: 2 ** 31, max: 2 ** 32 - 2 }));
const terms = fc.array(
  fc.record({
    pairs: fc.array(fc.tuple(word, fc.oneof(word, fc.constant(NONE_32))), { maxLength: 6 }),
    bestRank: fc.integer({ min: 1, max: 40_000_000 }),
    rising: fc.nat(1),
  }),
  { maxLength: 2000, size: 'max' },
);
type Terms = typeof terms extends fc.Arbitrary<infer T> ? T : never;

/** Pass by pass, as many as it takes. */
function count(all: Terms, maxCells: number) {
  const roots: number[][] = [];
  let passCount = 0;
  const passes = [ALL_HASHES];
  for (let range = passes.pop(); range; range = passes.pop()) {
    passCount += 1;
    const table = new RootTable(range, maxCells);
    for (const [document, { pairs, bestRank, rising }] of all.entries()) {
      for (const [first, second] of pairs)
        table.add(first, second, { document, bestRank, rising, falling: 1 - rising });
    }
    passes.push(...table.left);
    const found = new Uint32Array(table.count * ROOT_WIDTH);
    expect(table.copyTo(found, 0)).toBe(table.count);
    for (let at = 0; at < found.length; at += ROOT_WIDTH) roots.push([...found.subarray(at, at + ROOT_WIDTH)]);
  }
  return { roots: roots.toSorted(compare), passCount };
}

function compare(a: readonly number[], b: readonly number[]): number {
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
}

function expected(all: Terms): number[][] {
  const roots = new Map<string, number[]>();
  for (const { pairs, bestRank, rising } of all) {
    const distinct = new Map<string, Pair>(pairs.map((pair) => [pair.join(), pair]));
    for (const [key, [first, second]] of distinct) {
      const [, , termCount = 0, best = bestRank, risen = 0, fallen = 0] = roots.get(key) ?? [];
      roots.set(key, [first, second, termCount + 1, Math.min(best, bestRank), risen + rising, fallen + 1 - rising]);
    }
  }
  return [...roots.values()].toSorted(compare);
}

describe('a table of roots', () => {
  it('counts each root once per term, in one pass while it may grow', () => {
    fc.assert(
      fc.property(terms, (all) => {
        expect(count(all, 2 ** 20)).toEqual({ roots: expected(all), passCount: 1 });
      }),
      { numRuns: 30 },
    );
  });

  it('finds the same in several passes when it may not grow', () => {
    const many: Terms = Array.from({ length: 30_000 }, (_, i) => ({
      pairs: [[i % 9000, (i * 7) % 5000] as [number, number], [i % 9000, NONE_32] as [number, number]],
      bestRank: 1 + ((i * 31) % 5000),
      rising: i % 2,
    }));
    const { roots, passCount } = count(many, 2 ** 12);
    expect(roots).toEqual(expected(many));
    expect(passCount).toBeGreaterThan(8);
  });
});
