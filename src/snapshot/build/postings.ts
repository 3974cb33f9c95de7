// Posting lists: for a stem or a product the documents that have it, ascending, all lists in one block with the end of each.
// Documents are numbered by popularity, so every list is in popularity order too. Here are the entries of the documents that a build puts
// in; posting-lists.ts joins them with those of the generation before.

import {
  MARK_FORM_MIXED,
  MARK_FORM_SHIFT,
  MARK_IS_LAST,
  MARK_IS_REPEATED,
  MARK_POSITION_MAX,
  MAX_WORD_FORM,
  NONE_32,
  TRIGRAM_BUCKETS,
} from '../format/format.ts';
import { readText } from '../format/text-column.ts';
import { listTrigramBuckets } from '../format/trigram.ts';
import type { BuildState } from './build-state.ts';
import { currentText, growNumbers, pushNumber } from './growing.ts';
import { sortPairs } from './key-order.ts';
import { endsOf, type FreshEntries, startsOf } from './posting-lists.ts';

export interface FreshStems extends FreshEntries {
  readonly marks: Uint16Array;
  /** By word: the first document that has it in this spelling; tells whether a plan window knows the word. */
  readonly wordFirstDocuments: Uint32Array;
}

/** The words of each of the first documents, one behind the other. */
export interface DocumentWords {
  readonly words: Uint32Array;
  readonly ends: Uint32Array;
}

/** From the words of the terms of fresh documents. */
export function listStemEntries(state: BuildState, { words, ends: wordEnds }: DocumentWords): FreshStems {
  const ends = countStems(state, { words, ends: wordEnds });
  const total = ends.at(-1) ?? 0;
  const documents = new Uint32Array(total);
  const marks = new Uint16Array(total);
  const cursors = startsOf(ends);
  const wordFirstDocuments = new Uint32Array(state.wordStems.count).fill(NONE_32);
  const wordStems = state.wordStems.values;
  const wordForms = state.wordForms.values;
  for (let document = 0; document < state.freshCount; document += 1) {
    const first = document === 0 ? 0 : (wordEnds[document - 1] ?? 0);
    const end = wordEnds[document] ?? 0;
    for (let at = first; at < end; at += 1) {
      const word = words[at] ?? 0;
      const stem = wordStems[word] ?? 0;
      const cursor = cursors[stem] ?? 0;
      if (wordFirstDocuments[word] === NONE_32) wordFirstDocuments[word] = document;
      const form = wordForms[word] === MAX_WORD_FORM ? MARK_FORM_MIXED : (wordForms[word] ?? 0);
      if (cursor > 0 && documents[cursor - 1] === document && isStarted(ends, stem, cursor)) {
        const mark = marks[cursor - 1] ?? 0;
        const isSame = mark >> MARK_FORM_SHIFT === form;
        marks[cursor - 1] = isSame ? mark | MARK_IS_REPEATED : MARK_FORM_MIXED << MARK_FORM_SHIFT;
        continue;
      }
      documents[cursor] = document;
      marks[cursor] =
        (form << MARK_FORM_SHIFT) | (at === end - 1 ? MARK_IS_LAST : 0) | Math.min(at - first, MARK_POSITION_MAX);
      cursors[stem] = cursor + 1;
    }
  }
  return { lists: listsOf(ends), documents, marks, wordFirstDocuments };
}

/** The list of each entry. */
function listsOf(ends: Uint32Array): Uint32Array {
  const lists = new Uint32Array(ends.at(-1) ?? 0);
  for (let list = 0, at = 0; list < ends.length; list += 1) for (; at < (ends[list] ?? 0); at += 1) lists[at] = list;
  return lists;
}

/** For each product or brand the fresh documents that have it in one of their three places. */
export function listPlaceEntries({ fresh, freshCount }: BuildState, kind: 'product' | 'brand'): FreshEntries {
  const [first, second, third] = [fresh[`${kind}-1`], fresh[`${kind}-2`], fresh[`${kind}-3`]];
  const numbers = new Uint32Array(3 * freshCount);
  const keys = new Uint32Array(3 * freshCount);
  let count = 0;
  for (let document = 0; document < freshCount; document += 1) {
    const a = first[document] ?? NONE_32;
    const b = second[document] ?? NONE_32;
    const c = third[document] ?? NONE_32;
    // Each is written down, and the next one over it unless it counts.
    keys[count] = a;
    numbers[count] = document;
    count += a === NONE_32 ? 0 : 1;
    keys[count] = b;
    numbers[count] = document;
    count += b === NONE_32 || b === a ? 0 : 1;
    keys[count] = c;
    numbers[count] = document;
    count += c === NONE_32 || c === a || c === b ? 0 : 1;
  }
  const sorted = sortPairs({ numbers: numbers.subarray(0, count), keys: keys.subarray(0, count) });
  return { lists: sorted.keys, documents: sorted.numbers };
}

/** For each bucket of trigrams the words that have one of them, for finding typos. */
export function buildTrigramPostings(state: BuildState): { readonly ends: Uint32Array; readonly words: Uint32Array } {
  const texts = currentText(state.words);
  const buckets = growNumbers(new Uint32Array(0));
  const bucketEnds = new Uint32Array(state.wordStems.count);
  const counts = new Uint32Array(TRIGRAM_BUCKETS);
  for (let word = 0; word < bucketEnds.length; word += 1) {
    for (const bucket of listTrigramBuckets(readText(texts, word))) {
      pushNumber(buckets, bucket);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    bucketEnds[word] = buckets.count;
  }
  const ends = endsOf(counts);
  const cursors = startsOf(ends);
  const words = new Uint32Array(buckets.count);
  for (let word = 0, at = 0; word < bucketEnds.length; word += 1) {
    for (const end = bucketEnds[word] ?? 0; at < end; at += 1) {
      const bucket = buckets.values[at] ?? 0;
      words[cursors[bucket] ?? 0] = word;
      cursors[bucket] = (cursors[bucket] ?? 0) + 1;
    }
  }
  return { ends, words };
}

/** Whether the list of this stem already has an entry before the cursor. */
function isStarted(ends: Uint32Array, stem: number, cursor: number): boolean {
  return stem === 0 || cursor > (ends[stem - 1] ?? 0);
}

/** How many of the documents each stem has, as list ends. A stem that a term repeats counts once. */
function countStems(
  { stems, wordStems: { values: wordStems } }: BuildState,
  { words, ends }: DocumentWords,
): Uint32Array {
  const counts = new Uint32Array(stems.ends.count);
  const lastDocument = new Uint32Array(stems.ends.count).fill(NONE_32);
  for (let document = 0, at = 0; document < ends.length; document += 1) {
    for (; at < (ends[document] ?? 0); at += 1) {
      const stem = wordStems[words[at] ?? 0] ?? 0;
      if (lastDocument[stem] === document) continue;
      lastDocument[stem] = document;
      counts[stem] = (counts[stem] ?? 0) + 1;
    }
  }
  return endsOf(counts);
}
