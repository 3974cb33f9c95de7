import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fixNames,
  fixText,
  newJsonBuffer,
  writeFixed,
  writeHundredths,
  writeNamedNumbers,
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

it('writes numbers beside every power of two and of ten as JSON.stringify does', () => {
  const powers = [...Array.from({ length: 32 }, (_, n) => 2 ** n), ...Array.from({ length: 10 }, (_, n) => 10 ** n)];
  for (const value of powers.flatMap((power) => [power - 1, power, power + 1])) {
    expect(written((json) => writeNumber(json, value))).toBe(String(value));
    expect(written((json) => writeHundredths(json, value))).toBe(String(value / 100));
  }
});

it('writes named numbers as JSON.stringify does, without those that are 0', () => {
  const number = fc.oneof(fc.constant(0), fc.nat(0xffffffff));
  const cases = fc.tuple(fc.array(number, { maxLength: 60 }), fc.nat(5), fc.integer({ min: 1, max: 12 }), fc.nat(3));
  fc.assert(
    fc.property(cases, ([numbers, name, digits, before]) => {
      // Of one to four words of four bytes, and of lengths of their own.
      const names = Array.from({ length: name + numbers.length }, (_, i) => `é${i}-${'x'.repeat(i % digits)}`);
      const values = Uint32Array.from([...Array(before).fill(7), ...numbers, 9]);
      const range = { values, from: before, to: before + numbers.length, name };
      const expected = Object.fromEntries(numbers.flatMap((value, i) => (value > 0 ? [[names[name + i], value]] : [])));
      const around = (json: ReturnType<typeof newJsonBuffer>) => {
        writeFixed(json, fixText('a'));
        writeNamedNumbers(json, fixNames(names), range);
        writeFixed(json, fixText('b'));
      };
      expect(written(around)).toBe(`a${JSON.stringify(expected)}b`);
    }),
  );
});

it('grows beyond its first size', () => {
  expect(writtenText('a'.repeat(300_000))).toHaveLength(300_002);
});
