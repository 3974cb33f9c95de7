// Numbers above zero for some of very many slots, such as the ranks of one period: a bitmap of the slots that have one, a directory
// that tells how many stand before, and the numbers themselves with as many bits as the largest needs. Slots are numbered by first
// appearance, so a period's new terms are one run and most terms of long ago are gone: pages of slots that are all empty or all full
// share one bitmap each. docs/data.md has the layout, docs/decisions/0007-sparse-columns.md the alternatives.

const PAGE_SHIFT = 11;
export const PAGE_SLOTS = 2 ** PAGE_SHIFT;
const WORD_BITS = 32;
const PAGE_WORDS = PAGE_SLOTS / WORD_BITS;
/** Each word of a bitmap is followed by how many slots of the page stand before it, so that both are fetched together. */
const BITMAP_WORDS = 2 * PAGE_WORDS;
const BITMAP_SHIFT = 7;
/** Of a slot, divided by sixteen: where its word stands in its bitmap. */
const BITMAP_MASK = BITMAP_WORDS - 2;
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
  /** By page: how many values stand before it, and the number of its bitmap. The last page is behind all slots and empty. */
  readonly pages: Uint32Array;
  readonly bitmaps: Uint32Array;
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
  const bitmapsAt = HEADER_WORDS + 2 * countPages(length);
  const valuesAt = bitmapsAt + bitmapCount * BITMAP_WORDS;
  return {
    length,
    valueCount,
    width,
    pages: file.subarray(HEADER_WORDS, bitmapsAt),
    bitmaps: file.subarray(bitmapsAt, valuesAt),
    values: file.subarray(valuesAt),
  };
}

/** Slots with their values: slots ascend, and no value is 0. */
export interface SlotValues {
  readonly slots: Uint32Array;
  readonly values: Uint32Array;
}

/** A column of so many slots, of which these have a value. */
export function encodeSparse(length: number, { slots, values }: SlotValues): Uint32Array {
  const width = Math.max(1, WORD_BITS - Math.clz32(values.reduce((most, value) => Math.max(most, value), 0)));
  const pageCount = countPages(length);
  const pageEnds = endPages(slots, pageCount);
  const bitmapCount = SHARED_BITMAPS + countOwnBitmaps(pageEnds);
  // The last word is there to be read together with the one before it.
  const valueWords = Math.ceil(slots.length / WORD_BITS) * width + 1;
  const file = new Uint32Array(HEADER_WORDS + 2 * pageCount + bitmapCount * BITMAP_WORDS + valueWords);
  file.set([length, slots.length, width, bitmapCount]);
  const column = openSparse(file);
  markSlots(
    column,
    FULL_BITMAP,
    Uint32Array.from({ length: PAGE_SLOTS }, (_, slot) => slot),
  );
  let nextBitmap = SHARED_BITMAPS;
  for (let page = 0, start = 0; page < pageCount; page += 1) {
    const end = pageEnds[page] ?? 0;
    column.pages[2 * page] = start;
    if (end - start === PAGE_SLOTS) column.pages[2 * page + 1] = FULL_BITMAP;
    else if (end > start) {
      column.pages[2 * page + 1] = nextBitmap;
      markSlots(column, nextBitmap, slots.subarray(start, end));
      nextBitmap += 1;
    }
    start = end;
  }
  for (let index = 0; index < values.length; index += 1) {
    putBits(column.values, { index, width, value: values[index] ?? 0 });
  }
  return file;
}

/** 0 for none. */
export function valueAt(column: SparseColumn, slot: number): number {
  const place = placeOf(column, slot);
  return place < 0 ? 0 : valueWithin(column, place);
}

