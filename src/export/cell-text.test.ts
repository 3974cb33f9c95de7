import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, MAX_CELL_CHARACTERS, sheetText } from './cell-text.ts';
import { SheetBytes } from './sheet-bytes.ts';

/** Every code unit that XML 1.0 or a spreadsheet cannot take, tried one by one. */
function isAllowedUnit(unit: number): boolean {
  if (unit === 9 || unit === 10) return true;
  return unit >= 32 && !(unit >= 0x7f && unit <= 0x9f) && !(unit >= 0xd800 && unit <= 0xdfff) && unit < 0xfffe;
}

function written(text: string): string {
  const bytes = new SheetBytes(16);
  bytes.text(text);
  return bytes.take().toString('utf8');
}

describe('cleaning', () => {
  it('keeps or replaces each of the 65,536 code units as documented', () => {
    const wrong = Array.from({ length: 0x10000 }, (_, unit) => unit).filter((unit) => {
      const expected = unit === 13 ? '\n' : isAllowedUnit(unit) ? String.fromCharCode(unit) : '\ufffd';
      return cleanText(`a${String.fromCharCode(unit)}b`) !== `a${expected}b`;
    });
    expect(wrong).toEqual([]);
  });

  it('keeps surrogate pairs and replaces halves', () => {
    expect(cleanText('👟 x\ud83d y\udc5f')).toBe('👟 x\ufffd y\ufffd');
  });

  it('makes one line feed of every kind of line end', () => {
    expect(cleanText('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
  });

  it('cuts at the limit of a cell, with an ellipsis and never through a pair', () => {
    expect(cleanText('x'.repeat(MAX_CELL_CHARACTERS))).toBe('x'.repeat(MAX_CELL_CHARACTERS));
    expect(cleanText('x'.repeat(MAX_CELL_CHARACTERS + 1))).toBe(`${'x'.repeat(MAX_CELL_CHARACTERS - 1)}…`);
    expect(cleanText('👟'.repeat(20_000))).toBe(`${'👟'.repeat(16_383)}…`);
    expect(cleanText(`x${'👟'.repeat(20_000)}`)).toBe(`x${'👟'.repeat(16_382)}…`);
  });
});

describe('sheet text', () => {
  it('escapes markup and what Excel would read as an escape', () => {
    expect(sheetText('<f>1&2</f> "q"')).toBe('&lt;f&gt;1&amp;2&lt;/f&gt; "q"');
    expect(sheetText('_x0041_ _x004g_ _X0041_ _x00411_ __x0041_')).toBe(
      '_x005F_x0041_ _x004g_ _X0041_ _x00411_ __x005F_x0041_',
    );
    expect(sheetText('_x0041_x0042_')).toBe('_x005F_x0041_x005F_x0042_');
  });

  it('is the same text however it is written', () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('&', '<', '>', '_', 'x', '0041', '_x000D_', '\r\n', '👟', 'é', '靴', ' '),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const text = units.join('');
        expect(written(text)).toBe(sheetText(text));
      }),
      { numRuns: 2000 },
    );
    const units = Array.from({ length: 0x10000 }, (_, code) => `a${String.fromCharCode(code)}b`);
    expect(units.filter((text) => written(text) !== sheetText(text))).toEqual([]);
    const long = 'y'.repeat(MAX_CELL_CHARACTERS + 5);
    expect(written(long)).toBe(sheetText(long));
  });
});

describe('numbers in sheet bytes', () => {
  it('are written as JavaScript writes them', () => {
    const values = [
      0,
      7,
      10,
      99,
      100,
      -1,
      -10,
      2 ** 31 - 1,
      -(2 ** 31),
      2 ** 31,
      2 ** 53,
      0.1234,
      -2.5,
      1e-6,
      12_345.6,
    ];
    const bytes = new SheetBytes(4);
    for (const value of values) {
      bytes.number(value);
      bytes.text(' ');
    }
    expect(bytes.take().toString()).toBe(`${values.join(' ')} `);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuse %d, which would damage the file', (value) => {
    expect(() => new SheetBytes(64).number(value)).toThrow('A cell cannot hold NaN or infinity.');
  });
});
