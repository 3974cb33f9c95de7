// The orders of a pair of periods of which nothing is sorted. Keys of a few bits stand for numbers and texts that have more, in their order, and
// what decides among equal keys are the rest of the number or text, the newer rank and the term.
import { changeHundredths } from '../../domain/trend.ts';
import { compareTexts, partOf, type TextColumn, textEnd, textStart } from '../format/text-column.ts';
import type { DocumentList } from '../query/document-list.ts';
import { type KeyAt, LAST_KEY, type SelectionOrder } from '../query/selection.ts';
import { KEY_BITS, type MoveOrder } from './moves.ts';

/** The bits of 1 as a float, from which those of larger numbers count on. */
const BITS_OF_ONE = 0x3f80_0000;
/** Above the bits of the deepest fall, of fewer than 2³⁹ hundredths of a percent. */
const STANDSTILL = 39 * 2 ** 23;
/** More than a float of this size lies beside the number that it stands for. */
const FLOAT_ERROR = 2 ** 16;
const WORD_BYTES = 4;
/** The whole bytes of a text that its key holds. */
const KEY_BYTES = 3;
/** Few terms are alike over 27 bytes. */
const TEXT_LEVELS = 6;

/** Rises as they are, at most 10,000 hundredths of a percent, and falls by the bits of a float: above 2²⁴ neighbours share a key. */
export function keyPercentages(previousRanks: Uint32Array, latestRanks: Uint32Array): Uint32Array {
  const keys = new Uint32Array(previousRanks.length);
  const float = new Float32Array(1);
  const bits = new Int32Array(float.buffer);
  // Whether a rank rose or fell cannot be foretold, so no branch depends on it.
  for (let place = 0; place < keys.length; place += 1) {
    const previous = (previousRanks[place] ?? 0) | 0;
    const change = previous - ((latestRanks[place] ?? 0) | 0);
    // As in changeHundredths of domain/trend.ts.
    const size = Math.round((Math.abs(change) * 10_000) / previous);
    float[0] = size;
    const fall = (change >> 31) & -Number(size !== 0);
    keys[place] = STANDSTILL + ((size & ~fall) | ((BITS_OF_ONE - 1 - (bits[0] ?? 0)) & fall));
  }
  return keys;
}

/** The first bits of the texts of slots, which ascend. */
export function keyTerms(terms: TextColumn, slots: Uint32Array): Uint32Array {
  const keys = new Uint32Array(slots.length);
  let part = terms;
  for (let place = 0; place < slots.length; place += 1) {
    const slot = slots[place] ?? 0;
    if (slot >= part.limit) part = partOf(part, slot);
    const from = textStart(part, slot);
    keys[place] = wordFrom(part, from, textEnd(part, slot)) >>> (WORD_BYTES * 8 - KEY_BITS);
  }
  return keys;
}

export function listTies({
  order: { field, direction },
  places,
  previousRanks,
  latestRanks,
  slots,
  terms,
}: {
  readonly order: MoveOrder;
  readonly places: DocumentList;
  readonly previousRanks: Uint32Array;
  readonly latestRanks: Uint32Array;
  readonly slots: Uint32Array;
  readonly terms: TextColumn;
}): SelectionOrder['ties'] {
  const slotAt = (position: number): number => slots[places[position] ?? 0] ?? 0;
  const compareTerms = (a: number, b: number) => compareTexts(terms, [slotAt(a), slotAt(b)]);
  const directed = (keyAt: KeyAt): KeyAt => (direction === 'asc' ? keyAt : (position) => LAST_KEY - keyAt(position));
  if (field === 'query') {
    const levels = Array.from({ length: TEXT_LEVELS }, (_, level) => {
      const depth = KEY_BYTES + level * WORD_BYTES;
      return directed((position) => wordAt(terms, { slot: slotAt(position), depth }));
    });
    return { levels, compare: direction === 'asc' ? compareTerms : (a, b) => compareTerms(b, a) };
  }
  const rankAt: KeyAt = (position) => latestRanks[places[position] ?? 0] ?? 0;
  if (field !== 'change_percentage') return { levels: [rankAt], compare: compareTerms };
  const restAt: KeyAt = (position) => {
    const place = places[position] ?? 0;
    const hundredths = changeHundredths(previousRanks[place] ?? 0, latestRanks[place] ?? 0);
    return FLOAT_ERROR + hundredths - Math.fround(hundredths);
  };
  return { levels: [directed(restAt), rankAt], compare: compareTerms };
}

/** The bytes of a text behind so many as a number. */
function wordAt(texts: TextColumn, { slot, depth }: { readonly slot: number; readonly depth: number }): number {
  const part = partOf(texts, slot);
  return wordFrom(part, textStart(part, slot) + depth, textEnd(part, slot));
}

/** The next bytes, 0 from the end on. */
function wordFrom({ bytes, view }: TextColumn, from: number, end: number): number {
  if (end - from >= WORD_BYTES) return view.getUint32(from);
  let word = 0;
  for (let at = from; at < from + WORD_BYTES; at += 1) word = (word << 8) | (at < end ? (bytes[at] ?? 0) : 0);
  return word >>> 0;
}
