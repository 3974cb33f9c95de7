// The rules of a period cell, apart from any file form: which number it shows and which tone it has.
//
// A rank is compared with the keyword's previous ranked period, the nearest earlier visible one that has a rank; gaps are
// skipped. Moving up is a smaller rank, so a change is previous minus current: positive means improved.
import type { ValueFormat } from '../domain/keyword-export.ts';

export const TONES = ['improved', 'worsened', 'neutral'] as const;
export type Tone = (typeof TONES)[number];

export interface CellRule {
  readonly format: ValueFormat;
  readonly colorThresholdPercent: number;
}

export interface PeriodCell {
  /** A rank, a change in ranks, or a change as a fraction (0.25 is 25 %). */
  readonly value: number;
  readonly tone: Tone;
}

export interface RankPair {
  readonly previousRank: number;
  readonly rank: number;
}

const FRACTION_STEPS = 1_000_000;

/** One cell per period; null is an empty cell: no rank there, or in delta and percentage nothing to compare with. */
export function periodCells(ranks: ArrayLike<number | null>, rule: CellRule): readonly (PeriodCell | null)[] {
  const cells: (PeriodCell | null)[] = [];
  let previousRank: number | undefined;
  for (let index = 0; index < ranks.length; index += 1) {
    const rank = ranks[index];
    if (!rank) {
      cells.push(null);
      continue;
    }
    cells.push(previousRank === undefined ? firstCell(rank, rule) : laterCell({ previousRank, rank }, rule));
    previousRank = rank;
  }
  return cells;
}

/** A change of less than the threshold is neutral, and so is no change at all. Exact: whole numbers are compared. */
export function changeTone({ previousRank, rank }: RankPair, colorThresholdPercent: number): Tone {
  const change = previousRank - rank;
  if (change === 0 || Math.abs(change) * 100 < colorThresholdPercent * previousRank) return 'neutral';
  return change > 0 ? 'improved' : 'worsened';
}

/** The change as a fraction of the previous rank, to six decimals: 100 to 75 is 0.25, 100 to 300 is -2. */
export function changeFraction({ previousRank, rank }: RankPair): number {
  // Adding 0 turns the -0 of a rounded tiny loss into 0, which no file should show as "-0".
  return Math.round(((previousRank - rank) / previousRank) * FRACTION_STEPS) / FRACTION_STEPS + 0;
}

/** A share of 0 to 100 percent as the fraction that a percent number format expects, to six decimals. */
export function shareFraction(sharePercent: number): number {
  return Math.round((sharePercent / 100) * FRACTION_STEPS) / FRACTION_STEPS;
}

/** The value where no number format follows it: percentages are in percent, as everywhere in the API. */
export function plainValue({ value }: PeriodCell, { format }: CellRule): number {
  return format === 'percentage' ? Math.round(value * FRACTION_STEPS) / (FRACTION_STEPS / 100) : value;
}

function firstCell(rank: number, rule: CellRule): PeriodCell | null {
  return rule.format === 'raw' ? { value: rank, tone: 'neutral' } : null;
}

function laterCell(pair: RankPair, rule: CellRule): PeriodCell {
  const tone = changeTone(pair, rule.colorThresholdPercent);
  switch (rule.format) {
    case 'raw':
      return { value: pair.rank, tone };
    case 'delta':
      return { value: pair.previousRank - pair.rank, tone };
    case 'percentage':
      return { value: changeFraction(pair), tone };
  }
}
