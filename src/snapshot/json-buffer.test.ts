import fc from 'fast-check';
import { expect, it } from 'vitest';
import { finishedJson, newJsonBuffer, writeHundredths, writeNumber, writeText } from './json-buffer.ts';

function written(write: (json: ReturnType<typeof newJsonBuffer>) => void): string {
  const json = newJsonBuffer();
  write(json);
  return Buffer.from(finishedJson(json)).toString('utf8');
}

it('writes texts as JSON.stringify does', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = Buffer.from(text, 'utf8');
      expect(written((json) => writeText(json, bytes, { start: 0, end: bytes.length }))).toBe(JSON.stringify(text));
    }),
    { numRuns: 1000 },
  );
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
  const bytes = Buffer.alloc(300_000, 'a');
  expect(written((json) => writeText(json, bytes, { start: 0, end: bytes.length }))).toHaveLength(300_002);
});
