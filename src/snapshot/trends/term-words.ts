// The first four bytes of terms as numbers, which are ordered as the terms are.
import { partOf, type TextColumn, textEnd, textStart } from '../format/text-column.ts';
import { countBelow } from '../query/document-list.ts';

export const WORD_BITS = 32;
export const WORD_BYTES = 4;

/** Words of terms, by place in a list of ascending slots. */
interface WordList {
  readonly slots: Uint32Array;
  readonly count: number;
  readonly words: Uint32Array;
}

export function readWords(terms: TextColumn, list: WordList): void {
  const slots = list.slots.subarray(0, list.count);
  for (let from = 0; from < slots.length; ) {
    const part = partOf(terms, slots[from] ?? 0);
    const to = countBelow(slots, part.limit);
    readPartWords(part, list, { from, to });
    from = to;
  }
}

function readPartWords(
  part: TextColumn,
  { slots, words }: WordList,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const { view, ends, first, base } = part;
  for (let i = from; i < to; i += 1) {
    const slot = (slots[i] ?? 0) | 0;
    const start = slot === first ? 0 : ((ends[slot - 1] ?? 0) - base) >>> 0;
    const end = ((ends[slot] ?? 0) - base) >>> 0;
    words[i] = end - start >= WORD_BYTES ? view.getUint32(start) : wordFrom(part, start, end);
  }
}

/** The bytes of a text behind so many. */
export function wordAt(terms: TextColumn, { slot, depth }: { readonly slot: number; readonly depth: number }): number {
  const part = partOf(terms, slot);
  return wordFrom(part, textStart(part, slot) + depth, textEnd(part, slot));
}

/** The next bytes of a text, 0 from its end on. */
function wordFrom({ bytes, view }: TextColumn, from: number, end: number): number {
  if (end - from >= WORD_BYTES) return view.getUint32(from);
  let word = 0;
  for (let at = from; at < from + WORD_BYTES; at += 1) word = (word << 8) | (at < end ? (bytes[at] ?? 0) : 0);
  return word >>> 0;
}
