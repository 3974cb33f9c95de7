import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GatherKeys, selectTrend } from './trend-selection.ts';

/** Stands for a document that is not on the list. */
const HIDDEN = 2 ** 30;
const RUNS_ON = { throwIfCancelled: () => {} };

/** Short and long lists of few or many different keys, some of them hidden, some where a sample does not look. */
const lists = fc
  .record({
    length: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 8000, max: 40_000 })),
    spread: fc.constantFrom(1, 3, 300, 70_000, 2 ** 27),
    seed: fc.integer(),
    hiddenIn: fc.constantFrom(0, 1, 2, 3, 1000),
    isUneven: fc.boolean(),
    isListed: fc.boolean(),
  })
  .map(({ length, spread, seed, hiddenIn, isUneven, isListed }) => {
    const at = (i: number, salt: number) => Math.imul(i + seed + salt, 2_654_435_761) >>> 0;
    const keyOf = (i: number) => (isUneven && i % 11 === 1 ? 0 : at(i, 1) % spread);
    const isHidden = (i: number) => hiddenIn > 0 && at(i, 7) % hiddenIn === 0;
    const keys = Uint32Array.from({ length }, (_, i) => (isHidden(i) ? HIDDEN : keyOf(i)));
    const documents = isListed ? Uint32Array.from({ length: length >>> 1 }, (_, i) => 2 * i + 1) : undefined;
    return { keys, candidates: { documents, from: 0, to: documents?.length ?? length } };
  });

function keysOf(column: Uint32Array): GatherKeys {
  return (documents, { low, high }, gathered) => {
    for (const document of documents) {
      const key = column[document] ?? 0;
      if (key === HIDDEN) continue;
      gathered.listed += 1;
      if (key < low) gathered.below += 1;
      if (key < low || key > high) continue;
      gathered.documents[gathered.near] = document;
      gathered.keys[gathered.near] = key;
      gathered.near += 1;
    }
  };
}

describe('selecting a page of a trend list', () => {
  it('gives what sorting all that is listed gives, equal keys in the order of the documents', () => {
    fc.assert(
      fc.property(lists, fc.nat(1000), fc.integer({ min: 1, max: 1000 }), ({ keys, candidates }, share, limit) => {
        const documents = candidates.documents ?? Uint32Array.from(keys.keys());
        const sorted = [...documents]
          .filter((document) => keys[document] !== HIDDEN)
          .sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
        // Now and then behind the end.
        const offset = Math.floor((sorted.length * share) / 950);
        expect(selectTrend(candidates, { gatherKeys: keysOf(keys), slice: { offset, limit } }, RUNS_ON)).toEqual({
          totalCount: sorted.length,
          documents: sorted.slice(offset, offset + limit),
        });
      }),
      { numRuns: 300 },
    );
  });

  it('looks at the candidates from one place to another only', () => {
    const keys = Uint32Array.from({ length: 100 }, (_, i) => (i * 37) % 100);
    const documents = Uint32Array.from({ length: 50 }, (_, i) => 2 * i);
    for (const candidates of [
      { documents: undefined, from: 20, to: 30 },
      { documents, from: 10, to: 15 },
    ]) {
      const slice = { offset: 0, limit: 1000 };
      const selected = selectTrend(candidates, { gatherKeys: keysOf(keys), slice }, RUNS_ON);
      expect(selected.documents.toSorted((a, b) => a - b)).toEqual(
        candidates.documents ? [20, 22, 24, 26, 28] : [20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
      );
    }
  });

  it('stops in the middle of a long list when it is cancelled', () => {
    for (const cancelledAt of [1, 2, 3]) {
      let looks = 0;
      const throwIfCancelled = () => {
        looks += 1;
        if (looks === cancelledAt) throw new Error('cancelled');
      };
      const column = { gatherKeys: keysOf(new Uint32Array(30_000)), slice: { offset: 0, limit: 10 } };
      expect(() => selectTrend({ documents: undefined, from: 0, to: 30_000 }, column, { throwIfCancelled })).toThrow(
        'cancelled',
      );
    }
  });
});
