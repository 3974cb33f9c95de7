// Numbers above zero for some of very many slots, such as the ranks of one period: a bitmap of the slots that have one, a directory
// that tells how many stand before, and the numbers themselves with as many bits as the largest needs. Slots are numbered by first
// appearance, so a period's new terms are one run and most terms of long ago are gone: pages of slots that are all empty or all full
// share one bitmap each. docs/data.md has the layout, docs/decisions/0006-sparse-columns.md the alternatives.

const PAGE_SHIFT = 11;
const PAGE_SLOTS = 2 ** PAGE_SHIFT;
const WORD_BITS = 32;
const PAGE_WORDS = PAGE_SLOTS / WORD_BITS;
/** The bits of a page, and for each word how many of the page stand before it, in two bytes. */
const BITMAP_WORDS = PAGE_WORDS + PAGE_WORDS / 2;
const EMPTY_BITMAP = 0;
const FULL_BITMAP = 1;
const SHARED_BITMAPS = 2;
const HEADER_WORDS = 4;

export interface SparseColumn {
  /** Slots below this number may have a value. */
  readonly length: number;
  readonly valueCount: number;
  /** Bits of a value. */
  readonly width: number;
  /** By page: how many values stand before it. The last page is behind all slots and empty. */
  readonly starts: Uint32Array;
  /** By page: the number of its bitmap. */
  readonly bitmaps: Uint32Array;
  readonly words: Uint32Array;
  /** The same memory in halves, for the counts. */
  readonly halves: Uint16Array;
  readonly values: Uint32Array;
}

