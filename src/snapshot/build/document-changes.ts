// What a build does to the documents of the generation before: those whose terms have a rank in a period that it publishes are taken
// out, and the documents of these periods are put in front. All others keep their order.
import { popcount } from '../format/sparse-column.ts';
import { type Edits, planEdits } from './edited-column.ts';
import { growNumbers, pushNumber, usedNumbers } from './growing.ts';

export interface DocumentChanges {
  /** Documents of the periods that are published; they stand in front. */
  readonly freshCount: number;
  readonly savedCount: number;
  /** Saved documents that are taken out, ascending. */
  readonly removed: Uint32Array;
  /** For columns in the order of documents. */
  readonly edits: Edits;
  /**
   * For each 32 saved documents a bit for each that is taken out, and what is added to the number of the first. Both are fetched together,
   * and all of them stay in the processor's cache where a table of numbers would not.
   */
  readonly shifts: Int32Array;
}

export interface ChangedDocuments {
  readonly freshCount: number;
  /** By saved document. */
  readonly slots: Uint32Array | Uint16Array;
  /** A bit for each slot whose document is taken out. */
  readonly renewed: Uint32Array;
}

export function planChanges({ freshCount, slots, renewed }: ChangedDocuments): DocumentChanges {
  const savedCount = slots.length;
  const removed = growNumbers(new Uint32Array(0));
  const shifts = new Int32Array(2 * Math.ceil(savedCount / 32));
  for (let first = 0; first < savedCount; first += 32) {
    const end = Math.min(first + 32, savedCount);
    shifts[first / 16 + 1] = freshCount - removed.count;
    let bits = 0;
    for (let document = first; document < end; document += 1) {
      const slot = slots[document] ?? 0;
      if ((((renewed[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 0) continue;
      bits |= 1 << (document & 31);
      pushNumber(removed, document);
    }
    shifts[first / 16] = bits;
  }
  const list = usedNumbers(removed);
  const puts = { places: Uint32Array.of(0), counts: Uint32Array.of(freshCount) };
  return { freshCount, savedCount, removed: list, edits: planEdits(savedCount, { puts, removed: list }), shifts };
}

/** The number that a saved document has now, or -1 when it is taken out. */
export function numberOf(shifts: Int32Array, document: number): number {
  const at = (document >>> 5) << 1;
  const bits = shifts[at] ?? -1;
  const shift = shifts[at + 1] ?? 0;
  if (bits === 0) return (document + shift) | 0;
  const bit = document & 31;
  if (((bits >>> bit) & 1) === 1) return -1;
  return (document + shift - popcount(bits & ((1 << bit) - 1))) | 0;
}

/** How many of the removed documents stand among the first so many. */
export function countBelow(removed: Uint32Array, end: number): number {
  let low = 0;
  for (let high = removed.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((removed[middle] ?? 0) < end) low = middle + 1;
    else high = middle;
  }
  return low;
}
