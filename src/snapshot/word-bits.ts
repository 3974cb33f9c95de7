// Very common words as one bit per document, beside their lists. A list of documents is then held against the word by looking
// at one bit for each of its members, however long the list of the word is. They are made when first needed and kept for as long
// as the snapshot is; making one costs no more than one intersection without it.
import { type DocumentList, markDocuments } from './document-list.ts';
import type { SnapshotView } from './snapshot-view.ts';
import type { QueryWord } from './vocabulary.ts';

/** Of words that fewer documents have, the list itself is smaller than the bits would be. */
const MIN_SHARE = 1 / 64;
/** A short list is looked up in a long one sooner than the bits are made. */
const MAX_LENGTH_RATIO = 16;
/** Per thread and snapshot: 27 MB at nine million documents. */
const MAX_KEPT_WORDS = 24;

interface KeptBits {
  /** How much of the word's list is in it: a plan that sees fewer documents asks only for those. */
  readonly documentCount: number;
  readonly bits: Uint32Array;
}

/** By where a word's list begins, the one that was used last at the end. */
const keptBits = new WeakMap<object, Map<number, KeptBits>>();

/** A bit for each document; undefined when the list of the word serves as well. */
export function findWordBits(
  view: Pick<SnapshotView, 'documentCount'>,
  { documents, postingStart }: Pick<QueryWord, 'documents' | 'postingStart'>,
  tested: DocumentList,
): Uint32Array | undefined {
  if (postingStart === undefined || documents.length < view.documentCount * MIN_SHARE) return undefined;
  const words = keptBits.get(view) ?? new Map<number, KeptBits>();
  keptBits.set(view, words);
  let kept = words.get(postingStart);
  if (!kept || kept.documentCount < documents.length) {
    if (tested.length * MAX_LENGTH_RATIO < documents.length) return undefined;
    const bits = new Uint32Array((view.documentCount + 31) >>> 5);
    markDocuments(bits, documents);
    kept = { documentCount: documents.length, bits };
  }
  words.delete(postingStart);
  words.set(postingStart, kept);
  const [oldest] = words.keys();
  if (words.size > MAX_KEPT_WORDS && oldest !== undefined) words.delete(oldest);
  return kept.bits;
}
