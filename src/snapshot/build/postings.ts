// Posting lists: for a stem or a product the documents that have it, ascending, all lists in one block with the end of each.
// Documents are numbered by popularity, so every list is in popularity order too.

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
import {
  endsOf,
  mergePostings,
  type PostingLists,
  type Postings,
  renumberDocuments,
  startsOf,
} from './posting-lists.ts';

export function buildPostings(state: BuildState): Postings {
  const savedAt = state.savedDocuments.findIndex((saved) => saved !== NONE_32);
  const freshCount = savedAt < 0 ? state.documentCount : savedAt;
  const fresh = buildFreshPostings(state, freshCount);
  const { savedPostings } = state;
  if (!savedPostings) return fresh;
  const numbers = renumberDocuments(state.savedDocuments, savedPostings.documentCount);
  const { wordFirstDocuments } = fresh;
  for (let word = 0; word < savedPostings.wordFirstDocuments.length; word += 1) {
    // A first document that moved to the front took its words along.
    if (wordFirstDocuments[word] !== NONE_32) continue;
    wordFirstDocuments[word] = numbers[savedPostings.wordFirstDocuments[word] ?? NONE_32] ?? NONE_32;
  }
  const stems = mergePostings({ fresh: fresh.stems, saved: savedPostings.stems, numbers });
  return {
    stems: { ...stems, marks: stems.marks ?? new Uint16Array(0) },
    products: mergePostings({ fresh: fresh.products, saved: savedPostings.products, numbers }),
    wordFirstDocuments,
  };
}

/** The lists of the first documents alone, from the words of their terms. */
function buildFreshPostings(state: BuildState, documentCount: number): Postings {
  const ends = countStems(state, documentCount);
  const total = ends.at(-1) ?? 0;
  const documents = new Uint32Array(total);
  const marks = new Uint16Array(total);
  const cursors = startsOf(ends);
  const wordFirstDocuments = new Uint32Array(state.wordStems.count).fill(NONE_32);
  const slots = state.documents['document-slot'];
  const slotWords = state.slotWords.values;
  const slotWordEnds = state.slotWordEnds.values;
  const wordStems = state.wordStems.values;
  const wordForms = state.wordForms.values;
  for (let document = 0; document < documentCount; document += 1) {
    const slot = slots[document] ?? 0;
    const first = slot === 0 ? 0 : (slotWordEnds[slot - 1] ?? 0);
    const end = slotWordEnds[slot] ?? 0;
    for (let at = first; at < end; at += 1) {
      const word = slotWords[at] ?? 0;
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
  return {
    stems: { ends, documents, marks },
    products: buildFreshProductPostings(state, documentCount),
    wordFirstDocuments,
  };
}

function buildFreshProductPostings(state: BuildState, documentCount: number): PostingLists {
  const columns = [state.documents['product-1'], state.documents['product-2'], state.documents['product-3']] as const;
  return buildPlacePostings(columns, { documentCount, valueCount: state.productIds.count });
}

/** Few enough that merging what the generation before had would cost as much as starting anew. */
export function buildBrandPostings(state: BuildState): PostingLists {
  const columns = [state.documents['brand-1'], state.documents['brand-2'], state.documents['brand-3']] as const;
  return buildPlacePostings(columns, { documentCount: state.documentCount, valueCount: state.brandIds.count });
}

type PlaceColumns = readonly [Uint32Array | Uint16Array, Uint32Array | Uint16Array, Uint32Array | Uint16Array];

/** For each value the first documents that have it in one of their three places. */
function buildPlacePostings(
  columns: PlaceColumns,
  { documentCount, valueCount }: { readonly documentCount: number; readonly valueCount: number },
): PostingLists {
  const counts = new Uint32Array(valueCount);
  visitPlaces(columns, documentCount, (value) => {
    counts[value] = (counts[value] ?? 0) + 1;
  });
  const ends = endsOf(counts);
  const cursors = startsOf(ends);
  const documents = new Uint32Array(ends.at(-1) ?? 0);
  visitPlaces(columns, documentCount, (value, document) => {
    documents[cursors[value] ?? 0] = document;
    cursors[value] = (cursors[value] ?? 0) + 1;
  });
  return { ends, documents, marks: undefined };
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

/** The document of each slot, NONE_32 for terms that no period ranks any more. */
export function invertSlots(state: BuildState): Uint32Array {
  const documents = new Uint32Array(state.slotTermIds.count).fill(NONE_32);
  const slots = state.documents['document-slot'];
  for (let document = 0; document < state.documentCount; document += 1) documents[slots[document] ?? 0] = document;
  return documents;
}

/** Whether the list of this stem already has an entry before the cursor. */
function isStarted(ends: Uint32Array, stem: number, cursor: number): boolean {
  return stem === 0 || cursor > (ends[stem - 1] ?? 0);
}

/** How many documents each stem has, as list ends. A stem that a term repeats counts once. */
function countStems(state: BuildState, documentCount: number): Uint32Array {
  const counts = new Uint32Array(state.stems.ends.count);
  const lastDocument = new Uint32Array(state.stems.ends.count).fill(NONE_32);
  const slots = state.documents['document-slot'];
  const slotWords = state.slotWords.values;
  const slotWordEnds = state.slotWordEnds.values;
  const wordStems = state.wordStems.values;
  for (let document = 0; document < documentCount; document += 1) {
    const slot = slots[document] ?? 0;
    for (let at = slot === 0 ? 0 : (slotWordEnds[slot - 1] ?? 0); at < (slotWordEnds[slot] ?? 0); at += 1) {
      const stem = wordStems[slotWords[at] ?? 0] ?? 0;
      if (lastDocument[stem] === document) continue;
      lastDocument[stem] = document;
      counts[stem] = (counts[stem] ?? 0) + 1;
    }
  }
  return endsOf(counts);
}

function visitPlaces(
  [first, second, third]: PlaceColumns,
  documentCount: number,
  visit: (value: number, document: number) => void,
): void {
  for (let document = 0; document < documentCount; document += 1) {
    const a = first[document] ?? NONE_32;
    const b = second[document] ?? NONE_32;
    const c = third[document] ?? NONE_32;
    if (a !== NONE_32) visit(a, document);
    if (b !== NONE_32 && b !== a) visit(b, document);
    if (c !== NONE_32 && c !== a && c !== b) visit(c, document);
  }
}
