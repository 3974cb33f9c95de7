import { describe, expect, it } from 'vitest';
import { PALETTE, stylesXml } from './styles.ts';

type Rgb = readonly [red: number, green: number, blue: number];

function linear(color: string): Rgb {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2: 1 to 21. */
function contrast({ text, fill }: { readonly text: string; readonly fill: string }): number {
  const [a, b] = [luminance(linear(text)), luminance(linear(fill))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** CIE L*: 0 to 100. */
function lightness(rgb: Rgb): number {
  return 116 * Math.cbrt(luminance(rgb)) - 16;
}

// Machado, Oliveira and Fernandes (2009), complete loss of one cone type.
const BLINDNESS = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const;

function seenWith(blindness: keyof typeof BLINDNESS, [red, green, blue]: Rgb): Rgb {
  const [r, g, b] = BLINDNESS[blindness].map((row) =>
    Math.min(1, Math.max(0, row[0] * red + row[1] * green + row[2] * blue)),
  );
  return [r ?? 0, g ?? 0, b ?? 0];
}

describe('the colours', () => {
  it.each([
    [PALETTE.improvedText, PALETTE.improvedFill],
    [PALETTE.worsenedText, PALETTE.worsenedFill],
    [PALETTE.onHeader, PALETTE.header],
    [PALETTE.onHeader, PALETTE.periodHeader],
    [PALETTE.ink, 'FFFFFF'],
  ])('give text %s on %s the contrast of WCAG AA at least', (text, fill) => {
    expect(contrast({ text, fill })).toBeGreaterThanOrEqual(4.5);
  });

  it('tell improved from worsened by lightness alone, as on a grey print', () => {
    const improved = lightness(linear(PALETTE.improvedFill));
    const worsened = lightness(linear(PALETTE.worsenedFill));
    expect(improved - worsened).toBeGreaterThanOrEqual(15);
  });

  it.each(['protanopia', 'deuteranopia', 'tritanopia'] as const)('stay apart with %s', (blindness) => {
    const improved = lightness(seenWith(blindness, linear(PALETTE.improvedFill)));
    const worsened = lightness(seenWith(blindness, linear(PALETTE.worsenedFill)));
    expect(improved - worsened).toBeGreaterThanOrEqual(12);
    expect(100 - worsened, 'worsened is also darker than paper').toBeGreaterThanOrEqual(15);
  });
});

describe('the style part', () => {
  it('counts what it lists', () => {
    const xml = stylesXml();
    for (const [list, element] of Object.entries({
      numFmts: 'numFmt ',
      fonts: 'font>',
      fills: 'fill>',
      cellXfs: 'xf ',
    })) {
      const [, count, body] = new RegExp(`<${list} count="([0-9]+)">(.*)</${list}>`).exec(xml) ?? [];
      expect(body?.split(`<${element}`).length, list).toBe(Number(count) + 1);
    }
  });
});
