// Selecting one page of a long list without sorting it. A sample of the keys tells between which two the page lies, one pass
// keeps the keys between them, and only when that guess was wrong everything is looked at. What remains is counted into
// buckets, and the buckets that the page touches are narrowed further or, once small, sorted. Deep pages cost little more
// than the first.

import { takeRoom } from './arena.ts';

/** Sort keys are ascending; this one is behind all others. */
export const LAST_KEY = 0xffffffff;
/** What descending keys are subtracted from; the last key stays above all of them. */
export const HIGHEST_KEY = LAST_KEY - 1;

const BUCKETS = 4096;
const SORTED_BELOW = 256;
/** A shorter list is looked at as a whole. */
export const SAMPLED_FROM = 8192;
const SAMPLE_SIZE = 1024;

/** One level of the order: the key at a position of the list. */
export type KeyAt = (position: number) => number;

export interface SelectionOrder {
  /** Gathered once, by position. */
  readonly keys: Uint32Array;
  /** Decide among equal keys, one level after the other and then the comparison; undefined when the list itself is in the wanted order. */
  readonly ties: { readonly levels: readonly KeyAt[]; readonly compare: (a: number, b: number) => number } | undefined;
}

export interface Slice {
  readonly from: number;
  readonly to: number;
}

/** The lowest and the highest key of a range. */
export interface KeyBounds {
  readonly low: number;
  readonly high: number;
}

/** The positions that stand at places `from` to `to` of the order. */
export function selectPositions(
  order: SelectionOrder,
  slice: Slice,
  throwIfCancelled: () => void = () => {},
): readonly number[] {
  const to = Math.min(slice.to, order.keys.length);
  if (slice.from >= to) return [];
  const all: Candidates = {
    keys: order.keys,
    positions: undefined,
    order,
    slice: { from: slice.from, to },
    throwIfCancelled,
  };
  return selectByKeys(narrowBySample(all) ?? all);
}

interface Candidates {
  /** By index of the candidate. */
  readonly keys: Uint32Array;
  /** Of each candidate in the whole list, ascending; undefined when the candidates are the whole list. */
  readonly positions: Uint32Array | undefined;
  readonly order: SelectionOrder;
  readonly slice: Slice;
  readonly throwIfCancelled: () => void;
}

/** The candidates among which the slice surely is, or undefined when the sample gave no good guess. */
function narrowBySample(all: Candidates): Candidates | undefined {
  const { keys, order, slice, throwIfCancelled } = all;
  if (keys.length < SAMPLED_FROM) return undefined;
  const sample = sampleKeys(keys.length, (position) => keys[position] ?? 0);
  const bounds = guessBounds(sample, { slice, count: keys.length, last: LAST_KEY });
  if (!isGoodGuess(sample, bounds)) return undefined;
  const { low, high } = bounds;
  const positions = takeRoom('positions', keys.length);
  let below = 0;
  let count = 0;
  // Which keys are kept is unpredictable, so there must be no branch; `? 1 : 0` would be compiled to one.
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? 0;
    positions[count] = i;
    const isBelow = Number(key < low);
    count += Number(key <= high) - isBelow;
    below += isBelow;
  }
  if (slice.from < below || slice.to > below + count) return undefined;
  const kept = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) kept[i] = keys[positions[i] ?? 0] ?? 0;
  return {
    keys: kept,
    positions: positions.subarray(0, count),
    order,
    slice: { from: slice.from - below, to: slice.to - below },
    throwIfCancelled,
  };
}

/** Some of the keys, from all over the list, ascending. */
export function sampleKeys(count: number, keyAt: KeyAt): Uint32Array {
  const sample = new Uint32Array(SAMPLE_SIZE);
  const step = count / SAMPLE_SIZE;
  for (let i = 0; i < SAMPLE_SIZE; i += 1) sample[i] = keyAt(Math.floor(i * step));
  return sample.sort();
}

/** Where many keys are equal, too much lies between two of them. */
export function isGoodGuess(sample: Uint32Array, { low, high }: KeyBounds): boolean {
  let between = 0;
  for (const key of sample) between += Number(key >= low && key <= high);
  return between <= SAMPLE_SIZE / 4;
}

/**
 * Two keys, at most `last`, between which a slice of `count` keys lies, with a margin of four standard deviations of the
 * sample, which is sorted.
 */
export function guessBounds(
  sample: Uint32Array,
  { slice, count, last }: { readonly slice: Slice; readonly count: number; readonly last: number },
): KeyBounds {
  const margin = (place: number): number => {
    const share = Math.min(1, place / count);
    return 4 + 4 * Math.sqrt(sample.length * share * (1 - share));
  };
  const placeInSample = (place: number): number => (place * sample.length) / count;
  const first = Math.floor(placeInSample(slice.from) - margin(slice.from));
  const end = Math.ceil(placeInSample(slice.to) + margin(slice.to));
  return { low: first < 0 ? 0 : (sample[first] ?? last), high: sample[end] ?? last };
}

