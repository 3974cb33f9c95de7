// From query text to posting lists. A word is known when a visible document has its stem; hidden documents stand behind the
// visible ones in every list, so both questions are answered by where a list is cut.
import type { QueryText } from '../../domain/query-text.ts';
import { parseTrigrams } from '../../domain/similarity.ts';
import { findReplacements, leastShared, type VocabularyWord } from '../../domain/typo.ts';
import { isSpelled, stemWord } from '../../domain/words.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { findEntry, readText } from '../format/text-column.ts';
import { listTrigramBuckets } from '../format/trigram.ts';
import { countBelow, type DocumentList, intersect, unite } from './document-list.ts';

/** A distinct word of a query with the visible documents that have it. */
export interface QueryWord {
  readonly documents: DocumentList;
  /** Where the list begins in the block of postings; undefined for the union of a typo's replacements. */
  readonly postingStart: number | undefined;
  readonly isTypo: boolean;
}

export interface ParsedQuery {
  readonly text: string;
  /** Distinct by stem, in query order. */
  readonly words: readonly QueryWord[];
  /** All words in their order. */
  readonly sequence: readonly SequenceWord[];
}

export interface SequenceWord {
  /** Word slot; undefined for a spelling that no term has. */
  readonly spelling: number | undefined;
  /** Which of the query's distinct words it is. */
  readonly wordIndex: number;
}

export function parseQuery(
  view: SnapshotView,
  {
    query: { text, words: texts },
    visibleCount,
    allowsTypos,
    throwIfCancelled = () => {},
  }: {
    readonly query: QueryText;
    readonly visibleCount: number;
    readonly allowsTypos: boolean;
    readonly throwIfCancelled?: () => void;
  },
): ParsedQuery {
  const words = new Map<string, QueryWord>();
  const unknown = new Map<string, string>();
  for (const { spelling, stem } of texts) {
    if (words.has(stem)) continue;
    const known = findStemDocuments(view, { stem, visibleCount });
    words.set(stem, { ...known, isTypo: false });
    if (known.documents.length === 0 && allowsTypos) unknown.set(stem, spelling);
  }
  if (unknown.size > 0) replaceTypos(view, { words, unknown, visibleCount, throwIfCancelled });
  const stems = [...words.keys()];
  const sequence = texts.map(({ spelling, stem }) => ({
    spelling: findEntry(view.wordIndex, view.words, spelling),
    wordIndex: stems.indexOf(stem),
  }));
  return { text, words: [...words.values()], sequence };
}

export function findStemDocuments(
  view: SnapshotView,
  { stem, visibleCount }: { readonly stem: string; readonly visibleCount: number },
): { readonly documents: DocumentList; readonly postingStart: number | undefined } {
  const entry = findEntry(view.stemIndex, view.stems, stem);
  if (entry === undefined) return { documents: new Uint32Array(0), postingStart: undefined };
  return listStem(view, { stem: entry, visibleCount });
}

export function listStem(
  view: SnapshotView,
  { stem, visibleCount }: { readonly stem: number; readonly visibleCount: number },
): { readonly documents: DocumentList; readonly postingStart: number } {
  const start = stem === 0 ? 0 : (view.stemPostingEnds[stem - 1] ?? 0);
  const list = view.stemPostings.subarray(start, view.stemPostingEnds[stem] ?? 0);
  return { documents: list.subarray(0, countBelow(list, visibleCount)), postingStart: start };
}

/**
 * Finds what stands in for the unknown words, for as long as that can matter: once no document has all the words looked at
 * so far, none will have all of them, whatever the others mean. Looking for typos is by far the most expensive part of a
 * query, and a long text of misspelled words would be hundreds of them.
 */
function replaceTypos(
  view: SnapshotView,
  given: {
    readonly words: Map<string, QueryWord>;
    readonly unknown: ReadonlyMap<string, string>;
    readonly visibleCount: number;
    readonly throwIfCancelled: () => void;
  },
): void {
  const { words, unknown, visibleCount, throwIfCancelled } = given;
  const known = [...words].flatMap(([stem, { documents }]) => (unknown.has(stem) ? [] : [documents]));
  let common = known.length > 0 ? known.sort((a, b) => a.length - b.length).reduce(intersect) : undefined;
  for (const [stem, word] of unknown) {
    throwIfCancelled();
    if (common?.length === 0) {
      words.set(stem, { documents: common, postingStart: undefined, isTypo: true });
      continue;
    }
    const replaced = findTypoDocuments(view, { word, visibleCount });
    words.set(stem, replaced);
    common = common ? intersect(common, replaced.documents) : replaced.documents;
  }
}

function findTypoDocuments(
  view: SnapshotView,
  { word, visibleCount }: { readonly word: string; readonly visibleCount: number },
): QueryWord {
  const replacements = findReplacements(word, listNearWords(view, { word, visibleCount }));
  const stems = new Set(replacements.map(stemWord));
  const lists = [...stems].map((stem) => findStemDocuments(view, { stem, visibleCount }).documents);
  return { documents: unite(lists), postingStart: undefined, isTypo: true };
}

/** Visible words that share enough trigrams with a misspelled one to be near it. */
function* listNearWords(
  view: SnapshotView,
  { word, visibleCount }: { readonly word: string; readonly visibleCount: number },
): Generator<VocabularyWord> {
  if (!isSpelled(word)) return;
  const trigramCount = parseTrigrams(word).size;
  const buckets = listTrigramBuckets(word);
  // Trigrams that fall into one bucket are counted once.
  const minShared = Math.max(1, leastShared(word, trigramCount) - (trigramCount - buckets.length));
  const sharedCounts = new Uint8Array(view.wordStems.length);
  for (const bucket of buckets) {
    const start = bucket === 0 ? 0 : (view.trigramEnds[bucket - 1] ?? 0);
    for (let at = start; at < (view.trigramEnds[bucket] ?? 0); at += 1) {
      const near = view.trigramWords[at] ?? 0;
      const sharedCount = Math.min((sharedCounts[near] ?? 0) + 1, minShared + 1);
      sharedCounts[near] = sharedCount;
      // Each word is proposed once, when it has just enough trigrams.
      if (sharedCount !== minShared || (view.wordFirstDocuments[near] ?? 0) >= visibleCount) continue;
      const { documents } = listStem(view, { stem: view.wordStems[near] ?? 0, visibleCount });
      yield { word: readText(view.words, near), termCount: documents.length };
    }
  }
}
