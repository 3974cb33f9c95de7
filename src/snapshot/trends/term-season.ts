// The season of one term from its ranks (domain/season.ts). Called for every term, so nothing is made for those that have none.
import { MIN_FULL_YEARS, MONTHS_IN_YEAR, type SeasonYear, strengthHundredths } from '../../domain/season.ts';

/** Where the ranks of a term stand beside each other: year by year, newest first, and month by month within; 0 for none. */
export interface RankLayout {
  readonly yearCount: number;
  /** By year and month: where the ranks of the month begin; one more at the end. */
  readonly starts: Uint32Array;
  /** Room for all of them. */
  readonly scratch: Uint32Array;
  /** By year: its peak months, a bit for each. */
  readonly peaks: Uint16Array;
}

export interface TermSeason {
  /** 1 to 12. */
  readonly peakMonth: number;
  readonly fullYears: number;
  /** In hundredths. */
  readonly strength: number;
}

const MONTH_AND_NEIGHBOURS = 1 | (1 << 1) | (1 << (MONTHS_IN_YEAR - 1));
/** Up to so many are sorted in place by insertion. */
const INSERTED_BELOW = 24;

export function layOutRanks(years: readonly SeasonYear[]): RankLayout {
  const starts = [0];
  for (const places of years.flat()) starts.push((starts.at(-1) ?? 0) + places.length);
  return {
    yearCount: years.length,
    starts: Uint32Array.from(starts),
    scratch: new Uint32Array((starts.at(-1) ?? 0) + 1),
    peaks: new Uint16Array(years.length),
  };
}

/** Of the term whose ranks begin at `base`. */
export function findTermSeason(layout: RankLayout, ranks: Uint32Array, base: number): TermSeason | undefined {
  const fullYears = findYearPeaks(layout, ranks, base);
  if (fullYears < MIN_FULL_YEARS) return undefined;
  const { starts, scratch } = layout;
  let peakMonth = 0;
  let peakMedian = Number.POSITIVE_INFINITY;
  for (let month = 0; month < MONTHS_IN_YEAR; month += 1) {
    let count = 0;
    for (let at = month; at < fullYears * MONTHS_IN_YEAR; at += MONTHS_IN_YEAR) {
      for (let i = starts[at] ?? 0; i < (starts[at + 1] ?? 0); i += 1) {
        count = push(scratch, count, ranks[base + i] ?? 0);
      }
    }
    const median = medianDoubled(scratch, count);
    if (median < peakMedian) {
      peakMedian = median;
      peakMonth = month;
    }
  }
  for (let year = 0; year < fullYears; year += 1) {
    // Turned round, so that the peak month is the first bit.
    const peaks = layout.peaks[year] ?? 0;
    const turned = (peaks >>> peakMonth) | (peaks << (MONTHS_IN_YEAR - peakMonth));
    if ((turned & MONTH_AND_NEIGHBOURS) === 0) return undefined;
  }
  let count = 0;
  for (let i = 0; i < (starts[fullYears * MONTHS_IN_YEAR] ?? 0); i += 1) {
    count = push(scratch, count, ranks[base + i] ?? 0);
  }
  const yearsMedian = medianDoubled(scratch, count);
  if (yearsMedian <= peakMedian) return undefined;
  return { peakMonth: peakMonth + 1, fullYears, strength: strengthHundredths(yearsMedian, peakMedian) };
}

/** How many years are full, from the newest on without a gap; notes the peak months of each. */
function findYearPeaks(layout: RankLayout, ranks: Uint32Array, base: number): number {
  const { yearCount, starts, scratch, peaks } = layout;
  for (let year = 0; year < yearCount; year += 1) {
    let lowest = Number.POSITIVE_INFINITY;
    let bits = 0;
    for (let month = 0; month < MONTHS_IN_YEAR; month += 1) {
      const at = year * MONTHS_IN_YEAR + month;
      let count = 0;
      for (let i = starts[at] ?? 0; i < (starts[at + 1] ?? 0); i += 1) {
        count = push(scratch, count, ranks[base + i] ?? 0);
      }
      if (count === 0) return year;
      const median = medianDoubled(scratch, count);
      if (median < lowest) bits = 0;
      if (median <= lowest) {
        lowest = median;
        bits |= 1 << month;
      }
    }
    peaks[year] = bits;
  }
  return yearCount;
}

/** Appends a rank to the first `count`, unless there is none. */
function push(values: Uint32Array, count: number, rank: number): number {
  values[count] = rank;
  return rank === 0 ? count : count + 1;
}

/** Twice the median of the first numbers, so that it is whole; they are left in order. */
function medianDoubled(values: Uint32Array, count: number): number {
  if (count > INSERTED_BELOW) values.subarray(0, count).sort();
  else insertSorted(values, count);
  const middle = count >>> 1;
  const upper = values[middle] ?? 0;
  return upper + (count % 2 === 1 ? upper : (values[middle - 1] ?? 0));
}

function insertSorted(values: Uint32Array, count: number): void {
  for (let i = 1; i < count; i += 1) {
    const value = values[i] ?? 0;
    let at = i;
    for (; at > 0 && (values[at - 1] ?? 0) > value; at -= 1) values[at] = values[at - 1] ?? 0;
    values[at] = value;
  }
}
