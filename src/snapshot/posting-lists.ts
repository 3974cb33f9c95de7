// Posting lists in one block, and how a new generation takes over those of the one before. Publishing a period moves its
// keywords to the front and keeps the order of all others, so the new list of a stem is its list among the new documents
// followed by its old list, renumbered: one walk through memory instead of a search for every word.
import { NONE_32 } from './format.ts';

export interface PostingLists {
  /** Where each list ends in the block. */
  readonly ends: Uint32Array;
  /** Ascending within a list. */
  readonly documents: Uint32Array;
  readonly marks: Uint16Array | undefined;
}

/** For each saved document its new number, or NONE_32. */
export function renumberDocuments(savedDocuments: Uint32Array, savedCount: number): Uint32Array {
  const numbers = new Uint32Array(savedCount).fill(NONE_32);
  for (let document = 0; document < savedDocuments.length; document += 1) {
    const saved = savedDocuments[document] ?? NONE_32;
    if (saved !== NONE_32) numbers[saved] = document;
  }
  return numbers;
}

/** Lists of the new documents, each followed by what is left of the saved one. There may be more lists than were saved. */
export function mergePostings({
  fresh,
  saved,
  numbers,
}: {
  readonly fresh: PostingLists;
  readonly saved: PostingLists;
  readonly numbers: Uint32Array;
}): PostingLists {
  const capacity = fresh.documents.length + saved.documents.length;
  const ends = new Uint32Array(fresh.ends.length);
  const documents = new Uint32Array(capacity);
  const marks = fresh.marks && new Uint16Array(capacity);
  let count = 0;
  let freshAt = 0;
  let savedAt = 0;
  for (let list = 0; list < ends.length; list += 1) {
    for (const end = fresh.ends[list] ?? 0; freshAt < end; freshAt += 1, count += 1) {
      documents[count] = fresh.documents[freshAt] ?? 0;
      if (marks) marks[count] = fresh.marks?.[freshAt] ?? 0;
    }
    for (const end = list < saved.ends.length ? (saved.ends[list] ?? 0) : savedAt; savedAt < end; savedAt += 1) {
      const document = numbers[saved.documents[savedAt] ?? 0] ?? NONE_32;
      documents[count] = document;
      if (marks) marks[count] = saved.marks?.[savedAt] ?? 0;
      count += document === NONE_32 ? 0 : 1;
    }
    ends[list] = count;
  }
  return { ends, documents: documents.subarray(0, count), marks: marks?.subarray(0, count) };
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
