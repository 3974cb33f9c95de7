// Set algebra on sorted lists of documents. When one list is short, its members are looked up in the other by galloping
// search; otherwise one becomes a bitmap and the other is tested against it, without a branch that could be mispredicted.
import { takeList, takeRoom } from './arena.ts';

export type DocumentList = Uint32Array;

const GALLOP_RATIO = 16;
const GALLOPED_BELOW = 256;

/** How many members are below the limit. */
export function countBelow(list: DocumentList, limit: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function intersect(a: DocumentList, b: DocumentList): DocumentList {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  // One more than can be kept: the pass over the long list writes before it knows.
  const out = takeList(short.length + 1);
  let count = 0;
  if (isShortBeside(short, long)) {
    for (let i = 0, at = 0; i < short.length; i += 1) {
      const document = short[i] ?? 0;
      at = findFrom(long, { from: at, document });
      out[count] = document;
      count += Number(long[at] === document);
    }
    return out.subarray(0, count);
  }
  const { bits, end } = takeBits(short);
  count = copyMarked(out, { list: long.subarray(0, countBelow(long, end)), bits });
  clearBits(bits, short);
  return out.subarray(0, count);
}

/** Those whose bit is set. */
export function keepMarked(list: DocumentList, bits: Uint32Array): DocumentList {
  const out = takeList(list.length);
  return out.subarray(0, copyMarked(out, { list, bits }));
}

/** Four at a time: going round the loop takes as long as looking at one. */
function copyMarked(
  out: Uint32Array,
  { list, bits }: { readonly list: DocumentList; readonly bits: Uint32Array },
): number {
  const lastFour = list.length - 4;
  let count = 0;
  let i = 0;
  for (; i <= lastFour; i += 4) {
    const first = list[i] ?? 0;
    const second = list[i + 1] ?? 0;
    const third = list[i + 2] ?? 0;
    const fourth = list[i + 3] ?? 0;
    out[count] = first;
    count += bitOf(bits, first);
    out[count] = second;
    count += bitOf(bits, second);
    out[count] = third;
    count += bitOf(bits, third);
    out[count] = fourth;
    count += bitOf(bits, fourth);
  }
  for (; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    out[count] = document;
    count += bitOf(bits, document);
  }
  return count;
}

export function bitOf(bits: Uint32Array, document: number): number {
  return ((bits[document >>> 5] ?? 0) >>> (document & 31)) & 1;
}

export function subtract(list: DocumentList, removed: DocumentList): DocumentList {
  const out = takeList(list.length);
  let count = 0;
  if (isShortBeside(list, removed)) {
    for (let i = 0, at = 0; i < list.length; i += 1) {
      const document = list[i] ?? 0;
      at = findFrom(removed, { from: at, document });
      out[count] = document;
      count += Number(removed[at] !== document);
    }
    return out.subarray(0, count);
  }
  const { bits, end } = takeBits(removed);
  const length = countBelow(list, end);
  for (let i = 0; i < length; i += 1) {
    const document = list[i] ?? 0;
    out[count] = document;
    count += bitOf(bits, document) ^ 1;
  }
  clearBits(bits, removed);
  out.set(list.subarray(length), count);
  return out.subarray(0, count + list.length - length);
}

function isShortBeside(short: DocumentList, long: DocumentList): boolean {
  return short.length < GALLOPED_BELOW || short.length * GALLOP_RATIO < long.length;
}

/** One bit per document below the end, in memory that is kept: all zeros before and, once cleared, behind. */
export function takeBits(list: DocumentList): { readonly bits: Uint32Array; readonly end: number } {
  const end = (list.at(-1) ?? -1) + 1;
  const bits = takeRoom('documentBits', (end + 31) >>> 5);
  markDocuments(bits, list);
  return { bits, end };
}

export function clearBits(bits: Uint32Array, list: DocumentList): void {
  for (let i = 0; i < list.length; i += 1) bits[(list[i] ?? 0) >>> 5] = 0;
}

export function markDocuments(bits: Uint32Array, list: DocumentList): void {
  for (let i = 0; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    bits[document >>> 5] = (bits[document >>> 5] ?? 0) | (1 << (document & 31));
  }
}

/** Members of any list, each once. */
export function unite(lists: readonly DocumentList[]): DocumentList {
  const [first, ...rest] = lists;
  if (!first) return new Uint32Array(0);
  // Two halves at a time, so that no member is copied more than log2(lists) times.
  if (rest.length === 0) return first;
  const middle = lists.length >>> 1;
  return unitePair(unite(lists.slice(0, middle)), unite(lists.slice(middle)));
}

function unitePair(a: DocumentList, b: DocumentList): DocumentList {
  const out = takeList(a.length + b.length);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    out[count] = Math.min(left, right);
    count += 1;
    i += Number(left <= right);
    j += Number(right <= left);
  }
  out.set(a.subarray(i), count);
  count += a.length - i;
  out.set(b.subarray(j), count);
  return out.subarray(0, count + b.length - j);
}

/** The first position from `from` on whose member is not below the document. */
export function findFrom(
  list: DocumentList,
  { from, document }: { readonly from: number; readonly document: number },
): number {
  let step = 1;
  let low = from;
  let high = from;
  while (high < list.length && (list[high] ?? 0) < document) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, list.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < document) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the members of a list stand in another that has all of them. */
export function findPositions(list: DocumentList, members: DocumentList): Uint32Array {
  const positions = takeList(members.length);
  for (let i = 0, at = 0; i < members.length; i += 1, at += 1) {
    const document = members[i] ?? 0;
    // Where little is missing, the next is usually the one.
    if (list[at] !== document) at = findFrom(list, { from: at, document });
    positions[i] = at;
  }
  return positions;
}
