// Relevance of matches as codes: whole numbers that compare as the values do, higher is better. best_match takes the tier,
// fts_rank the place of its value among the few values that can occur, similarity_score the bits of the number.
import { ftsRank, MATCH_TIERS, wordWeight } from '../domain/ranking.ts';
import { type DocumentList, findFrom } from './document-list.ts';
import {
  MARK_FORM_MIXED,
  MARK_FORM_SHIFT,
  MARK_IS_LAST,
  MARK_IS_REPEATED,
  MARK_POSITION_MAX,
  MAX_WORD_FORM,
} from './format.ts';
import { takeBytes, takeList } from './scratch-room.ts';
import type { SnapshotView } from './snapshot-view.ts';
import type { ParsedQuery, QueryWord } from './vocabulary.ts';
import { findWordBits, positionOf } from './word-bits.ts';

const MAX_WORD_COUNT = 255;
/** Beside positions, which are below these: the words do not stand as a phrase, or the marks do not tell. */
const NO_PHRASE = 254;
const UNKNOWN_START = 255;
const UNKNOWN_TIER = 255;
const MARK_COUNT = 65_536;

/** The tier of each document for a query that it matches. */
export function listTiers(
  view: SnapshotView,
  { query, documents }: { readonly query: ParsedQuery; readonly documents: DocumentList },
): Uint8Array {
  const tiers = takeBytes(documents.length);
  if (query.words.length === 0) return tiers.fill(MATCH_TIERS.equal);
  if (query.words.some((word) => word.isTypo)) return tiers.fill(MATCH_TIERS.typo);
  const spellings: number[] = [];
  for (const { spelling } of query.sequence) {
    // A spelling that no term has stands in no phrase.
    if (spelling === undefined) return tiers.fill(MATCH_TIERS.words);
    spellings.push(spelling);
  }
  // With a repeated word, or one that has too many spellings, the marks are not enough.
  const isMarked =
    query.sequence.length === query.words.length &&
    spellings.every((spelling) => (view.wordForms[spelling] ?? MAX_WORD_FORM) < MAX_WORD_FORM);
  const [word] = query.words;
  const [spelling] = spellings;
  if (isMarked && word && spelling !== undefined && spellings.length === 1) {
    fillTiersOfWord(view, { tiers, documents, word, spelling });
  } else if (isMarked) fillTiersFromMarks(view, { tiers, documents, spellings, words: query.words });
  else {
    for (let i = 0; i < documents.length; i += 1) {
      tiers[i] = tierOf(view, { document: documents[i] ?? 0, sequence: spellings });
    }
  }
  return tiers;
}

/** With one word the mark alone tells the tier, so a table of all marks does, without a branch. */
function fillTiersOfWord(
  view: SnapshotView,
  {
    tiers,
    documents,
    word,
    spelling,
  }: {
    readonly tiers: Uint8Array;
    readonly documents: DocumentList;
    readonly word: QueryWord;
    readonly spelling: number;
  },
): void {
  const tierByMark = tiersOfForm(view.wordForms[spelling] ?? 0);
  const list = word.documents;
  const marks = view.stemPostingMarks.subarray(word.postingStart ?? 0, (word.postingStart ?? 0) + list.length);
  // Without filters the documents are the list itself, and the marks need no search.
  const isWholeList = documents.buffer === list.buffer && documents.byteOffset === list.byteOffset;
  let unknownCount = 0;
  for (let i = 0; isWholeList && i < documents.length; i += 1) {
    const tier = tierByMark[marks[i] ?? 0] ?? 0;
    tiers[i] = tier;
    unknownCount += Number(tier === UNKNOWN_TIER);
  }
  const wordBits = isWholeList ? undefined : findWordBits(view, word, documents);
  for (let i = 0, at = 0; !isWholeList && i < documents.length; i += 1, at += 1) {
    const document = documents[i] ?? 0;
    // Where little is missing from the list, the next is usually the one.
    if (list[at] !== document) {
      at = wordBits ? positionOf(wordBits, document) : findFrom(list, { from: at, document });
    }
    const tier = tierByMark[marks[at] ?? 0] ?? 0;
    tiers[i] = tier;
    unknownCount += Number(tier === UNKNOWN_TIER);
  }
  for (let i = 0; unknownCount > 0; i += 1) {
    if (tiers[i] !== UNKNOWN_TIER) continue;
    tiers[i] = tierOf(view, { document: documents[i] ?? 0, sequence: [spelling] });
    unknownCount -= 1;
  }
}

/** Made when first needed; most words have a handful of spellings. */
const tiersByForm: Uint8Array[] = [];

function tiersOfForm(form: number): Uint8Array {
  const tiers = tiersByForm[form] ?? planTiers(form);
  tiersByForm[form] = tiers;
  return tiers;
}

