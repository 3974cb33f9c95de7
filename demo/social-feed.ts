// Ranks of what people talk about, in our plain CSV. For products in fashion the talk comes first: it follows the wave of
// the searches three to seven weeks ahead.

import { type Period, periodKey } from '../src/domain/period.ts';
import { BYTE, type ByteSink, putByte, putInteger, putText } from './byte-sink.ts';
import { waveHeight } from './fashion.ts';
import { createSalt, hashWith, mix32, unitOf } from './hash.ts';
import { createSorter } from './radix-sort.ts';
import { headWave, middleDay, periodSpan } from './ranking.ts';
import { seasonsInSpan } from './season.ts';
import type { TermSpace } from './term-space.ts';
import { createTermValues, decodeTerm, headOf, putTerm } from './term-text.ts';
import type { Universe } from './universe.ts';

const DAY_MS = 86_400_000;
const SEASON_LEAD_DAYS = 10;
const FASHION_LIFT = 1.5;
const FASHION_HEIGHT = 2.4;
const NOISE = 0.12;
const TASTE = 1.5;
const MAX_SOCIAL_SLOTS = 1;

/** Of so many more terms than are listed the networks choose. */
const CANDIDATE_FACTOR = 4;

export interface SocialFeedOptions {
  readonly space: TermSpace;
  readonly universe: Universe;
  readonly seed: number;
  readonly rows: number;
}

export interface SocialFeed {
  /** Term numbers from rank 1 on. */
  rank(period: Period): Uint32Array;
  putRow(sink: ByteSink, row: { readonly period: Period; readonly rank: number; readonly term: number }): void;
}

export const SOCIAL_HEADING = 'period_type,period,search_term,rank\n';

export function createSocialFeed(options: SocialFeedOptions): SocialFeed {
  const { space } = options;
  const candidates = listCandidates(options);
  const sorter = createSorter(candidates.length);
  const values = createTermValues();
  return {
    rank(period) {
      const order = sorter.order(scoreCandidates(options, { candidates, period }));
      const rows = Math.min(options.rows, order.length);
      return Uint32Array.from(order.subarray(0, rows), (place) => candidates[place] ?? 0);
    },
    putRow(sink, { period, rank, term }) {
      const template = options.universe.template[term] ?? 0;
      decodeTerm(space, { template, combination: options.universe.combination[term] ?? 0 }, values);
      putText(sink, `${period.frequency},${periodKey(period)},`);
      putTerm(sink, space, { template, values });
      putByte(sink, BYTE.comma);
      putInteger(sink, rank);
      putByte(sink, BYTE.newline);
    },
  };
}

/** People talk in short terms: a noun with one modifier at most. */
function listCandidates({ space, universe, rows }: SocialFeedOptions): Uint32Array {
  const candidates: number[] = [];
  for (let term = 0; term < universe.count && candidates.length < rows * CANDIDATE_FACTOR; term += 1) {
    const pattern = space.patterns[(universe.template[term] ?? 0) % space.patterns.length];
    if ((pattern?.slots.length ?? 0) <= MAX_SOCIAL_SLOTS) candidates.push(term);
  }
  return Uint32Array.from(candidates);
}

function scoreCandidates(
  { space, universe, seed }: SocialFeedOptions,
  { candidates, period }: { readonly candidates: Uint32Array; readonly period: Period },
): Float32Array {
  const { startMs, endMs } = periodSpan(period);
  const leadMs = SEASON_LEAD_DAYS * DAY_MS;
  const seasons = seasonsInSpan({ startMs: startMs + leadMs, endMs: endMs + leadMs });
  const day = middleDay(period);
  const tasteSalt = createSalt({ seed, purpose: 'social taste' });
  const noiseSalt = createSalt({ seed, purpose: `social ${period.frequency} ${periodKey(period)}` });
  return Float32Array.from(candidates, (term) => {
    const hash = universe.hash[term] ?? 0;
    const head = headOf(space, universe.template[term] ?? 0);
    const taste = TASTE * (2 * unitOf(hashWith(tasteSalt, head)) - 1);
    const noise = NOISE * (unitOf(hashWith(noiseSalt, hash)) + unitOf(mix32(hashWith(noiseSalt, hash))) - 1);
    let score = -0.7 * Math.log(term + 1) + taste + noise + 0.8 * (seasons[universe.season[term] ?? 0] ?? 0);
    if (space.heads.isFashion[head] === 1) {
      const wave = headWave(seed, head);
      score += FASHION_LIFT + FASHION_HEIGHT * waveHeight(wave, day + wave.leadDays);
    }
    return score;
  });
}
