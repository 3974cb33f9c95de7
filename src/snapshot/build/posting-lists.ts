// Posting lists in one block, and how a new generation takes over those of the one before. Publishing a period moves its
// keywords to the front and keeps the order of all others, so the new list of a stem is its list among the new documents
// followed by its old list, renumbered: one walk through memory instead of a search for every word.
import { NONE_32 } from '../format/format.ts';

export interface PostingLists {
  /** Where each list ends in the block. */
  readonly ends: Uint32Array;
  /** Ascending within a list. */
  readonly documents: Uint32Array;
  readonly marks: Uint16Array | undefined;
}

export interface Postings {
  readonly stems: PostingLists & { readonly marks: Uint16Array };
  readonly products: PostingLists;
  /** By word: the first document that has it in this spelling; tells whether a plan window knows the word. */
  readonly wordFirstDocuments: Uint32Array;
}

const NO_MARKS = new Uint16Array(0);

/** For each saved document its new number, or NONE_32. */
export function renumberDocuments(savedDocuments: Uint32Array, savedCount: number): Uint32Array {
  const numbers = new Uint32Array(savedCount).fill(NONE_32);
  for (let document = 0; document < savedDocuments.length; document += 1) {
    const saved = savedDocuments[document] ?? NONE_32;
    if (saved !== NONE_32) numbers[saved] = document;
  }
  return numbers;
}

/**
 * Lists of the new documents, each followed by what is left of the saved one. There may be more lists than were saved. Which
 * documents are left is unpredictable: each is written down, and the next one over it unless it counts.
 */
export function mergePostings({
  fresh,
  saved,
  numbers,
}: {
  readonly fresh: PostingLists;
  readonly saved: PostingLists;
  readonly numbers: Uint32Array;
}): PostingLists {
  const { ends: freshEnds, documents: freshDocuments, marks: freshMarks = NO_MARKS } = fresh;
  const { ends: savedEnds, documents: savedDocuments, marks: savedMarks = NO_MARKS } = saved;
  // As signed numbers: NONE_32 is -1 then, and its sign tells it from all others.
  const signedNumbers = new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  const capacity = freshDocuments.length + savedDocuments.length;
  const hasMarks = fresh.marks !== undefined;
  const ends = new Uint32Array(freshEnds.length);
  const documents = new Uint32Array(capacity);
  const marks = new Uint16Array(hasMarks ? capacity : 0);
  let count = 0;
  let freshAt = 0;
  let savedAt = 0;
  for (let list = 0; list < ends.length; list += 1) {
    const freshEnd = freshEnds[list] ?? 0;
    for (; freshAt < freshEnd; freshAt += 1) {
      documents[count] = freshDocuments[freshAt] ?? 0;
      if (hasMarks) marks[count] = freshMarks[freshAt] ?? 0;
      count += 1;
    }
    const savedEnd = list < savedEnds.length ? (savedEnds[list] ?? 0) : savedAt;
    for (; savedAt < savedEnd; savedAt += 1) {
      const document = signedNumbers[savedDocuments[savedAt] ?? 0] ?? -1;
      documents[count] = document;
      if (hasMarks) marks[count] = savedMarks[savedAt] ?? 0;
      count += 1 + (document >> 31);
    }
    ends[list] = count;
  }
  return { ends, documents: documents.subarray(0, count), marks: hasMarks ? marks.subarray(0, count) : undefined };
}

/** Counts as the ends of the lists. */
export function endsOf(counts: Uint32Array): Uint32Array {
  const ends = new Uint32Array(counts.length);
  let total = 0;
  for (let i = 0; i < counts.length; i += 1) {
    total += counts[i] ?? 0;
    ends[i] = total;
  }
  return ends;
}

export function startsOf(ends: Uint32Array): Uint32Array {
  const starts = new Uint32Array(ends.length);
  if (ends.length > 0) starts.set(ends.subarray(0, -1), 1);
  return starts;
}
