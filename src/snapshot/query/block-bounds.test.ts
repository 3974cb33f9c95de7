import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlockBounds, keepPromising, LowestKeys } from './block-bounds.ts';

/** Sorted in full: the first places, and whoever has the same key as the last of them. */
function firstPlaces(documents: Uint32Array, { column, places }: { column: Uint32Array; places: number }): number[] {
  const keyOf = (document: number): number => column[document] ?? 0;
  const ordered = [...documents].sort((a, b) => keyOf(a) - keyOf(b) || a - b);
  const last = keyOf(ordered[Math.min(places, ordered.length) - 1] ?? 0);
  return ordered.filter((document) => keyOf(document) <= last);
}

function boundsOf(column: Uint32Array): BlockBounds {
  const keys = new LowestKeys(column.length);
  for (const [document, key] of column.entries()) keys.add(document, key);
  return keys.bounds();
}

function keysOf(column: Uint32Array): (documents: Uint32Array) => Uint32Array {
  return (documents) => documents.map((document) => column[document] ?? 0);
}

describe('promising documents', () => {
  it('hold the first places of the order, ties included, and keep their own order', () => {
    const many = fc.record({
      seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      documentCount: fc.integer({ min: 1, max: 20_000 }),
      distinctKeys: fc.constantFrom(1, 3, 100, 1_000_000),
      places: fc.integer({ min: 1, max: 200 }),
      oneIn: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(many, ({ seed, documentCount, distinctKeys, places, oneIn }) => {
        let state = seed;
        const next = (): number => {
          state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 1;
          return state;
        };
        const column = Uint32Array.from({ length: documentCount }, () => next() % distinctKeys);
        const documents = Uint32Array.from([...column.keys()].filter(() => next() % oneIn === 0));
        const bounds = boundsOf(column);
        const kept = keepPromising(documents, {
          places,
          keys: { keysOf: keysOf(column), bounds },
        });
        expect([...kept]).toEqual([...kept].sort((a, b) => a - b));
        const members = new Set(kept);
        if (documents.length > 0)
          expect(firstPlaces(documents, { column, places }).every((document) => members.has(document))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('are found when the list has none of the best documents', () => {
    const column = Uint32Array.from({ length: 100_000 }, (_, document) => document);
    const documents = Uint32Array.from({ length: 10_000 }, (_, i) => 90_000 + i);
    const kept = keepPromising(documents, { places: 50, keys: { keysOf: keysOf(column), bounds: boundsOf(column) } });
    expect([...kept.subarray(0, 50)]).toEqual(Array.from({ length: 50 }, (_, i) => 90_000 + i));
  });

  it('are few in a long list', () => {
    const column = Uint32Array.from({ length: 100_000 }, (_, document) => Math.imul(document, 2_654_435_761) >>> 0);
    const documents = Uint32Array.from(column.keys());
    const bounds = boundsOf(column);
    const kept = keepPromising(documents, { places: 50, keys: { keysOf: keysOf(column), bounds } });
    expect(kept.length).toBeLessThan(1100);
  });
});
