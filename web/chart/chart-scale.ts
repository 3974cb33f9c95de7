// How values become heights: ranks on a logarithmic scale with rank 1 on top, counts and shares on a straight one from zero.
import { formatNumber, formatPercent, formatShort } from '../parts/format.ts';
import { rankSpan } from '../parts/rank-scale.ts';

/** Lines stand for themselves; areas and columns are stacked on each other, the first at the bottom. */
export type Shape = 'lines' | 'areas' | 'columns';
export type Measure = 'rank' | 'count' | 'percent';

export interface Series {
  readonly name: string;
  /** One per mark of the chart; null where there is none. */
  readonly values: readonly (number | null)[];
  /** A variable of the style sheet. */
  readonly colour: string;
  readonly dash?: readonly number[] | undefined;
}

/** A place on the chart's time axis. */
export interface Mark {
  /** Below the chart; two lines where it has a line break. */
  readonly text: string;
  /** In full, where one reads. */
  readonly name: string;
}

/** The first and the last mark in sight, counted from the oldest. */
export interface ChartRange {
  readonly from: number;
  readonly to: number;
}

export interface Scale {
  /** 0 is the top of the chart, 1 its bottom. */
  readonly depthOf: (value: number) => number;
  readonly ticks: readonly number[];
  readonly formatTick: (value: number) => string;
}

const STEPS = [1, 2, 2.5, 5, 10];
const MAX_TICKS = 6;

/** Fits what is in sight. */
export function makeScale(
  series: readonly Series[],
  { measure, shape, range }: { readonly measure: Measure; readonly shape: Shape; readonly range: ChartRange },
): Scale {
  const inSight = series.map(({ values }) => values.slice(range.from, range.to + 1));
  if (measure === 'rank') return rankScale(inSight.flat().filter((value) => value !== null));
  const sums = Array.from({ length: range.to - range.from + 1 }, (_, i) => {
    const values = inSight.map((each) => each[i] ?? 0);
    return shape === 'lines' ? Math.max(0, ...values) : values.reduce((sum, value) => sum + value, 0);
  });
  return straightScale(Math.max(0, ...sums), measure);
}

/** From the best to the worst rank, with a little room. */
function rankScale(ranks: readonly number[]): Scale {
  const { best, worst } = ranks.length === 0 ? { best: 1, worst: 10 } : rankSpan(ranks);
  const room = Math.max(1.15, (worst / best) ** 0.08);
  const [top, bottom] = [Math.max(0.85, best / room), worst * room];
  return {
    depthOf: (rank) => Math.log(rank / top) / Math.log(bottom / top),
    ticks: listRankTicks(top, bottom),
    formatTick: formatShort,
  };
}

/** Round ranks: 1, 10, 100 …, with others between them where there is room. */
function listRankTicks(min: number, max: number): readonly number[] {
  const decades = Math.log10(max / min);
  const steps = decades > 3 ? [1] : decades > 1.2 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
  const ticks: number[] = [];
  for (let decade = 10 ** Math.floor(Math.log10(Math.max(1, min))); decade <= max; decade *= 10) {
    for (const step of steps) {
      const rank = Math.round(decade * step);
      if (rank >= min && rank <= max && rank >= 1) ticks.push(rank);
    }
  }
  return [...new Set(ticks)];
}

function straightScale(largest: number, measure: Measure): Scale {
  const least = measure === 'count' ? 1 : 0.1;
  const rough = Math.max(largest, least) / (MAX_TICKS - 1);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step =
    STEPS.map((each) => each * decade).find((each) => each >= rough && (measure !== 'count' || each >= 1)) ?? 1;
  // Counts are whole.
  const whole = measure === 'count' ? Math.max(1, Math.ceil(step)) : step;
  const count = Math.max(1, Math.ceil(largest / whole - 1e-9));
  const top = count * whole;
  return {
    depthOf: (value) => 1 - value / top,
    ticks: Array.from({ length: count + 1 }, (_, i) => i * whole),
    formatTick: measure === 'percent' ? (value) => `${formatNumber(value)}%` : formatShort,
  };
}

export function formatValue(value: number | null | undefined, measure: Measure): string {
  if (value === null || value === undefined) return '–';
  return measure === 'percent' ? formatPercent(value) : formatNumber(value);
}

/** Where the layers of a stack begin and end at each mark; what is not known adds nothing. */
export function stackLayers(
  series: readonly Series[],
  count: number,
): readonly (readonly (readonly [number, number])[])[] {
  const heights = Array.from({ length: count }, () => 0);
  return series.map(({ values }) =>
    heights.map((bottom, i) => {
      const top = bottom + (values[i] ?? 0);
      heights[i] = top;
      return [bottom, top] as const;
    }),
  );
}
