import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addedBytes,
  addedNumbers,
  continueText,
  currentText,
  emptyText,
  growText,
  pushText,
} from '../build/growing.ts';
import { buildTextIndex, compareTexts, findEntry, partOf, readText, viewText } from './text-column.ts';

const MEBIBYTE = 2 ** 20;

/** A block of more than 4 GiB in which only a few texts are written; the rest of it is never touched, and takes no memory. */
function openLongBlock(): { readonly block: SharedArrayBuffer; readonly ends: Uint32Array; readonly count: number } {
  // Not a divisor of 4 GiB, so that one text lies across it.
  const textBytes = 3 * MEBIBYTE + 1;
  const count = 2900;
  const block = new SharedArrayBuffer(textBytes * count);
  const ends = Uint32Array.from({ length: count }, (_, i) => ((i + 1) * textBytes) % 2 ** 32);
  for (const text of [0, 1364, 1365, 1366, 2729, 2730, 2731, count - 1]) {
    const name = Buffer.from(`text ${text}`);
    new Uint8Array(block, text * textBytes, name.length).set(name);
  }
  return { block, ends, count };
}

describe('a text column', () => {
  it('has the texts that were added, before and after it was saved', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 30 });
    fc.assert(
      fc.property(texts, texts, (saved, added) => {
        const first = emptyText();
        for (const text of saved) pushText(first, text);
        const block = Uint8Array.from(Buffer.concat(addedBytes(first))).buffer;
        const ends = first.ends.values.slice(0, first.ends.count);
        const second = growText({ block, ends });
        for (const text of added) pushText(second, text);
        const column = currentText(second);
        expect([...saved, ...added].map((_, i) => readText(column, i))).toEqual([...saved, ...added]);
        const index = buildTextIndex(column, second.ends.count);
        for (const text of [...saved, ...added]) {
          const entry = findEntry(index, column, text);
          expect(entry === undefined ? undefined : readText(column, entry)).toBe(text);
        }
        expect(Buffer.concat(addedBytes(second)).toString()).toBe(added.join(''));
      }),
    );
  });

  it('is read beyond 4 GiB, also where a text lies across', () => {
    const { block, ends, count } = openLongBlock();
    expect(block.byteLength).toBeGreaterThan(2 * 2 ** 32);
    const column = viewText(block, ends);
    for (const text of [0, 1364, 1365, 1366, 2729, 2730, 2731, count - 1]) {
      const name = readText(column, text);
      expect(name.length).toBe(3 * MEBIBYTE + 1);
      expect(name.slice(0, name.indexOf('\0'))).toBe(`text ${text}`);
    }
    expect(partOf(column, 0)).not.toBe(partOf(column, count - 1));
    expect(compareTexts(column, [1364, 2731])).toBeLessThan(0);
    expect(compareTexts(column, [2731, 1364])).toBeGreaterThan(0);
    expect(compareTexts(column, [1365, 1365])).toBe(0);
  });

  it('goes on beyond 4 GiB in a later build', () => {
    const byteCount = 2 ** 32 - 3;
    const column = continueText({ byteCount, count: 1 });
    pushText(column, 'across');
    pushText(column, 'behind');
    expect(readText(currentText(column), 0)).toBe('across');
    expect(readText(currentText(column), 1)).toBe('behind');
    expect(Array.from(addedNumbers(column.ends))).toEqual([3, 9]);
    expect(column.byteCount).toBe(2 ** 32 + 9);
  });
});
