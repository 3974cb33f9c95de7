// Numbers above zero for some of very many slots, such as the ranks of one period: a bitmap of the slots that have one, a directory
// that tells how many stand before, and the numbers themselves with as many bits as the largest needs. Slots are numbered by first
// appearance, so a period's new terms are one run and most terms of long ago are gone: pages of slots that are all empty or all full
// share one bitmap each. docs/data.md has the layout, docs/decisions/0007-sparse-columns.md the alternatives.

const PAGE_SHIFT = 11;
export const PAGE_SLOTS = 2 ** PAGE_SHIFT;
const WORD_BITS = 32;
const WORD_BYTES = 4;
/** A value of so many bits lies within the 32 bits from its first byte on, whichever bit of it is the first. */
const MAX_LOADED_BITS = 25;
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
  /** Those of the values, least first, for reading from any of them on. */
  readonly bytes: DataView;
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
  const values = file.subarray(valuesAt);
  return {
    length,
    valueCount,
    width,
    pages: file.subarray(HEADER_WORDS, bitmapsAt),
    bitmaps: file.subarray(bitmapsAt, valuesAt),
    values,
    bytes: new DataView(values.buffer, values.byteOffset, values.byteLength),
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
  const { length, pages, bitmaps, width } = column;
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
  // Where all values begin within 2³² bits of the first, one load fetches each.
  if (width <= MAX_LOADED_BITS && column.valueCount * width < 2 ** WORD_BITS)
    loadPlaces(column, { values: rows, count, width: step, to });
  else readPlaces(column, { values: rows, count, width: step, to });
}

/** The values of places, counted from 1; 0 for none. Without a value the first one is fetched, and left out. */
function loadPlaces(
  { bytes, width }: SparseColumn,
  { values: rows, count, width: step, to }: Omit<GatheredRows, 'from'>,
) {
  const mask = 0xffffffff >>> (WORD_BITS - width);
  for (let row = 0, at = to; row < count; row += 1, at += step) {
    const place = (rows[at] ?? 0) | 0;
    const isThere = -place >> 31;
    const bit = Math.imul(place + isThere, width);
    rows[at] = (bytes.getInt32(bit >>> 3, true) >>> (bit & 7)) & mask & isThere;
  }
}

function readPlaces(
  { values, width }: SparseColumn,
  { values: rows, count, width: step, to }: Omit<GatheredRows, 'from'>,
) {
  const mask = 0xffffffff >>> (WORD_BITS - width);
  for (let row = 0, at = to; row < count; row += 1, at += step) {
    const place = (rows[at] ?? 0) | 0;
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

/** Whether any slot of the page has a value. */
export function hasValues({ pages }: SparseColumn, page: number): boolean {
  return (pages[2 * page + 1] ?? EMPTY_BITMAP) !== EMPTY_BITMAP;
}

/** The values of a page by slot, 0 for none. Which slots have one cannot be foretold, so no branch depends on it. */
export function readPage(column: SparseColumn, page: number, into: Uint32Array): void {
  const bitmap = column.pages[2 * page + 1] ?? EMPTY_BITMAP;
  if (bitmap === FULL_BITMAP) unpackPage(column, page, into);
  else if (column.width > MAX_LOADED_BITS) spreadWideValues(column, page, into);
  else spreadValues(column, page, into);
}

function spreadValues(column: SparseColumn, page: number, into: Uint32Array): void {
  const { pages, bitmaps, bytes, width } = column;
  const bitmap = pages[2 * page + 1] ?? EMPTY_BITMAP;
  const { from, firstBit, mask } = placePage(column, page);
  let bit = firstBit;
  let slot = 0;
  for (let word = 0; word < BITMAP_WORDS; word += 2) {
    let bits = (bitmaps[bitmap * BITMAP_WORDS + word] ?? 0) | 0;
    for (const end = slot + WORD_BITS; slot < end; slot += 1) {
      const isThere = -(bits & 1);
      into[slot] = (bytes.getInt32(from + (bit >>> 3), true) >>> (bit & 7)) & mask & isThere;
      bit += width & isThere;
      bits >>>= 1;
    }
  }
}

/** The slots of a page that have a value, counted from its first, and their values; returns how many there are. */
export function listPage(
  column: SparseColumn,
  page: number,
  { slots, values }: { readonly slots: Uint32Array; readonly values: Uint32Array },
): number {
  unpackPage(column, page, values);
  const { bitmaps } = column;
  const bitmap = column.pages[2 * page + 1] ?? EMPTY_BITMAP;
  let count = 0;
  // Every slot is written, and kept or written over.
  for (let word = 0; word < BITMAP_WORDS; word += 2) {
    let bits = (bitmaps[bitmap * BITMAP_WORDS + word] ?? 0) | 0;
    const first = word * (WORD_BITS / 2);
    for (let slot = first; slot < first + WORD_BITS; slot += 4) {
      slots[count] = slot;
      count += bits & 1;
      slots[count] = slot + 1;
      count += (bits >>> 1) & 1;
      slots[count] = slot + 2;
      count += (bits >>> 2) & 1;
      slots[count] = slot + 3;
      count += (bits >>> 3) & 1;
      bits >>>= 4;
    }
  }
  return count;
}

/** Where the values of a page begin: a byte, and the bit from there on. */
function placePage({ pages, width }: SparseColumn, page: number) {
  const start = (pages[2 * page] ?? 0) | 0;
  return {
    from: Math.imul(start >>> 5, width) * WORD_BYTES,
    firstBit: Math.imul(start & (WORD_BITS - 1), width),
    mask: 0xffffffff >>> (WORD_BITS - width),
  };
}

/** All values of a page, one after the other. Four at a time: going round the loop takes as long as reading one. */
function unpackPage(column: SparseColumn, page: number, into: Uint32Array): void {
  const { pages, bytes, width } = column;
  const start = pages[2 * page] ?? 0;
  const count = (pages[2 * page + 2] ?? 0) - start;
  const { from, firstBit, mask } = placePage(column, page);
  const loaded = width > MAX_LOADED_BITS ? 0 : count;
  let bit = firstBit;
  let i = 0;
  for (const fours = loaded & ~3; i < fours; i += 4) {
    into[i] = (bytes.getInt32(from + (bit >>> 3), true) >>> (bit & 7)) & mask;
    bit += width;
    into[i + 1] = (bytes.getInt32(from + (bit >>> 3), true) >>> (bit & 7)) & mask;
    bit += width;
    into[i + 2] = (bytes.getInt32(from + (bit >>> 3), true) >>> (bit & 7)) & mask;
    bit += width;
    into[i + 3] = (bytes.getInt32(from + (bit >>> 3), true) >>> (bit & 7)) & mask;
    bit += width;
  }
  // Behind the last value of the column there is nothing to be read.
  for (; i < loaded; i += 1, bit += width) {
    into[i] = (bytes.getInt32(from + (bit >>> 3), true) >>> (bit & 7)) & mask;
  }
  for (; i < count; i += 1) into[i] = valueWithin(column, start + i);
}

function spreadWideValues(column: SparseColumn, page: number, into: Uint32Array): void {
  into.fill(0, 0, PAGE_SLOTS);
  const visit = (slot: number, value: number) => {
    into[slot & (PAGE_SLOTS - 1)] = value;
  };
  walkValues(column, visit, { first: page, count: 1 });
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
