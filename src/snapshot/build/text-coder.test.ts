import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodedText, MAX_CODED_WORDS, openKeptTexts, putWord, readCodedText } from '../format/coded-text.ts';
import { type TextColumn, viewText } from '../format/text-column.ts';
import { addedBytes, emptyText, type GrowingText, growText, pushText } from './growing.ts';
import { TextCoder } from './text-coder.ts';

function grow(texts: readonly string[] = []): GrowingText {
  const column = emptyText();
  for (const text of texts) pushText(column, text);
  return column;
}

function openCoded() {
  const words = grow();
  const coded = grow();
  return {
    coder: new TextCoder({ words, coded }),
    /** As a file has it, without room behind the last text. */
    view: () => ({ codes: cut(coded), words: cut(words) }),
    sizeBytes: () => coded.byteCount + words.byteCount + 4 * words.ends.count,
  };
}

function bytesOf(column: GrowingText): ArrayBuffer {
  return Uint8Array.from(Buffer.concat(addedBytes(column))).buffer;
}

function cut(column: GrowingText): TextColumn {
  return viewText(bytesOf(column), column.ends.values.slice(0, column.ends.count));
}

function readAll(text: CodedText, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => readCodedText(text, i));
}

/** Words of all kinds, few of which come up again and again. */
const words = fc.oneof(
  fc.constantFrom('Running', 'Shoes', 'für', '靴', '👟👟', '', ',', '-'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 5 }).map((text) => Buffer.from(text).toString()),
);
const texts = fc.oneof(
  fc.constantFrom('', ' ', '  ', ' a', 'a ', 'a  b'),
  fc.array(words, { maxLength: 12 }).map((list) => list.join(' ')),
);

describe('coded text', () => {
  it('is the text again, whatever it is made of, also of later batches', () => {
    fc.assert(
      fc.property(fc.array(fc.array(texts, { maxLength: 20 }), { maxLength: 4 }), (batches) => {
        const text = openCoded();
        for (const batch of batches) text.coder.push(grow(batch));
        expect(readAll(text.view(), batches.flat().length)).toEqual(batches.flat());
      }),
      { numRuns: 300 },
    );
  });

  it('reads texts of many words, long words, and empty ones', () => {
    const long = ['x'.repeat(4000), `${'y'.repeat(127)} ${'z'.repeat(128)}`, '', 'a '.repeat(2000), '字'.repeat(1300)];
    const text = openCoded();
    text.coder.push(grow(long));
    expect(readAll(text.view(), long.length)).toEqual(long);
  });

  it('is the same when it is kept for the next page', () => {
    const given = ['', 'Running Shoes', 'x'.repeat(300), ...Array.from({ length: 9000 }, (_, i) => `Title ${i}`)];
    const text = openCoded();
    text.coder.push(grow(given));
    const titleOf = openKeptTexts(text.view());
    // Several share a place; each is asked for twice in a row, and again after the others.
    for (const index of [0, 1, 1, 4097, 4097, 1, 2, 2, 8193, 1, 2, 0, 9002, 4906, 9002]) {
      const { view, start, end } = titleOf(index);
      expect(Buffer.from(view.buffer, view.byteOffset + start, end - start).toString()).toBe(given[index]);
    }
  });

  it('continues after a build ended: words keep their numbers', () => {
    const first = ['Fleetora Running Shoes', 'Fleetora Running Socks', 'Fleetora Running Shoes, Black'];
    const savedWords = grow();
    const savedCodes = grow();
    new TextCoder({ words: savedWords, coded: savedCodes }).push(grow(first));
    const reopen = (column: GrowingText): GrowingText => {
      const { ends } = column;
      return growText({ block: bytesOf(column), ends: ends.values.slice(0, ends.count) });
    };
    const nextWords = reopen(savedWords);
    const nextCodes = reopen(savedCodes);
    const second = ['Fleetora Running Hats', 'Other Running Hats', 'Other Running Hats'];
    new TextCoder({ words: nextWords, coded: nextCodes }).push(grow(second));
    const whole = (saved: GrowingText, next: GrowingText): TextColumn => {
      const block = Uint8Array.from(Buffer.concat([...addedBytes(saved), ...addedBytes(next)])).buffer;
      return viewText(block, next.ends.values.slice(0, next.ends.count));
    };
    const text = { codes: whole(savedCodes, nextCodes), words: whole(savedWords, nextWords) };
    expect(readAll(text, 6)).toEqual([...first, ...second]);
    expect(Buffer.concat(addedBytes(nextWords)).toString()).toBe('HatsOther');
  });

  it('numbers words of two and three bytes', () => {
    // Every word in three texts, so that each gets a number; enough for both lengths.
    const many = Array.from({ length: 62_000 }, (_, i) => `word${i}`);
    const given = [many.join(' '), many.join(' '), many.join(' ')];
    const text = openCoded();
    text.coder.push(grow(given));
    expect(readAll(text.view(), 3)).toEqual(given);
    expect(text.view().words.ends.length).toBe(62_000);
    const room = new Uint8Array(3);
    const sizes = [0, 61_439, 61_440, MAX_CODED_WORDS - 1].map((word) => putWord(room, { at: 0, word }));
    expect(sizes).toEqual([2, 2, 3, 3]);
    expect(room[0]).toBe(254);
  });

  it('takes less than half of titles whose words come up again, and hardly more than the text of others', () => {
    const noun = ['Running Shoes', 'Wireless Earbuds', 'Phone Case', 'Yoga Mat'];
    const titles = Array.from(
      { length: 5000 },
      (_, i) =>
        `${noun[i % 4]} by Brand${i % 50}, Breathable Lightweight Design - Pack of ${i % 7} (Model ${i * 7919})`,
    );
    const shared = openCoded();
    shared.coder.push(grow(titles));
    expect(shared.sizeBytes()).toBeLessThan(Buffer.byteLength(titles.join('')) / 2);
    const single = Array.from({ length: 2000 }, (_, i) => `商品${i * 104_729}番の長い題名です`);
    const literal = openCoded();
    literal.coder.push(grow(single));
    expect(literal.sizeBytes()).toBeLessThan(Buffer.byteLength(single.join('')) * 1.1);
  });
});