/** How many values stand before that of the slot; -1 when it has none. */
export function placeOf({ length, pages, bitmaps }: SparseColumn, slot: number): number {
  if (slot >= length) return -1;
  const page = slot >>> PAGE_SHIFT;
  const word = (pages[2 * page + 1] ?? 0) * BITMAP_WORDS + 2 * ((slot & (PAGE_SLOTS - 1)) >>> 5);
  const bits = bitmaps[word] ?? 0;
  const bit = slot & (WORD_BITS - 1);
  if (((bits >>> bit) & 1) === 0) return -1;
  return (pages[2 * page] ?? 0) + (bitmaps[word + 1] ?? 0) + popcount(bits & ((1 << bit) - 1));
}

/**
 * The value of the slot in each row, 0 for none. Slots are anywhere in the column: loops without branches or calls that do little but
 * fetch let the processor wait for many of them at once.
 */
export function gatherValues(column: SparseColumn, { values: rows, count, width: step, from, to }: GatheredRows): void {
  const { length, pages, bitmaps, values, width } = column;
  const lastPage = pages.length / 2 - 1;
  // Sums are cut to whole numbers of 32 bits, which the processor adds in one step.
  for (let row = 0, at = 0; row < count; row += 1, at += step) {
    const slot = rows[at + from] ?? 0;
    const page = slot < length ? slot >>> PAGE_SHIFT : lastPage;
    const word = ((pages[2 * page + 1] ?? 0) << BITMAP_SHIFT) + ((slot >>> 4) & BITMAP_MASK);
    const bits = bitmaps[word] ?? 0;
    const bit = slot & (WORD_BITS - 1);
    const before = (((pages[2 * page] ?? 0) | 0) + ((bitmaps[word + 1] ?? 0) | 0)) | 0;
    rows[at + to] = (before + popcount(bits & ((1 << bit) - 1)) + 1) & -((bits >>> bit) & 1);
  }
  const mask = 0xffffffff >>> (WORD_BITS - width);
  for (let row = 0, at = to; row < count; row += 1, at += step) {
    const place = (rows[at] ?? 0) | 0;
    // Without a value the first one is fetched, and left out.
    const isThere = -place >>> 31;
    const index = (place - isThere) | 0;
    const bit = Math.imul(index & (WORD_BITS - 1), width);
    const word = (Math.imul(index >>> 5, width) + (bit >>> 5)) | 0;
    const shift = bit & (WORD_BITS - 1);
    const both = ((values[word] ?? 0) >>> shift) | (((values[word + 1] ?? 0) << 1) << (WORD_BITS - 1 - shift));
    rows[at] = both & mask & -isThere;
  }
}

