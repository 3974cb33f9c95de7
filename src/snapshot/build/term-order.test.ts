import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type TextColumn, viewText } from '../format/text-column.ts';
import { sortByText } from './term-order.ts';

function columnOf(texts: readonly string[]): TextColumn {
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => {
    end += Buffer.byteLength(text);
    return end;
  });
  return viewText(Uint8Array.from(Buffer.from(texts.join(''))).buffer, ends);
}

function sortedByBytes(texts: readonly string[]): readonly number[] {
  return [...texts.keys()].sort((a, b) => Buffer.compare(Buffer.from(texts[a] ?? ''), Buffer.from(texts[b] ?? '')));
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

it('gives what comparing bytes gives', () => {
  fc.assert(
    fc.property(lists, (texts) => {
      expect([...sortByText(columnOf(texts), Uint32Array.from(texts.keys()))]).toEqual(sortedByBytes(texts));
    }),
    { numRuns: 200 },
  );
});

it('sorts more texts than two bytes can count', () => {
  const texts = Array.from({ length: 70_000 }, (_, i) => `shared beginning ${Math.imul(i, 2_654_435_761) >>> 0}`);
  expect([...sortByText(columnOf(texts), Uint32Array.from(texts.keys()))]).toEqual(sortedByBytes(texts));
});
