// The terms that exist in one demo data set, the most popular first. A period shows the part of them that is searched
// enough at the time, so the universe is a few times larger than a period.

import { createByteSink, type Lexicon } from './byte-sink.ts';
import { createSorter } from './radix-sort.ts';
import type { TermSpace } from './term-space.ts';
import { createTermValues, decodeTerm, putTerm } from './term-text.ts';
import { walkTerms } from './term-walk.ts';
import { createTextSet } from './text-set.ts';

/** Some terms turn out to be the same text as others, so a few more are collected than needed. */
const SPARE = 1.12;
const FIRST_FLOOR = 0;
const FLOOR_STEP = 0.6;
const LOWEST_FLOOR = -16;
const BINS_PER_UNIT = 64;
const MAX_SCORE = 12;
const MAX_TERM_BYTES = 512;

/** The word behind a term, by term: 0 for none, or 1 + its piece of the lexicon. */
export interface Tails {
  readonly lexicon: Lexicon;
  readonly pieces: Uint16Array;
}

/** Term n is the n-th most popular by itself, without seasons and fashions. */
export interface Universe {
  readonly count: number;
  readonly template: Uint32Array;
  readonly combination: Uint32Array;
  /** Hash of the text: the root of all draws about the term. */
  readonly hash: Uint32Array;
  readonly season: Uint8Array;
  /** A further word behind some of the terms. */
  readonly tails?: Tails;
}

export interface UniverseOptions {
  readonly space: TermSpace;
  readonly seed: number;
  readonly terms: number;
}

export function createUniverse(options: UniverseOptions): Universe {
  const { terms } = options;
  const { floor, found } = findFloor(options);
  const collected = collectTerms({ ...options, floor, capacity: found });
  if (collected.count < terms) {
    throw new Error(`The vocabulary makes only ${collected.count} distinct terms, ${terms} are needed.`);
  }
  const order = createSorter(collected.count).order(collected.score.subarray(0, collected.count));
  return {
    count: terms,
    template: pick(collected.template, order.subarray(0, terms), new Uint32Array(terms)),
    combination: pick(collected.combination, order.subarray(0, terms), new Uint32Array(terms)),
    hash: pick(collected.hash, order.subarray(0, terms), new Uint32Array(terms)),
    season: pick(collected.season, order.subarray(0, terms), new Uint8Array(terms)),
  };
}

/** The popularity above which there are just enough terms. */
function findFloor({ space, seed, terms }: UniverseOptions): { readonly floor: number; readonly found: number } {
  const wanted = Math.ceil(terms * SPARE);
  for (let floor = FIRST_FLOOR; floor > LOWEST_FLOOR; floor -= FLOOR_STEP) {
    const bins = new Uint32Array((MAX_SCORE - LOWEST_FLOOR) * BINS_PER_UNIT);
    let found = 0;
    walkTerms({
      space,
      seed,
      floor,
      visit: ({ score }) => {
        const bin = Math.floor((MAX_SCORE - score) * BINS_PER_UNIT);
        bins[bin] = (bins[bin] ?? 0) + 1;
        found += 1;
      },
    });
    if (found < wanted) continue;
    let above = 0;
    for (let bin = 0; bin < bins.length; bin += 1) {
      above += bins[bin] ?? 0;
      // The next bin's lower edge could add terms that rounding puts on the other side, so the count stays an upper bound.
      if (above >= wanted) return { floor: MAX_SCORE - (bin + 1) / BINS_PER_UNIT, found: above };
    }
  }
  throw new Error(`The vocabulary cannot make ${terms} terms.`);
}

function collectTerms({
  space,
  seed,
  floor,
  capacity,
}: UniverseOptions & { readonly floor: number; readonly capacity: number }) {
  const size = capacity + 1;
  const template = new Uint32Array(size);
  const combination = new Uint32Array(size);
  const hash = new Uint32Array(size);
  const season = new Uint8Array(size);
  const score = new Float32Array(size);
  const known = createTextSet(size);
  const sink = createByteSink(MAX_TERM_BYTES);
  const values = createTermValues();
  let count = 0;
  walkTerms({
    space,
    seed,
    floor,
    visit: (term) => {
      if (count >= capacity) return;
      decodeTerm(space, term, values);
      sink.length = 0;
      putTerm(sink, space, { template: term.template, values });
      if (!known.add(sink)) return;
      template[count] = term.template;
      combination[count] = term.combination;
      hash[count] = known.lastHash();
      season[count] = term.season;
      score[count] = term.score;
      count += 1;
    },
  });
  return { count, template, combination, hash, season, score };
}

function pick<Values extends Uint32Array | Uint8Array>(from: Values, order: Uint32Array, into: Values): Values {
  for (let at = 0; at < order.length; at += 1) into[at] = from[order[at] ?? 0] ?? 0;
  return into;
}
