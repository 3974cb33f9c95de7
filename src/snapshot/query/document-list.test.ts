import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countBelow, intersect, subtract, unite } from './document-list.ts';

/** Sorted lists of very different lengths, so that both ways of walking are taken. */
const list = fc
  .oneof(
    fc.uniqueArray(fc.nat(40), { maxLength: 12 }),
    fc.uniqueArray(fc.nat(2000), { minLength: 300, maxLength: 500 }),
    fc.uniqueArray(fc.nat(6000), { minLength: 1000, maxLength: 5000 }),
  )
  .map((values) => Uint32Array.from(values).sort());

describe('sorted document lists', () => {
  it('intersect, unite and subtract as sets do', () => {
    fc.assert(
      fc.property(list, list, list, (a, b, c) => {
        const inB = new Set(b);
        const both = [...a].filter((document) => inB.has(document));
        expect([...intersect(a, b)]).toEqual(both);
        expect([...intersect(b, a)]).toEqual(both);
        expect([...subtract(a, b)]).toEqual([...a].filter((document) => !inB.has(document)));
        expect([...unite([a, b, c])]).toEqual([...new Set([...a, ...b, ...c])].sort((x, y) => x - y));
      }),
      { numRuns: 500 },
    );
  });

  it('count what is below a limit', () => {
    const documents = Uint32Array.of(2, 4, 6);
    expect([0, 2, 3, 6, 7].map((limit) => countBelow(documents, limit))).toEqual([0, 0, 1, 2, 3]);
  });
});
