import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fixText,
  newJsonBuffer,
  writeFixed,
  writeHundredths,
  writeNumber,
  writeText,
  writtenJson,
} from './json-buffer.ts';

function written(write: (json: ReturnType<typeof newJsonBuffer>) => void): string {
  const json = newJsonBuffer();
  write(json);
  return Buffer.from(writtenJson(json)).toString('utf8');
}

/** From the middle of a block, as texts stand in columns. */
function writtenText(text: string): string {
  const bytes = new TextEncoder().encode(`"${text}"`);
  const range = { start: 1, end: bytes.length - 1 };
  return written((json) => writeText(json, new DataView(bytes.buffer), range));
}

it('writes texts as JSON.stringify does', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(texts, (text) => {
      expect(writtenText(text)).toBe(JSON.stringify(text));
    }),
    { numRuns: 1000 },
  );
});

it('escapes a character wherever it stands', () => {
  for (const character of ['"', '\\', '\n', '\u0000', '\u001f', '\u007f', 'é', '🦊']) {
    for (let before = 0; before < 9; before += 1) {
      const text = `${'a'.repeat(before)}${character}bcdefgh`;
      expect(writtenText(text)).toBe(JSON.stringify(text));
    }
  }
});

it('writes fixed texts of any length', () => {
  const texts = ['', 'a', 'ab', 'abc', 'abcd', 'é,"x":'];
  expect(written((json) => texts.forEach((text) => void writeFixed(json, fixText(text))))).toBe(texts.join(''));
});

it('writes whole numbers and hundredths as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), (value) => {
      expect(written((json) => writeNumber(json, value))).toBe(JSON.stringify(value));
      expect(written((json) => writeHundredths(json, value))).toBe(JSON.stringify(value / 100));
    }),
  );
});

it('grows beyond its first size', () => {
  expect(writtenText('a'.repeat(300_000))).toHaveLength(300_002);
});
