import { describe, expect, it } from 'vitest';
import { createByteSink, createLexiconBuilder, putHundredths, putInteger, putPiece, putText } from './byte-sink.ts';

function written(put: (sink: ReturnType<typeof createByteSink>) => void): string {
  const sink = createByteSink(256);
  put(sink);
  return Buffer.from(sink.bytes.subarray(0, sink.length)).toString();
}

describe('a byte sink', () => {
  it.each([0, 7, 10, 999, 1000, 3_000_000, 4_294_967_295])('writes the integer %i', (value) => {
    expect(written((sink) => putInteger(sink, value))).toBe(String(value));
  });

  it.each([
    [0, '0'],
    [5, '0.05'],
    [1250, '12.5'],
    [3333, '33.33'],
    [10_000, '100'],
  ])('writes %i hundredths as %s', (hundredths, text) => {
    expect(written((sink) => putHundredths(sink, hundredths))).toBe(text);
  });

  it('writes pieces of any length, one after another, to the last byte', () => {
    const builder = createLexiconBuilder();
    const texts = ['a', 'niño', '', 'twelve bytes', 'x'];
    const pieces = texts.map((text) => builder.add(text));
    const lexicon = builder.build();
    expect(builder.add('a')).toBe(pieces[0]);
    const text = written((sink) => {
      for (const piece of pieces) putPiece(sink, lexicon, piece);
      putText(sink, '\uFFFC');
    });
    expect(text).toBe(`${texts.join('')}\uFFFC`);
  });
});