/** Where slots are found, and where their values go: of each of so many rows of so many numbers. */
export interface GatheredRows {
  readonly values: Uint32Array;
  readonly count: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

export function openSparse(file: Uint32Array): SparseColumn {
  const [length = 0, valueCount = 0, width = 1, bitmapCount = 0] = file.subarray(0, HEADER_WORDS);
  const pageCount = countPages(length);
  const bitmapsAt = HEADER_WORDS + pageCount;
  const wordsAt = bitmapsAt + pageCount;
  const valuesAt = wordsAt + bitmapCount * BITMAP_WORDS;
  const words = file.subarray(wordsAt, valuesAt);
  return {
    length,
    valueCount,
    width,
    starts: file.subarray(HEADER_WORDS, bitmapsAt),
    bitmaps: file.subarray(bitmapsAt, wordsAt),
    words,
    halves: new Uint16Array(words.buffer, words.byteOffset, 2 * words.length),
    values: file.subarray(valuesAt),
  };
}

/** From numbers by slot, 0 for none. */
export function encodeSparse(dense: Uint32Array): Uint32Array {
  const { valueCount, largest, ownBitmaps } = survey(dense);
  const width = Math.max(1, WORD_BITS - Math.clz32(largest));
  const bitmapCount = SHARED_BITMAPS + ownBitmaps;
  const pageCount = countPages(dense.length);
  // The last word is there to be read together with the one before it.
  const valueWords = Math.ceil(valueCount / WORD_BITS) * width + 1;
  const file = new Uint32Array(HEADER_WORDS + 2 * pageCount + bitmapCount * BITMAP_WORDS + valueWords);
  file.set([dense.length, valueCount, width, bitmapCount]);
  const column = openSparse(file);
  column.words.fill(0xffffffff, BITMAP_WORDS, BITMAP_WORDS + PAGE_WORDS);
  countBits(column, FULL_BITMAP);
  let nextBitmap = SHARED_BITMAPS;
  let valueIndex = 0;
  for (let page = 0; page < pageCount; page += 1) {
    const slots = dense.subarray(page * PAGE_SLOTS, (page + 1) * PAGE_SLOTS);
    const start = valueIndex;
    column.starts[page] = start;
    for (let slot = 0; slot < slots.length; slot += 1) {
      const value = slots[slot] ?? 0;
      if (value === 0) continue;
      putBits(column.values, { index: valueIndex, width, value });
      valueIndex += 1;
    }
    if (valueIndex === start) continue;
    if (valueIndex - start === PAGE_SLOTS) {
      column.bitmaps[page] = FULL_BITMAP;
      continue;
    }
    column.bitmaps[page] = nextBitmap;
    markSlots(column, { bitmap: nextBitmap, slots });
    nextBitmap += 1;
  }
  return file;
}

/** 0 for none. */
export function valueAt(column: SparseColumn, slot: number): number {
  const index = indexOf(column, slot);
  return index === 0 ? 0 : valueWithin(column, index - 1);
}

/**
 * The value of the slot in each row, 0 for none. Slots are anywhere in the column: loops without branches that do little but fetch let
 * the processor wait for many of them at once.
 */
export function gatherValues(column: SparseColumn, { values, count, width, from, to }: GatheredRows): void {
  for (let row = 0, at = 0; row < count; row += 1, at += width)
    values[at + to] = indexOf(column, values[at + from] ?? 0);
  for (let row = 0, at = to; row < count; row += 1, at += width) {
    const index = values[at] ?? 0;
    values[at] = index === 0 ? 0 : valueWithin(column, index - 1);
  }
}

/** Every slot with a value, ascending. */
export function walkValues(column: SparseColumn, visit: (slot: number, value: number) => void): void {
  const { starts, bitmaps, words } = column;
  for (let page = 0; page < starts.length; page += 1) {
    const bitmap = bitmaps[page] ?? EMPTY_BITMAP;
    if (bitmap === EMPTY_BITMAP) continue;
    let index = starts[page] ?? 0;
    for (let word = 0; word < PAGE_WORDS; word += 1) {
      let bits = words[bitmap * BITMAP_WORDS + word] ?? 0;
      const firstSlot = page * PAGE_SLOTS + word * WORD_BITS;
      while (bits !== 0) {
        const lowest = bits & -bits;
        visit(firstSlot + WORD_BITS - 1 - Math.clz32(lowest), valueWithin(column, index));
        index += 1;
        bits ^= lowest;
      }
    }
  }
}

/** 1 + the place of the slot's value among the values, or 0. */
function indexOf({ length, starts, bitmaps, words, halves }: SparseColumn, slot: number): number {
  const page = slot < length ? slot >>> PAGE_SHIFT : starts.length - 1;
  const word = (slot & (PAGE_SLOTS - 1)) >>> 5;
  const bitmapAt = (bitmaps[page] ?? 0) * BITMAP_WORDS;
  const bits = words[bitmapAt + word] ?? 0;
  const bit = slot & (WORD_BITS - 1);
  const before = (halves[2 * (bitmapAt + PAGE_WORDS) + word] ?? 0) + popcount(bits & ((1 << bit) - 1));
  return ((starts[page] ?? 0) + before + 1) * ((bits >>> bit) & 1);
}

/** Thirty-two values take as many whole words as each has bits. */
function valueWithin({ values, width }: SparseColumn, index: number): number {
  const bit = (index & (WORD_BITS - 1)) * width;
  const at = (index >>> 5) * width + (bit >>> 5);
  const shift = bit & (WORD_BITS - 1);
  const both = ((values[at] ?? 0) >>> shift) | (((values[at + 1] ?? 0) << 1) << (WORD_BITS - 1 - shift));
  return (both & (0xffffffff >>> (WORD_BITS - width))) >>> 0;
}

function putBits(
  values: Uint32Array,
  { index, width, value }: { readonly index: number; readonly width: number; readonly value: number },
): void {
  const bit = (index & (WORD_BITS - 1)) * width;
  const at = (index >>> 5) * width + (bit >>> 5);
  const shift = bit & (WORD_BITS - 1);
  values[at] = (values[at] ?? 0) | (value << shift);
  if (shift + width > WORD_BITS) values[at + 1] = value >>> (WORD_BITS - shift);
}

/** A page at the end is empty, for slots that are not there. */
function countPages(length: number): number {
  return Math.ceil(length / PAGE_SLOTS) + 1;
}

function survey(dense: Uint32Array): {
  readonly valueCount: number;
  readonly largest: number;
  readonly ownBitmaps: number;
} {
  let valueCount = 0;
  let largest = 0;
  let ownBitmaps = 0;
  for (let first = 0; first < dense.length; first += PAGE_SLOTS) {
    const before = valueCount;
    const end = Math.min(first + PAGE_SLOTS, dense.length);
    for (let slot = first; slot < end; slot += 1) {
      const value = dense[slot] ?? 0;
      if (value > largest) largest = value;
      valueCount += value === 0 ? 0 : 1;
    }
    const isShared = valueCount === before || valueCount - before === PAGE_SLOTS;
    ownBitmaps += isShared ? 0 : 1;
  }
  return { valueCount, largest, ownBitmaps };
}

function markSlots(
  column: SparseColumn,
  { bitmap, slots }: { readonly bitmap: number; readonly slots: Uint32Array },
): void {
  const { words } = column;
  for (let slot = 0; slot < slots.length; slot += 1) {
    const at = bitmap * BITMAP_WORDS + (slot >>> 5);
    if (slots[slot] !== 0) words[at] = (words[at] ?? 0) | (1 << (slot & (WORD_BITS - 1)));
  }
  countBits(column, bitmap);
}

function countBits({ words, halves }: SparseColumn, bitmap: number): void {
  const bitmapAt = bitmap * BITMAP_WORDS;
  let count = 0;
  for (let word = 0; word < PAGE_WORDS; word += 1) {
    halves[2 * (bitmapAt + PAGE_WORDS) + word] = count;
    count += popcount(words[bitmapAt + word] ?? 0);
  }
}

function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