function selectByKeys(candidates: Candidates): readonly number[] {
  const { keys, positions, order, slice, throwIfCancelled } = candidates;
  if (keys.length <= SORTED_BELOW) return sortAll(candidates);
  throwIfCancelled();
  const [min, max] = rangeOf(keys);
  if (min === max) return selectTies(candidates);
  const shift = bucketShift(max - min);
  const counts = new Uint32Array(BUCKETS);
  for (let i = 0; i < keys.length; i += 1) {
    const bucket = ((keys[i] ?? 0) - min) >>> shift;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const touched = touchedBuckets(counts, slice);
  if (shift === 0 && !order.ties) return pickInOrder(candidates, { min, counts, touched });
  const gathered = gatherBuckets({ keys, positions, min, shift, counts, touched });
  const selected: number[] = [];
  let start = 0;
  for (let bucket = touched.first; bucket <= touched.last; bucket += 1) {
    const count = counts[bucket] ?? 0;
    if (count === 0) continue;
    const part = selectByKeys({
      keys: gathered.keys.subarray(start, start + count),
      positions: gathered.positions.subarray(start, start + count),
      order,
      slice: {
        from: Math.max(0, slice.from - touched.before - start),
        to: Math.min(count, slice.to - touched.before - start),
      },
      throwIfCancelled,
    });
    for (const position of part) selected.push(position);
    start += count;
  }
  return selected;
}

interface TouchedBuckets {
  readonly first: number;
  readonly last: number;
  /** Candidates in the buckets before the first. */
  readonly before: number;
}

/** Every bucket holds one key and the list's order decides within it: the places can be counted off. */
function pickInOrder(
  { keys, positions, slice }: Candidates,
  { min, counts, touched }: { readonly min: number; readonly counts: Uint32Array; readonly touched: TouchedBuckets },
): readonly number[] {
  const picked: number[] = [];
  let start = touched.before;
  for (let bucket = touched.first; bucket <= touched.last; bucket += 1) {
    const end = Math.min(slice.to, start + (counts[bucket] ?? 0));
    for (let i = 0, place = start; place < end; i += 1) {
      if (keys[i] !== min + bucket) continue;
      if (place >= slice.from) picked.push(positions?.[i] ?? i);
      place += 1;
    }
    start += counts[bucket] ?? 0;
  }
  return picked;
}

function sortAll({ keys, positions, order, slice }: Candidates): readonly number[] {
  const indexes = Array.from(keys.keys());
  const positionOf = (index: number): number => positions?.[index] ?? index;
  indexes.sort((a, b) => {
    const byKey = (keys[a] ?? 0) - (keys[b] ?? 0);
    if (byKey !== 0 || !order.ties) return byKey || a - b;
    const [left, right] = [positionOf(a), positionOf(b)];
    for (const keyAt of order.ties.levels) {
      const byLevel = keyAt(left) - keyAt(right);
      if (byLevel !== 0) return byLevel;
    }
    return order.ties.compare(left, right);
  });
  return indexes.slice(slice.from, slice.to).map(positionOf);
}

/** All keys are equal: the list's own order decides, or the next level of ties does, selected in the same way. */
function selectTies({
  keys: { length: count },
  positions,
  order: { ties },
  slice,
  throwIfCancelled,
}: Candidates): readonly number[] {
  const positionOf = (index: number): number => positions?.[index] ?? index;
  if (!ties) return Array.from({ length: slice.to - slice.from }, (_, i) => positionOf(slice.from + i));
  const [keyAt, ...levels] = ties.levels;
  if (!keyAt) {
    const all = Array.from({ length: count }, (_, i) => positionOf(i));
    return all.sort(ties.compare).slice(slice.from, slice.to);
  }
  const keys = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) keys[i] = keyAt(positionOf(i));
  const order: SelectionOrder = {
    keys,
    ties: {
      levels: levels.map((level) => (index) => level(positionOf(index))),
      compare: (a, b) => ties.compare(positionOf(a), positionOf(b)),
    },
  };
  return selectByKeys({ keys, positions: undefined, order, slice, throwIfCancelled }).map(positionOf);
}

function rangeOf(keys: Uint32Array): readonly [number, number] {
  let min = LAST_KEY;
  let max = 0;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? 0;
    if (key < min) min = key;
    if (key > max) max = key;
  }
  return [min, max];
}

function bucketShift(range: number): number {
  let shift = 0;
  while (range >>> shift >= BUCKETS) shift += 1;
  return shift;
}

function touchedBuckets(counts: Uint32Array, { from, to }: Slice): TouchedBuckets {
  let first = 0;
  let before = 0;
  while (before + (counts[first] ?? 0) <= from) {
    before += counts[first] ?? 0;
    first += 1;
  }
  let last = first;
  for (let covered = before + (counts[first] ?? 0); covered < to; covered += counts[last] ?? 0) last += 1;
  return { first, last, before };
}

/** The candidates of the touched buckets, bucket by bucket, each in the order of the list. */
function gatherBuckets({
  keys,
  positions,
  min,
  shift,
  counts,
  touched,
}: {
  readonly keys: Uint32Array;
  readonly positions: Uint32Array | undefined;
  readonly min: number;
  readonly shift: number;
  readonly counts: Uint32Array;
  readonly touched: TouchedBuckets;
}): { readonly keys: Uint32Array; readonly positions: Uint32Array } {
  const { first, last } = touched;
  const cursors = new Uint32Array(last - first + 1);
  let total = 0;
  for (let bucket = first; bucket <= last; bucket += 1) {
    cursors[bucket - first] = total;
    total += counts[bucket] ?? 0;
  }
  const gatheredKeys = new Uint32Array(total);
  const gatheredPositions = new Uint32Array(total);
  // The keys of the touched buckets are a range, which is cheaper to test than the bucket.
  const lowest = first * 2 ** shift;
  const span = (last - first + 1) * 2 ** shift;
  for (let i = 0; i < keys.length; i += 1) {
    const above = (keys[i] ?? 0) - min - lowest;
    if (above < 0 || above >= span) continue;
    const at = above >>> shift;
    const target = cursors[at] ?? 0;
    cursors[at] = target + 1;
    gatheredKeys[target] = keys[i] ?? 0;
    gatheredPositions[target] = positions ? (positions[i] ?? 0) : i;
  }
  return { keys: gatheredKeys, positions: gatheredPositions };
}
