import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHANGE_DIRECTIONS, CHANGE_ORDERS, changeHundredths } from '../../domain/trend.ts';
import { encodeSparse, openSparse, type SparseColumn } from '../format/sparse-column.ts';
import { viewText } from '../format/text-column.ts';
import type { MoveBounds, MoveOrder } from './moves.ts';
import { selectPairMoves } from './pair-moves.ts';
import { orderPair } from './pair-order.ts';

const RUNS_ON = { throwIfCancelled: () => {} };

/** From ranks by slot, 0 for none. */
function columnOfRanks(dense: Uint32Array): SparseColumn {
  const slots = Uint32Array.from(dense.keys()).filter((slot) => dense[slot] !== 0);
  return openSparse(encodeSparse(dense.length, { slots, values: slots.map((slot) => dense[slot] ?? 0) }));
}

interface Ranks {
  readonly length: number;
  /** One slot in so many has no rank; 0 for none. */
  readonly gaps: number;
  /** Ranks are drawn among so many. */
  readonly most: number;
  readonly seed: number;
}

interface Move {
  readonly slot: number;
  readonly previous: number;
  readonly latest: number;
  readonly term: string;
}

/** Pages that are full, empty and in between; many equal ranks, and such as take more than the 25 bits that are loaded at once. */
const ranks = fc.record({
  length: fc.oneof(fc.integer({ min: 0, max: 300 }), { arbitrary: fc.integer({ min: 5000, max: 20_000 }), weight: 4 }),
  gaps: fc.constantFrom(0, 1, 2, 5),
  most: fc.constantFrom(1, 40, 3000, 2 ** 25 - 1, 40_000_000),
  seed: fc.nat(2 ** 30),
});
const orders: fc.Arbitrary<MoveOrder> = fc.record({
  field: fc.constantFrom(...CHANGE_ORDERS),
  direction: fc.constantFrom('asc', 'desc'),
});
const allBounds: fc.Arbitrary<MoveBounds> = fc.record({
  least: fc.constantFrom(1, 2, 20, 1000, 39_999_999, 2 ** 40),
  direction: fc.constantFrom(undefined, ...CHANGE_DIRECTIONS),
});

