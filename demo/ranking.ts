// The order of the terms in one period. A term's score is its own popularity, that of its season and of its fashion, and
// noise that is small at the top and large in the tail, where a quarter of the terms changes from one period to the next.

import { type Period, periodDates, periodKey } from '../src/domain/period.ts';
import { type Wave, waveHeight, waveOf } from './fashion.ts';
import { createSalt, hashWith, mix32, type Salt, unitOf } from './hash.ts';
import { createSorter, type Sorter } from './radix-sort.ts';
import { seasonsInSpan } from './season.ts';
import type { TermSpace } from './term-space.ts';
import type { Universe } from './universe.ts';

const DAY_MS = 86_400_000;

/** Natural logarithms: how far a fashion lifts its noun, and the changes of taste that every other noun may see. */
const FASHION_HEIGHT = 1.5;
const DRIFT_HEIGHT = 0.35;

/** One term in this many has a rise and fall of its own. */
const TREND_EVERY = 12;
const TREND_HEIGHT = 1.1;

/** Noise at the top and in the tail. Part of it stays for months; weeks, with fewer searches each, have more of the rest. */
const TOP_NOISE = 0.05;
const TAIL_NOISE = 0.95;
const FAST_PART = { monthly: 1.33, weekly: 1.6 } as const;
const SLOW_PART = 1;
const SLOW_DAYS = 160;

export interface Ranker {
  /** Term numbers from rank 1 on. Valid until the next call. */
  rank(period: Period): Uint32Array;
}

export interface RankerOptions {
  readonly space: TermSpace;
  readonly universe: Universe;
  readonly seed: number;
}

/** First and last day of a period as milliseconds. */
export function periodSpan(period: Period): { readonly startMs: number; readonly endMs: number } {
  const { start, end } = periodDates(period);
  return { startMs: Date.parse(`${start}T00:00:00Z`), endMs: Date.parse(`${end}T00:00:00Z`) };
}

/** The middle of a period, in days since 1970. */
export function middleDay(period: Period): number {
  const { startMs, endMs } = periodSpan(period);
  return (startMs + endMs) / 2 / DAY_MS;
}

export function headWave(seed: number, head: number): Wave {
  return waveOf(createSalt({ seed, purpose: 'fashion' }), head);
}

/** How much each noun is in fashion on a day, as a natural logarithm. */
function fashionOnDay(space: TermSpace, { seed, day }: { readonly seed: number; readonly day: number }): Float32Array {
  const salt = createSalt({ seed, purpose: 'fashion' });
  return Float32Array.from(space.heads.isFashion, (isFashion, head) => {
    const height = isFashion === 1 ? FASHION_HEIGHT : DRIFT_HEIGHT;
    return height * waveHeight(waveOf(salt, head), day);
  });
}

export function createRanker(options: RankerOptions): Ranker {
  const { universe } = options;
  const sorter: Sorter = createSorter(universe.count);
  const scores = new Float32Array(universe.count);
  return {
    rank(period) {
      scoreTerms({ ...options, period, scores });
      return sorter.order(scores);
    },
  };
}

function scoreTerms(options: RankerOptions & { readonly period: Period; readonly scores: Float32Array }): void {
  const { space, universe, seed, period, scores } = options;
  const day = middleDay(period);
  const seasons = seasonsInSpan(periodSpan(period));
  const fashions = fashionOnDay(space, { seed, day });
  const noiseSalt = createSalt({ seed, purpose: `noise ${period.frequency} ${periodKey(period)}` });
  const slowSalt = createSalt({ seed, purpose: 'slow noise' });
  const trendSalt = createSalt({ seed, purpose: 'trend' });
  const fastPart = FAST_PART[period.frequency];
  const patterns = space.patterns.length;
  const logCount = Math.log(universe.count + 1);
  for (let term = 0; term < universe.count; term += 1) {
    const hash = universe.hash[term] ?? 0;
    const logRank = Math.log(term + 1);
    const depth = logRank / logCount;
    const noise = TOP_NOISE + TAIL_NOISE * depth * depth * depth * depth;
    const head = ((universe.template[term] ?? 0) / patterns) | 0;
    let score = (seasons[universe.season[term] ?? 0] ?? 0) + (fashions[head] ?? 0) - logRank;
    score +=
      noise * (fastPart * triangular(hashWith(noiseSalt, hash)) + SLOW_PART * slowNoise(slowSalt, { hash, day }));
    if (hash % TREND_EVERY === 0) score += TREND_HEIGHT * waveHeight(waveOf(trendSalt, hash), day);
    scores[term] = score;
  }
}

/** From -1 to 1, values near 0 more often. */
function triangular(hash: number): number {
  return unitOf(hash) + unitOf(mix32(hash)) - 1;
}

/** A line between random heights a few months apart, at other dates for each term. */
function slowNoise(salt: Salt, { hash, day }: { readonly hash: number; readonly day: number }): number {
  const position = day / SLOW_DAYS + (hash >>> 8) / 16_777_216;
  const knot = Math.floor(position);
  const part = position - knot;
  const from = unitOf(hashWith(salt, hash + Math.imul(knot, 0x632be5ab)));
  const to = unitOf(hashWith(salt, hash + Math.imul(knot + 1, 0x632be5ab)));
  return 2 * (from + (to - from) * part) - 1;
}
