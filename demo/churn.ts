// Periods that change as real ones do: of each a fixed share was in no period before, most of it never to return, while a core
// stays. A passing term is a term of the core and one more word, found by arithmetic from its number, so that no period needs the
// others and twenty million terms need no memory.

import type { Period } from '../src/domain/period.ts';
import { createLexiconBuilder, type Lexicon } from './byte-sink.ts';
import { createSalt, hashWith, unitOf } from './hash.ts';
import { createSorter } from './radix-sort.ts';
import { middleDay, type Ranker } from './ranking.ts';
import type { DemoSize } from './size.ts';
import type { Tails, Universe } from './universe.ts';

/** Of the new terms of a period so many come back, each after so many periods; all others are seen once only. */
const RETURNING_SHARE = 0.25;
const RETURN_GAPS = [1, 2, 4] as const;
/** Passing terms are rare at the top and most of the tail. */
const DEPTH_EXPONENT = 2;

export const MAX_CHURN = 0.5;

const ONSETS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'w', 'y', 'z'];
const VOWELS = ['a', 'e', 'i', 'o'];
const CODAS = ['k', 'l', 'n', 'x'];
const FIRST_NUMBER = 11;
const NUMBERS = 128;
const TAILS = ONSETS.length * VOWELS.length * CODAS.length * NUMBERS;
/** A prime, so that multiples of it reach every term of a core of any size. */
const STRIDE = 2_147_483_647;

export interface ChurningTerms extends Universe {
  readonly tails: Tails;
  /** Different terms have different ones, in all periods. */
  readonly ids: Float64Array;
}

export interface Churn {
  /** The terms of a period from rank 1 on, row by row. */
  termsOf(period: Period): ChurningTerms;
}

interface Passing {
  readonly newCount: number;
  readonly returningCount: number;
}

/** How many terms stay. */
export function coreCount({ terms, churn = 0 }: Pick<DemoSize, 'terms' | 'churn'>): number {
  const { newCount, returningCount } = planPassing({ terms, churn });
  return Math.max(1, terms - newCount - RETURN_GAPS.length * returningCount);
}

export function createChurn({
  universe,
  ranker,
  seed,
  size,
}: {
  /** The core. */
  readonly universe: Universe;
  readonly ranker: Ranker;
  readonly seed: number;
  readonly size: DemoSize;
}): Churn {
  const lexicon = createTails();
  const tailSalt = createSalt({ seed, purpose: 'tail' });
  const passing = planPassing({ terms: size.terms, churn: size.churn ?? 0 });
  const passingCount = passing.newCount + RETURN_GAPS.length * passing.returningCount;
  const sorter = createSorter(passingCount);
  return {
    termsOf(period) {
      const core = ranker.rank(period);
      const rows = openRows(core.length + passingCount);
      const numbers = numbersOf(periodIndex(period), passing);
      const orderSalt = createSalt({ seed, purpose: `passing ${period.frequency} ${periodIndex(period)}` });
      const order = sorter.order(Float32Array.from(numbers, (_, i) => unitOf(hashWith(orderSalt, i))));
      const exponent = Math.min(DEPTH_EXPONENT, rows.count / Math.max(1, passingCount));
      for (let row = 0, passed = 0; row < rows.count; row += 1) {
        const due = passingCount * ((row + 1) / rows.count) ** exponent;
        if (passed < passingCount && (passed + 1 <= due || row - passed >= core.length)) {
          putPassing(rows, { row, number: numbers[order[passed] ?? 0] ?? 0, universe, tailSalt });
          passed += 1;
        } else copyTerm(rows, { row, universe, term: core[row - passed] ?? 0 });
      }
      return { ...rows, tails: { lexicon, pieces: rows.tailPieces } };
    },
  };
}

function planPassing({ terms, churn }: { readonly terms: number; readonly churn: number }): Passing {
  const newCount = Math.round(terms * churn);
  return { newCount, returningCount: Math.floor(newCount * RETURNING_SHARE) };
}

/** The numbers of a period's new terms follow those of the period before; those that return are the first of an earlier period. */
function numbersOf(index: number, { newCount, returningCount }: Passing): Float64Array {
  const numbers = new Float64Array(newCount + RETURN_GAPS.length * returningCount);
  for (let i = 0; i < newCount; i += 1) numbers[i] = index * newCount + i;
  for (const [turn, gap] of RETURN_GAPS.entries()) {
    const start = newCount + turn * returningCount;
    for (let i = 0; i < returningCount; i += 1) numbers[start + i] = (index - gap) * newCount + i;
  }
  return numbers;
}

type Rows = ReturnType<typeof openRows>;

function openRows(count: number) {
  return {
    count,
    template: new Uint32Array(count),
    combination: new Uint32Array(count),
    hash: new Uint32Array(count),
    season: new Uint8Array(count),
    tailPieces: new Uint16Array(count),
    ids: new Float64Array(count),
  };
}

function copyTerm(
  rows: Rows,
  { row, universe, term }: { readonly row: number; readonly universe: Universe; readonly term: number },
): void {
  rows.template[row] = universe.template[term] ?? 0;
  rows.combination[row] = universe.combination[term] ?? 0;
  rows.hash[row] = universe.hash[term] ?? 0;
  rows.season[row] = universe.season[term] ?? 0;
  rows.ids[row] = term;
}

/** Every number is another pair of a core term and a word. */
function putPassing(
  rows: Rows,
  {
    row,
    number,
    universe,
    tailSalt,
  }: {
    readonly row: number;
    readonly number: number;
    readonly universe: Universe;
    readonly tailSalt: ReturnType<typeof createSalt>;
  },
): void {
  const place = number % universe.count;
  const term = (place * STRIDE) % universe.count;
  const hash = universe.hash[term] ?? 0;
  const tail = (Math.floor(number / universe.count) + hash) % TAILS;
  copyTerm(rows, { row, universe, term });
  rows.hash[row] = hashWith(tailSalt, hash + tail);
  rows.tailPieces[row] = tail + 1;
  rows.ids[row] = universe.count + number;
}

/** Counted from 1970, so that the same week is the same terms next year. */
function periodIndex(period: Period): number {
  if (period.frequency === 'weekly') return Math.floor(middleDay(period) / 7);
  return (period.year - 1970) * 12 + period.number - 1;
}

function createTails(): Lexicon {
  const lexicon = createLexiconBuilder();
  for (const onset of ONSETS) {
    for (const vowel of VOWELS) {
      for (const coda of CODAS) {
        for (let i = 0; i < NUMBERS; i += 1) lexicon.add(`${onset}${vowel}${coda}${FIRST_NUMBER + i}`);
      }
    }
  }
  return lexicon.build();
}
