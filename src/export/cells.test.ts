import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VALUE_FORMATS, type ValueFormat } from '../domain/keyword-export.ts';
import { changeFraction, changeTone, periodCells, plainValue, shareFraction } from './cells.ts';

/** Cells as short text: the value and the first letter of its tone, `-` for an empty cell. */
function shown(ranks: readonly (number | null)[], format: ValueFormat, colorThresholdPercent = 0): string {
  return periodCells(ranks, { format, colorThresholdPercent })
    .map((cell) => (cell === null ? '-' : `${cell.value}${cell.tone.charAt(0)}`))
    .join(' ');
}

describe('period cells', () => {
  it.each([
    ['raw', '100n 75i 75n 150w'],
    ['delta', '- 25i 0n -75w'],
    ['percentage', '- 0.25i 0n -1w'],
  ] as const)('show %s values, coloured by the change to the period before', (format, expected) => {
    expect(shown([100, 75, 75, 150], format)).toBe(expected);
  });

  it.each([
    ['raw', '- 100n - - 80i - 90w -'],
    ['delta', '- - - - 20i - -10w -'],
    ['percentage', '- - - - 0.2i - -0.125w -'],
  ] as const)(
    'of %s compare across gaps with the previous ranked period and leave the gaps empty',
    (format, expected) => {
      expect(shown([null, 100, null, null, 80, null, 90, null], format)).toBe(expected);
      expect(shown([0, 100, 0, 0, 80, 0, 90, 0], format)).toBe(expected);
    },
  );

  it.each([
    [0, '100n 99i 100w'],
    [1, '100n 99i 100w'],
    [2, '100n 99n 100n'],
  ])('at a threshold of %i percent colour what reaches it', (threshold, expected) => {
    expect(shown([100, 99, 100], 'raw', threshold)).toBe(expected);
  });

  it.each(VALUE_FORMATS)('have the same tones in %s as in every other format', (format) => {
    for (const threshold of [0, 1, 10, 50]) {
      const ranks = [200, 199, 180, 90, 91, null, 180, 400, 399];
      const raw = periodCells(ranks, { format: 'raw', colorThresholdPercent: threshold });
      const cells = periodCells(ranks, { format, colorThresholdPercent: threshold });
      cells.forEach((cell, index) => {
        if (cell !== null) expect(cell.tone).toBe(raw[index]?.tone);
      });
      expect(cells.filter((cell) => cell !== null)).toHaveLength(format === 'raw' ? 8 : 7);
    }
  });

  it.each(VALUE_FORMATS)('of %s are all empty without any rank', (format) => {
    expect(shown([null, 0, null], format)).toBe('- - -');
    expect(shown([], format)).toBe('');
  });

  it('read a typed column like a list with nulls', () => {
    const rule = { format: 'delta', colorThresholdPercent: 5 } as const;
    expect(periodCells(Int32Array.of(0, 10, 0, 7), rule)).toEqual(periodCells([null, 10, null, 7], rule));
  });
});

describe('the colour threshold', () => {
  it.each([
    [{ previousRank: 1000, rank: 950 }, 5, 'improved'],
    [{ previousRank: 1000, rank: 951 }, 5, 'neutral'],
    [{ previousRank: 1000, rank: 1050 }, 5, 'worsened'],
    [{ previousRank: 1000, rank: 1049 }, 5, 'neutral'],
    [{ previousRank: 3, rank: 2 }, 33, 'improved'],
    [{ previousRank: 3, rank: 2 }, 34, 'neutral'],
    [{ previousRank: 2, rank: 1 }, 50, 'improved'],
    [{ previousRank: 1, rank: 2 }, 50, 'worsened'],
    [{ previousRank: 7, rank: 7 }, 0, 'neutral'],
  ] as const)('judges %j at %i percent as %s', (pair, threshold, tone) => {
    expect(changeTone(pair, threshold)).toBe(tone);
  });

  it('is exact where binary fractions are not', () => {
    // 29 % of 100 is 28.999999999999996 in floating point.
    expect(changeTone({ previousRank: 100, rank: 71 }, 29)).toBe('improved');
    expect(changeTone({ previousRank: 2_147_483_647, rank: 1_073_741_824 }, 50)).toBe('neutral');
  });
});

describe('fractions', () => {
  const rank = fc.integer({ min: 1, max: 3_000_000 });

  it('have at most six decimals, no minus zero, and the sign of the change', () => {
    fc.assert(
      fc.property(rank, rank, (previousRank, current) => {
        const fraction = changeFraction({ previousRank, rank: current });
        expect(String(fraction)).toMatch(/^-?[0-9]+(?:\.[0-9]{1,6})?$|^-?[1-9]e-6$/);
        expect(Object.is(fraction, -0)).toBe(false);
        expect(Math.abs(fraction - (previousRank - current) / previousRank)).toBeLessThanOrEqual(0.000_000_6);
      }),
    );
  });

  it('turn shares of a hundred into what a percent format expects', () => {
    expect([0, 12.34, 0.01, 33.333333, 100].map(shareFraction)).toEqual([0, 0.1234, 0.0001, 0.333333, 1]);
  });

  it('are percent in plain text', () => {
    const cell = { value: -0.125, tone: 'worsened' } as const;
    expect(plainValue(cell, { format: 'percentage', colorThresholdPercent: 0 })).toBe(-12.5);
    expect(plainValue({ ...cell, value: -7 }, { format: 'delta', colorThresholdPercent: 0 })).toBe(-7);
  });
});