function draw(at: number): number {
  const mixed = Math.imul(at ^ (at >>> 15), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
}

/** Runs without gaps and runs without ranks, each longer than a page. */
function toDense({ length, gaps, most, seed }: Ranks): Uint32Array {
  return Uint32Array.from({ length }, (_, slot) => {
    const run = draw(seed + (slot >>> 12)) % 4;
    const hasGap = run === 0 || (run > 1 && gaps > 0 && draw(slot + seed) % gaps === 0);
    return hasGap ? 0 : 1 + (draw(slot + 3 * seed) % most);
  });
}

/** Many alike at the beginning, some shorter than four bytes. */
function termOf(slot: number): string {
  return (
    ['', 'shoe', 'sho', '日本', 'ab'][slot % 5] +
    draw(slot)
      .toString(36)
      .slice(slot % 6) +
    slot.toString(36)
  );
}

function textOf(texts: readonly string[]) {
  const encoded = texts.map((text) => Buffer.from(text));
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (const [i, { length }] of encoded.entries()) {
    end += length;
    ends[i] = end;
  }
  const block = new SharedArrayBuffer(end);
  new Uint8Array(block).set(Buffer.concat(encoded));
  return viewText(block, ends);
}

function listMoves(previous: Uint32Array, latest: Uint32Array, { least, direction }: MoveBounds): readonly Move[] {
  return [...previous.keys()]
    .map((slot) => ({ slot, previous: previous[slot] ?? 0, latest: latest[slot] ?? 0, term: termOf(slot) }))
    .filter(({ previous: before, latest: after }) => {
      const change = before - after;
      const size = { positive: change, negative: -change }[direction ?? 'positive'];
      return before > 0 && after > 0 && (direction ? size : Math.abs(change)) >= least;
    });
}

const VALUES: Readonly<Record<Exclude<MoveOrder['field'], 'query'>, (move: Move) => number>> = {
  change: ({ previous, latest }) => previous - latest,
  abs_change: ({ previous, latest }) => Math.abs(previous - latest),
  change_percentage: ({ previous, latest }) => changeHundredths(previous, latest),
  current_rank: ({ latest }) => latest,
  previous_rank: ({ previous }) => previous,
};

function compareMoves({ field, direction }: MoveOrder): (a: Move, b: Move) => number {
  const sign = direction === 'asc' ? 1 : -1;
  const compareTerms = (a: Move, b: Move) => Buffer.from(a.term).compare(Buffer.from(b.term));
  if (field === 'query') return (a, b) => sign * compareTerms(a, b);
  const rankBy = VALUES[field];
  return (a, b) => sign * (rankBy(a) - rankBy(b)) || a.latest - b.latest || compareTerms(a, b);
}

describe('a page of the moves between any two periods', () => {
  it('is what sorting all of them gives, in every order', () => {
    const cases = fc.tuple(ranks, ranks, orders, allBounds, fc.nat(1000), fc.integer({ min: 1, max: 500 }));
    let found = 0;
    const property = fc.property(cases, ([earlier, later, order, bounds, share, limit]) => {
      const [previous, latest] = [toDense(earlier), toDense(later)];
      const terms = textOf(Array.from({ length: Math.max(previous.length, latest.length) }, (_, slot) => termOf(slot)));
      const pair = {
        previous: columnOfRanks(previous),
        latest: columnOfRanks(latest),
        isNewest: false,
      };
      const expected = listMoves(previous, latest, bounds).toSorted(compareMoves(order));
      // Now and then behind the end, and twice, because words of terms are kept.
      const offset = Math.floor((expected.length * share) / 950);
      const list = { pair, bounds, order: orderPair(order, { pair, terms }), keepWanted: undefined };
      for (const slice of [
        { offset, limit },
        { offset: 0, limit },
      ]) {
        expect(selectPairMoves({ ...list, slice }, RUNS_ON)).toEqual({
          totalCount: expected.length,
          documents: expected.slice(slice.offset, slice.offset + limit).map(({ slot }) => slot),
        });
      }
      found += Number(expected.length > 2000);
    });
    fc.assert(property, { numRuns: 150 });
    expect(found).toBeGreaterThan(10);
  });

  it('leaves out what is not wanted, also where it guesses where the page lies', () => {
    const previous = Uint32Array.from({ length: 30_000 }, (_, slot) => 1 + (draw(slot) % 1_000_000));
    const latest = Uint32Array.from({ length: 30_000 }, (_, slot) => 1 + (draw(slot + 1e6) % 1_000_000));
    const pair = {
      previous: columnOfRanks(previous),
      latest: columnOfRanks(latest),
      isNewest: false,
    };
    const bounds: MoveBounds = { least: 1, direction: undefined };
    const order: MoveOrder = { field: 'change', direction: 'desc' };
    const wanted = listMoves(previous, latest, bounds)
      .filter(({ slot }) => slot % 7 === 3)
      .toSorted(compareMoves(order));
    const selected = selectPairMoves(
      {
        pair,
        bounds,
        order: orderPair(order, { pair, terms: textOf(Array.from(previous.keys(), termOf)) }),
        keepWanted: (batch) => {
          const { firstSlot, step, numbers, latestRanks } = batch;
          let count = 0;
          for (let i = 0; i < batch.count; i += 1) {
            numbers[count] = numbers[i] ?? 0;
            latestRanks[count] = latestRanks[i] ?? 0;
            count += Number((firstSlot + (numbers[i] ?? 0) * step) % 7 === 3);
          }
          batch.count = count;
        },
        slice: { offset: 900, limit: 100 },
      },
      RUNS_ON,
    );
    expect(selected.totalCount).toBe(wanted.length);
    expect(selected.documents).toEqual(wanted.slice(900, 1000).map(({ slot }) => slot));
  });

  it('stops in the middle of two long columns when it is cancelled', () => {
    const column = columnOfRanks(new Uint32Array(600_000).fill(5));
    const pair = { previous: column, latest: column, isNewest: false };
    for (const cancelledAt of [1, 2, 5]) {
      let looks = 0;
      const throwIfCancelled = () => {
        looks += 1;
        if (looks === cancelledAt) throw new Error('cancelled');
      };
      const order = orderPair({ field: 'change', direction: 'desc' }, { pair, terms: textOf(['']) });
      const bounds: MoveBounds = { least: 1, direction: undefined };
      const list = { pair, bounds, order, keepWanted: undefined, slice: { offset: 0, limit: 10 } };
      expect(() => selectPairMoves(list, { throwIfCancelled })).toThrow('cancelled');
    }
  });
});
