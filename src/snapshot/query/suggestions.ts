// Suggestions over a snapshot. Words that begin with the unfinished one are found through the trigrams at the start of words.
// Documents are numbered by popularity, so the answer is the first few documents that have such a word: a walk that ends
// early, over lists that are cut where they can no longer matter.
import type { SuggestionPlan } from '../../domain/suggestion.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { partOf, textEnd, textStart } from '../format/text-column.ts';
import { trigramBucket } from '../format/trigram.ts';
import { type DocumentList, intersect, unite } from './document-list.ts';
import { findTerm } from './matches.ts';
import { findWindow } from './plan-window.ts';
import { readSearchTerm } from './search-rows.ts';
import { findStemDocuments, listStem } from './vocabulary.ts';

/** Lists of so many words are worth uniting; of more, a walk over the finished words is cheaper. */
const MAX_UNITED_WORDS = 64;
const CANCEL_CHECK_DOCUMENTS = 8192;
const IN_TRIGRAMS = /^[\p{Alphabetic}\p{Nd}]$/u;

export function listSuggestions(
  view: SnapshotView,
  plan: SuggestionPlan,
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
): readonly string[] {
  const visibleCount = findWindow(view, plan)?.visibleCount ?? 0;
  const { text, limit } = plan;
  const lastWord = text.words.at(-1);
  if (!lastWord) {
    const document = findTerm(view, text.text);
    return document !== undefined && document < visibleCount ? [readSearchTerm(view, document)] : [];
  }
  const finished = text.words.slice(0, -1).map(({ stem }) => findStemDocuments(view, { stem, visibleCount }).documents);
  const words = findWordsFrom(view, lastWord.spelling, visibleCount);
  const near = finished.length === 0 ? keepFirstWords(view, words, limit) : words;
  const isUnited = finished.length === 0 || near.length <= MAX_UNITED_WORDS;
  const lists = isUnited ? [...finished, uniteWords(view, near, visibleCount)] : finished;
  const documents = lists.sort((a, b) => a.length - b.length).reduce(intersect);
  return walk(view, { documents, words: near, limit, throwIfCancelled }).map((document) =>
    readSearchTerm(view, document),
  );
}

/** The first documents that have one of the words in its spelling; lists of stems hold other spellings too. */
function walk(
  view: SnapshotView,
  {
    documents,
    words,
    limit,
    throwIfCancelled,
  }: {
    readonly documents: DocumentList;
    readonly words: readonly number[];
    readonly limit: number;
    readonly throwIfCancelled: () => void;
  },
): readonly number[] {
  const wanted = new Set(words);
  const found: number[] = [];
  for (let i = 0; i < documents.length && found.length < limit; i += 1) {
    if (i % CANCEL_CHECK_DOCUMENTS === 0) throwIfCancelled();
    const document = documents[i] ?? 0;
    const slot = view.documentSlots[document] ?? 0;
    const end = view.slotWordEnds[slot] ?? 0;
    for (let at = slot === 0 ? 0 : (view.slotWordEnds[slot - 1] ?? 0); at < end; at += 1) {
      if (!wanted.has(view.slotWords[at] ?? 0)) continue;
      found.push(document);
      break;
    }
  }
  return found;
}

/** Visible words that begin with the prefix. */
function findWordsFrom(view: SnapshotView, prefix: string, visibleCount: number): readonly number[] {
  const bytes = Buffer.from(prefix, 'utf8');
  const isFound = (word: number): boolean => {
    if ((view.wordFirstDocuments[word] ?? 0) >= visibleCount) return false;
    const part = partOf(view.words, word);
    const start = textStart(part, word);
    if (textEnd(part, word) - start < bytes.length) return false;
    // Byte by byte, because most words differ early and a call costs more than a letter.
    for (let i = 0; i < bytes.length; i += 1) if (part.bytes[start + i] !== bytes[i]) return false;
    return true;
  };
  const [first = '', second = ''] = prefix;
  // A word that begins with something else, such as a fraction, is in no trigram that tells its beginning.
  if (!IN_TRIGRAMS.test(first)) return Array.from(view.wordStems.keys()).filter(isFound);
  const bucket = trigramBucket(IN_TRIGRAMS.test(second) ? ` ${first}${second}` : `  ${first}`);
  const start = bucket === 0 ? 0 : (view.trigramEnds[bucket - 1] ?? 0);
  return Array.from(view.trigramWords.subarray(start, view.trigramEnds[bucket] ?? 0)).filter(isFound);
}

/**
 * The words that can have one of the first `limit` documents. When that many documents are each the first one of some word,
 * a word whose first document comes later has nothing to add.
 */
function keepFirstWords(view: SnapshotView, words: readonly number[], limit: number): readonly number[] {
  const firsts = Uint32Array.from(words, (word) => view.wordFirstDocuments[word] ?? 0).sort();
  let last = firsts[0] ?? 0;
  let distinctCount = 0;
  for (let i = 0; i < firsts.length && distinctCount < limit; i += 1) {
    if (i === 0 || firsts[i] !== firsts[i - 1]) distinctCount += 1;
    last = firsts[i] ?? 0;
  }
  return words.filter((word) => (view.wordFirstDocuments[word] ?? 0) <= last);
}

function uniteWords(view: SnapshotView, words: readonly number[], visibleCount: number): DocumentList {
  const stems = new Set(words.map((word) => view.wordStems[word] ?? 0));
  return unite([...stems].map((stem) => listStem(view, { stem, visibleCount }).documents));
}
