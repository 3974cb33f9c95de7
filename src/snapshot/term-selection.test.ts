import fc from 'fast-check';
import { expect, it } from 'vitest';
import { selectByTerm } from './term-selection.ts';
import type { TextColumn } from './text-column.ts';

function columnOf(texts: readonly string[]): TextColumn {
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => {
    end += Buffer.byteLength(text);
    return end;
  });
  return { bytes: Buffer.from(texts.join('')), ends };
}

/** Different texts with long shared beginnings, some the beginning of others. */
const lists = fc
  .record({ length: fc.integer({ min: 0, max: 1500 }), spread: fc.constantFrom(2, 40, 100_000), seed: fc.nat() })
  .map(({ length, spread, seed }) => {
    const beginnings = ['', 'x', 'women shoes ', 'women shoes for ', '日本', '😀'];
    const texts = Array.from({ length }, (_, i) => {
      const number = Math.imul(i + seed, 2_654_435_761) >>> 0;
      return (beginnings[number % beginnings.length] ?? '') + 'é'.repeat(number % 7) + (number % spread);
    });
    return [...new Set(texts)];
  });

it('gives what sorting everything by bytes gives', () => {
  fc.assert(
    fc.property(lists, fc.nat(1600), fc.integer({ min: 1, max: 1000 }), (texts, from, limit) => {
      const sorted = [...texts.keys()].sort((a, b) =>
        Buffer.compare(Buffer.from(texts[a] ?? ''), Buffer.from(texts[b] ?? '')),
      );
      const slots = Uint32Array.from(texts.keys());
      const selected = selectByTerm(columnOf(texts), slots, { from, to: from + limit });
      expect(selected).toEqual(sorted.slice(from, from + limit));
    }),
    { numRuns: 200 },
  );
});
