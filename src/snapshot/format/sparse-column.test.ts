import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeSparse,
  gatherValues,
  hasValues,
  listPage,
  openSparse,
  PAGE_SLOTS,
  readPage,
  type SparseColumn,
  valueAt,
  walkValues,
} from './sparse-column.ts';

const MAX_VALUE = 0xffffffff;

function encode(dense: Uint32Array): Uint32Array {
  const slots: number[] = [];
  // Hundreds of millions of them in one test.
  for (let slot = 0; slot < dense.length; slot += 1) if (dense[slot] !== 0) slots.push(slot);
  return encodeSparse(dense.length, {
    slots: Uint32Array.from(slots),
    values: Uint32Array.from(slots, (slot) => dense[slot] ?? 0),
  });
}

function open(dense: Uint32Array): SparseColumn {
  // As it comes from a file: in memory that threads share.
  const file = encode(dense);
  const shared = new Uint32Array(new SharedArrayBuffer(file.byteLength));
  shared.set(file);
  return openSparse(shared);
}

function gather(column: SparseColumn, slots: readonly number[]): number[] {
  const values = Uint32Array.from(slots);
  gatherValues(column, { values, count: slots.length, width: 1, from: 0, to: 0 });
  return Array.from(values);
}

function expectSame(dense: Uint32Array): void {
  const column = open(dense);
  expect(column.length).toBe(dense.length);
  const slots = Array.from(dense.keys());
  expect(gather(column, slots)).toEqual(Array.from(dense));
  for (const slot of [0, 1, 31, 32, dense.length - 1]) {
    if (slot >= 0) expect(valueAt(column, slot)).toBe(dense[slot] ?? 0);
  }
  const walked: (readonly [number, number])[] = [];
  walkValues(column, (slot, value) => walked.push([slot, value]));
  expect(walked).toEqual([...dense.entries()].filter(([, value]) => value !== 0));
  expect(column.valueCount).toBe(walked.length);
  for (const slot of [dense.length, dense.length + 1, dense.length + PAGE_SLOTS, 2 ** 31, MAX_VALUE]) {
    expect(valueAt(column, slot)).toBe(0);
    expect(gather(column, [slot])).toEqual([0]);
  }
}

/** Runs of slots, each empty, full, or with some values, up to a few pages long. */
const runs = fc.array(
  fc.record({
    length: fc.integer({ min: 1, max: 3 * PAGE_SLOTS }),
    kind: fc.constantFrom('empty', 'full', 'sparse', 'dense'),
    largest: fc.constantFrom(1, 2, 3, 255, 1_000_000, 40_000_000, MAX_VALUE),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  }),
  { maxLength: 5 },
);

function toDense(given: readonly { length: number; kind: string; largest: number; seed: number }[]): Uint32Array {
  const values = given.flatMap(({ length, kind, largest, seed }) =>
    Array.from({ length }, (_, i) => {
      const draw = Math.imul(seed + i, 0x9e3779b1) >>> 0;
      const isThere = kind === 'full' || (kind === 'sparse' && draw % 97 === 0) || (kind === 'dense' && draw % 3 !== 0);
      return isThere ? 1 + ((Math.imul(draw, 0x85ebca6b) >>> 0) % largest) : 0;
    }),
  );
  return Uint32Array.from(values);
}

describe('a sparse column', () => {
  it('has the values of any column', () => {
    fc.assert(
      fc.property(runs, (given) => expectSame(toDense(given))),
      { numRuns: 60 },
    );
  });

  it('has the values of short columns with any number in them', () => {
    const numbers = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: MAX_VALUE }));
    fc.assert(fc.property(fc.array(numbers, { maxLength: 200 }), (values) => expectSame(Uint32Array.from(values))));
  });

  it.each([
    ['nothing', new Uint32Array(0)],
    ['one slot without a value', new Uint32Array(1)],
    ['one value', Uint32Array.of(7)],
    ['one full page', new Uint32Array(PAGE_SLOTS).fill(40_000_000)],
    ['one empty page', new Uint32Array(PAGE_SLOTS)],
    ['a full page and one more', new Uint32Array(PAGE_SLOTS + 1).fill(1)],
    ['a page that lacks its last', new Uint32Array(PAGE_SLOTS - 1).fill(3)],
    ['the highest values', new Uint32Array(100).fill(MAX_VALUE)],
  ])('holds %s', (_name, dense) => expectSame(dense));

  it('finds one value among a hundred million slots, and takes next to nothing for the others', () => {
    const dense = new Uint32Array(100_000_000);
    dense[99_999_999] = 40_000_000;
    const file = encode(dense);
    expect(file.byteLength).toBeLessThan(dense.byteLength / 400);
    const column = openSparse(file);
    expect(gather(column, [0, 50_000_000, 99_999_998, 99_999_999, 100_000_000])).toEqual([0, 0, 0, 40_000_000, 0]);
  });

  it('takes twenty bits and little more for each of a million ranks, new ones in a run behind the known', () => {
    const dense = new Uint32Array(20_000_000);
    for (let i = 0; i < 750_000; i += 1) dense[i] = 1 + i;
    for (let i = 0; i < 250_000; i += 1) dense[19_750_000 + i] = 750_001 + i;
    expect(encode(dense).byteLength / 1_000_000).toBeLessThan(2.6);
  });

  it('is read page by page, whatever was in the room before', () => {
    const read = fc.property(runs, fc.integer({ min: 1, max: 32 }), (given, width) => {
      const dense = toDense(given).map((value) => value >>> (32 - width));
      const column = open(dense);
      for (let page = 0; page * PAGE_SLOTS < dense.length; page += 1) {
        const into = new Uint32Array(PAGE_SLOTS).fill(7);
        readPage(column, page, into);
        const expected = new Uint32Array(PAGE_SLOTS);
        expected.set(dense.subarray(page * PAGE_SLOTS, (page + 1) * PAGE_SLOTS));
        expect(into).toEqual(expected);
        expect(hasValues(column, page)).toBe(expected.some((value) => value !== 0));
        const [slots, values] = [new Uint32Array(PAGE_SLOTS), new Uint32Array(PAGE_SLOTS)];
        const count = listPage(column, page, { slots, values });
        const there = [...expected.entries()].filter(([, value]) => value !== 0);
        expect([...slots.subarray(0, count)].map((slot, i) => [slot, values[i]])).toEqual(there);
      }
    });
    fc.assert(read, { numRuns: 60 });
  });

  it.each([25, 26])('is read to the end of its last value of %i bits', (width) => {
    for (const length of [1, 31, 32, 33, PAGE_SLOTS]) {
      const into = new Uint32Array(PAGE_SLOTS);
      const column = open(new Uint32Array(length).fill(2 ** width - 1));
      readPage(column, 0, into);
      expect(into.filter((value) => value === 2 ** width - 1)).toHaveLength(length);
      const [slots, values] = [new Uint32Array(PAGE_SLOTS), new Uint32Array(PAGE_SLOTS)];
      expect(listPage(column, 0, { slots, values })).toBe(length);
      expect(values).toEqual(into);
    }
  });

  it('gathers into rows of several numbers', () => {
    const column = open(Uint32Array.of(0, 5, 0, 9));
    const values = Uint32Array.of(3, 77, 88, 2, 77, 88, 1, 77, 88);
    gatherValues(column, { values, count: 3, width: 3, from: 0, to: 2 });
    expect(Array.from(values)).toEqual([3, 77, 9, 2, 77, 0, 1, 77, 5]);
  });
});