/** Every slot with a value, ascending: of all pages, or of so many from a first one on. */
export function walkValues(
  column: SparseColumn,
  visit: (slot: number, value: number) => void,
  { first = 0, count = Number.POSITIVE_INFINITY }: { readonly first?: number; readonly count?: number } = {},
): void {
  const { pages, bitmaps } = column;
  const end = Math.min(first + count, pages.length / 2);
  for (let page = first; page < end; page += 1) {
    const bitmap = pages[2 * page + 1] ?? EMPTY_BITMAP;
    if (bitmap === EMPTY_BITMAP) continue;
    let index = pages[2 * page] ?? 0;
    for (let word = 0; word < PAGE_WORDS; word += 1) {
      let bits = bitmaps[bitmap * BITMAP_WORDS + 2 * word] ?? 0;
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

/** Where common slots go: there is room for as many as the shorter column has values. */
export interface CommonSlots {
  readonly slots: Uint32Array;
  /** Of the first column, and of the second. */
  readonly values: readonly [Uint32Array, Uint32Array];
}

/**
 * The slots with a value in both columns, ascending, and how many there are. The values of a page are unpacked one after the other, and
 * every slot of a word is written and kept or written over: which slots are common cannot be foretold, so no branch depends on it.
 */
export function joinValues(
  [first, second]: readonly [SparseColumn, SparseColumn],
  { slots, values: [firstValues, secondValues] }: CommonSlots,
  throwIfCancelled: () => void,
): number {
  const [firstPage, secondPage] = [new Uint32Array(PAGE_SLOTS), new Uint32Array(PAGE_SLOTS)];
  let count = 0;
  const pageCount = Math.min(first.pages.length, second.pages.length) / 2 - 1;
  for (let page = 0; page < pageCount; page += 1) {
    if (page % 64 === 0) throwIfCancelled();
    const [firstWord, secondWord] = [bitmapOf(first, page), bitmapOf(second, page)];
    // One of them has nothing here.
    if (firstWord === 0 || secondWord === 0) continue;
    unpackPage(first, page, firstPage);
    unpackPage(second, page, secondPage);
    for (let word = 0; word < BITMAP_WORDS; word += 2) {
      let firstBits = first.bitmaps[firstWord + word] ?? 0;
      let secondBits = second.bitmaps[secondWord + word] ?? 0;
      let firstPlace = (first.bitmaps[firstWord + word + 1] ?? 0) | 0;
      let secondPlace = (second.bitmaps[secondWord + word + 1] ?? 0) | 0;
      let slot = page * PAGE_SLOTS + word * (WORD_BITS / 2);
      // Up to the last common slot, so that there is room for whatever is written.
      for (; (firstBits & secondBits) !== 0; firstBits >>>= 1, secondBits >>>= 1, slot += 1) {
        slots[count] = slot;
        firstValues[count] = firstPage[firstPlace] ?? 0;
        secondValues[count] = secondPage[secondPlace] ?? 0;
        count += firstBits & secondBits & 1;
        firstPlace += firstBits & 1;
        secondPlace += secondBits & 1;
      }
    }
  }
  return count;
}

/** All values of a page, one after the other. */
function unpackPage({ pages, values, width }: SparseColumn, page: number, into: Uint32Array): void {
  const start = pages[2 * page] ?? 0;
  const count = (pages[2 * page + 2] ?? 0) - start;
  const mask = 0xffffffff >>> (WORD_BITS - width);
  let shift = ((start & (WORD_BITS - 1)) * width) & (WORD_BITS - 1);
  let at = (start >>> 5) * width + (((start & (WORD_BITS - 1)) * width) >>> 5);
  for (let i = 0; i < count; i += 1) {
    const both = ((values[at] ?? 0) >>> shift) | (((values[at + 1] ?? 0) << 1) << (WORD_BITS - 1 - shift));
    into[i] = both & mask;
    shift += width;
    at += shift >>> 5;
    shift &= WORD_BITS - 1;
  }
}

/** Where the bitmap of a page begins. */
function bitmapOf({ pages }: SparseColumn, page: number): number {
  return (pages[2 * page + 1] ?? EMPTY_BITMAP) * BITMAP_WORDS;
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

/** By page: how many of the slots stand in it or before it. */
function endPages(slots: Uint32Array, pageCount: number): Uint32Array {
  const ends = new Uint32Array(pageCount);
  for (let page = 0, at = 0; page < pageCount; page += 1) {
    const end = (page + 1) * PAGE_SLOTS;
    while (at < slots.length && (slots[at] ?? 0) < end) at += 1;
    ends[page] = at;
  }
  return ends;
}

function countOwnBitmaps(pageEnds: Uint32Array): number {
  return pageEnds.reduce((count, end, page) => {
    const size = end - (pageEnds[page - 1] ?? 0);
    return count + (size === 0 || size === PAGE_SLOTS ? 0 : 1);
  }, 0);
}

/** Slots of one page. */
function markSlots({ bitmaps }: SparseColumn, bitmap: number, slots: Uint32Array): void {
  const first = bitmap * BITMAP_WORDS;
  for (const slot of slots) {
    const word = first + 2 * ((slot & (PAGE_SLOTS - 1)) >>> 5);
    bitmaps[word] = (bitmaps[word] ?? 0) | (1 << (slot & (WORD_BITS - 1)));
  }
  for (let word = first, count = 0; word < first + BITMAP_WORDS; word += 2) {
    bitmaps[word + 1] = count;
    count += popcount(bitmaps[word] ?? 0);
  }
}

export function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
