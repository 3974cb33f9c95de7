// Very common words as one bit per document, beside their lists. A list of documents is then held against the word by looking
// at one bit for each of its members, however long the list of the word is, and where a document stands in that list is
// counted. They are made when first needed and kept for as long as the snapshot is; making one costs no more than one
// intersection without it.

import type { SnapshotView } from '../format/snapshot-view.ts';
import { takeList } from './arena.ts';
import { type DocumentList, markDocuments } from './document-list.ts';
import { LruCache } from './lru-cache.ts';
import type { QueryWord } from './vocabulary.ts';

/** Of words that fewer documents have, the list itself is smaller than the bits would be. */
const MIN_SHARE = 1 / 64;
/** A short list is looked up in a long one sooner than the bits are made. */
const MAX_LENGTH_RATIO = 16;
/** Per thread and snapshot: 36 MB at nine million documents. */
const MAX_KEPT_WORDS = 16;

export interface WordBits {
  /** How much of the word's list is in it: a plan that sees fewer documents asks only for those. */
  readonly documentCount: number;
  /** One for each document. */
  readonly bits: Uint32Array;
  /** How many bits are set before each 32 of them. */
  readonly countsBefore: Uint32Array;
}

/** By where a word's list begins. */
const keptBits = new WeakMap<object, LruCache<number, WordBits>>();

/** Undefined when the list of the word serves as well. */
export function findWordBits(
  view: Pick<SnapshotView, 'documentCount'>,
  { documents, postingStart }: Pick<QueryWord, 'documents' | 'postingStart'>,
  tested: DocumentList,
): WordBits | undefined {
  if (postingStart === undefined || documents.length < view.documentCount * MIN_SHARE) return undefined;
  const words = keptBits.get(view) ?? new LruCache<number, WordBits>(MAX_KEPT_WORDS);
  keptBits.set(view, words);
  const kept = words.get(postingStart);
  if (kept && kept.documentCount >= documents.length) return kept;
  if (tested.length * MAX_LENGTH_RATIO < documents.length) return undefined;
  const made = markWord(documents, view.documentCount);
  words.set(postingStart, made);
  return made;
}

/** Where the documents, all of which have the word, stand in its list. */
export function listPositions({ bits, countsBefore }: WordBits, documents: DocumentList): Uint32Array {
  const positions = takeList(documents.length);
  for (let i = 0; i < documents.length; i += 1) {
    const document = documents[i] ?? 0;
    const before = (bits[document >>> 5] ?? 0) & ((1 << (document & 31)) - 1);
    positions[i] = (countsBefore[document >>> 5] ?? 0) + countBits(before);
  }
  return positions;
}

function markWord(documents: DocumentList, documentCount: number): WordBits {
  const bits = new Uint32Array((documentCount + 31) >>> 5);
  markDocuments(bits, documents);
  const countsBefore = new Uint32Array(bits.length);
  let count = 0;
  for (let i = 0; i < bits.length; i += 1) {
    countsBefore[i] = count;
    count += countBits(bits[i] ?? 0);
  }
  return { documentCount: documents.length, bits, countsBefore };
}

/** Pairs, then fours, then bytes are added up side by side. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