/** By posting mark: the tier of a query that is one word in this spelling. */
function planTiers(form: number): Uint8Array {
  const tiers = new Uint8Array(MARK_COUNT).fill(MATCH_TIERS.words);
  tiers.fill(UNKNOWN_TIER, MARK_FORM_MIXED << MARK_FORM_SHIFT);
  for (let position = 0; position < MARK_POSITION_MAX; position += 1) {
    const mark = (form << MARK_FORM_SHIFT) | position;
    tiers[mark] = phraseTier({ start: position, isWhole: false });
    tiers[mark | MARK_IS_REPEATED] = phraseTier({ start: position, isWhole: false });
    tiers[mark | MARK_IS_LAST] = phraseTier({ start: position, isWhole: true });
  }
  for (let mark = MARK_POSITION_MAX; mark < MARK_COUNT; mark += MARK_POSITION_MAX + 1) tiers[mark] = UNKNOWN_TIER;
  return tiers;
}

/**
 * The marks beside the postings tell where the words stand without a look at the terms. The query's words are distinct
 * here, so the n-th of them is the n-th of the sequence. Word by word: where must the phrase begin if it is one?
 */
function fillTiersFromMarks(
  view: SnapshotView,
  {
    tiers,
    documents,
    spellings,
    words,
  }: {
    readonly tiers: Uint8Array;
    readonly documents: DocumentList;
    readonly spellings: readonly number[];
    readonly words: readonly QueryWord[];
  },
): void {
  const starts = takeBytes(documents.length).fill(0);
  for (const [n, word] of words.entries()) {
    const marks = view.stemPostingMarks.subarray(word.postingStart ?? 0);
    const form = view.wordForms[spellings[n] ?? 0] ?? 0;
    const isLastWord = n === words.length - 1;
    const wordBits = findWordBits(view, word, documents);
    let at = 0;
    for (let i = 0; i < documents.length; i += 1) {
      const start = starts[i] ?? 0;
      if (start === NO_PHRASE || start === UNKNOWN_START) continue;
      const document = documents[i] ?? 0;
      at = wordBits ? positionOf(wordBits, document) : findFrom(word.documents, { from: at, document });
      const mark = marks[at] ?? 0;
      const position = mark & MARK_POSITION_MAX;
      const markForm = mark >> MARK_FORM_SHIFT;
      const isClear = markForm !== MARK_FORM_MIXED && position < MARK_POSITION_MAX && (mark & MARK_IS_REPEATED) === 0;
      if (!isClear) starts[i] = UNKNOWN_START;
      else if (markForm !== form || position < n || (n > 0 && position - n !== start)) starts[i] = NO_PHRASE;
      else {
        starts[i] = position - n;
        if (isLastWord) tiers[i] = phraseTier({ start: position - n, isWhole: (mark & MARK_IS_LAST) !== 0 });
      }
    }
  }
  for (let i = 0; i < documents.length; i += 1) {
    if (starts[i] === NO_PHRASE) tiers[i] = MATCH_TIERS.words;
    else if (starts[i] === UNKNOWN_START) {
      tiers[i] = tierOf(view, { document: documents[i] ?? 0, sequence: spellings });
    }
  }
}

function phraseTier({ start, isWhole }: { readonly start: number; readonly isWhole: boolean }): number {
  if (start > 0) return MATCH_TIERS.phrase;
  return isWhole ? MATCH_TIERS.equal : MATCH_TIERS.start;
}

function tierOf(
  view: SnapshotView,
  { document, sequence }: { readonly document: number; readonly sequence: readonly number[] },
): number {
  const slot = view.documentSlots[document] ?? 0;
  const start = slot === 0 ? 0 : (view.slotWordEnds[slot - 1] ?? 0);
  const end = view.slotWordEnds[slot] ?? 0;
  for (let at = start; at + sequence.length <= end; at += 1) {
    let matched = 0;
    while (matched < sequence.length && view.slotWords[at + matched] === sequence[matched]) matched += 1;
    if (matched < sequence.length) continue;
    if (at > start) return MATCH_TIERS.phrase;
    return end - start === sequence.length ? MATCH_TIERS.equal : MATCH_TIERS.start;
  }
  return MATCH_TIERS.words;
}

/** For each query a table from word count to code. The value depends on nothing else, since every word must match. */
export function planFtsCodes(queries: readonly ParsedQuery[], visibleCount: number): readonly Uint32Array[] {
  const values = queries.map(({ words }) => {
    const weights = words.map(({ documents }) => wordWeight({ termCount: visibleCount, matchCount: documents.length }));
    return Array.from({ length: MAX_WORD_COUNT + 1 }, (_, wordCount) => ftsRank({ weights, wordCount }));
  });
  const ordered = [...new Set(values.flat())].sort((a, b) => a - b);
  const codeByValue = new Map(ordered.map((value, code) => [value, code]));
  return values.map((table) => Uint32Array.from(table, (value) => codeByValue.get(value) ?? 0));
}

export function listFtsCodes(view: SnapshotView, documents: DocumentList, table: Uint32Array): Uint32Array {
  const codes = takeList(documents.length);
  for (let i = 0; i < documents.length; i += 1) codes[i] = table[view.wordCounts[documents[i] ?? 0] ?? 0] ?? 0;
  return codes;
}
