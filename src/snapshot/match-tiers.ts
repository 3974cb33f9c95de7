// The tiers of best_match, mostly told by the marks beside the postings, without a look at the terms.
import { MATCH_TIERS } from '../domain/ranking.ts';
import { type DocumentList, findFrom } from './document-list.ts';
import {
  MARK_FORM_MIXED,
  MARK_FORM_SHIFT,
  MARK_IS_LAST,
  MARK_IS_REPEATED,
  MARK_POSITION_MAX,
  MAX_WORD_FORM,
} from './format.ts';
import { RecentlyUsed } from './recently-used.ts';
import { takeBytes } from './scratch-room.ts';
import type { SnapshotView } from './snapshot-view.ts';
import type { ParsedQuery, QueryWord } from './vocabulary.ts';
import { findWordBits, positionOf } from './word-bits.ts';

/** Beside positions, which are below these: the words do not stand as a phrase, or the marks do not tell. */
const NO_PHRASE = 254;
const UNKNOWN_START = 255;
const UNKNOWN_TIER = 255;
const MARK_COUNT = 65_536;

/** How the tiers of a query are found. */
export type TierPlan =
  /** Whatever matches has this one. */
  | { readonly kind: 'one'; readonly tier: number }
  /** The marks tell. The query's words are distinct, so that the n-th of them is the n-th spelling. */
  | { readonly kind: 'marks'; readonly words: readonly QueryWord[]; readonly spellings: readonly number[] }
  /** With a repeated word, or one that has too many spellings, the marks are not enough. */
  | { readonly kind: 'terms'; readonly spellings: readonly number[] };

export type MarkedPlan = Extract<TierPlan, { kind: 'marks' }>;

export function planTiers(view: SnapshotView, { words, sequence }: ParsedQuery): TierPlan {
  if (words.length === 0) return { kind: 'one', tier: MATCH_TIERS.equal };
  if (words.some((word) => word.isTypo)) return { kind: 'one', tier: MATCH_TIERS.typo };
  const spellings: number[] = [];
  for (const { spelling } of sequence) {
    // A spelling that no term has stands in no phrase.
    if (spelling === undefined) return { kind: 'one', tier: MATCH_TIERS.words };
    spellings.push(spelling);
  }
  const isMarked =
    sequence.length === words.length &&
    spellings.every((spelling) => (view.wordForms[spelling] ?? MAX_WORD_FORM) < MAX_WORD_FORM);
  return isMarked ? { kind: 'marks', words, spellings } : { kind: 'terms', spellings };
}

/** The tier of each document, all of which match the query; they may be a part of a list that is looked at bit by bit. */
export function listTiers(
  view: SnapshotView,
  plan: TierPlan,
  documents: DocumentList,
  whole: DocumentList = documents,
): Uint8Array {
  const tiers = takeBytes(documents.length);
  if (plan.kind === 'one') return tiers.fill(plan.tier);
  if (plan.kind === 'marks') {
    const [word] = plan.words;
    const [spelling] = plan.spellings;
    if (word && spelling !== undefined && plan.words.length === 1) {
      fillTiersOfWord(view, { tiers, documents, whole, word, spelling });
    } else fillTiersFromMarks(view, { tiers, documents, whole, ...plan });
    return tiers;
  }
  for (let i = 0; i < documents.length; i += 1) tiers[i] = tierOf(view, documents[i] ?? 0, plan.spellings);
  return tiers;
}

/** With one word the mark alone tells the tier, so a table of all marks does, without a branch. */
function fillTiersOfWord(
  view: SnapshotView,
  {
    tiers,
    documents,
    whole,
    word,
    spelling,
  }: {
    readonly tiers: Uint8Array;
    readonly documents: DocumentList;
    readonly whole: DocumentList;
    readonly word: QueryWord;
    readonly spelling: number;
  },
): void {
  const tierByMark = tiersOfForm(view.wordForms[spelling] ?? 0);
  const list = word.documents;
  const marks = marksOf(view, word);
  // Without filters the documents are a part of the list itself, and the marks need no search.
  const first = findPart(list, documents);
  let unknownCount = first === undefined ? 0 : fillFrom(marks.subarray(first), { tiers, tierByMark });
  const wordBits = first === undefined ? findWordBits(view, word, whole) : undefined;
  for (let i = 0, at = 0; first === undefined && i < documents.length; i += 1, at += 1) {
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
    tiers[i] = tierOf(view, documents[i] ?? 0, [spelling]);
    unknownCount -= 1;
  }
}

/** Tiers of documents beside each other; returns how many the marks do not tell. */
function fillFrom(
  marks: Uint16Array,
  { tiers, tierByMark }: { readonly tiers: Uint8Array; readonly tierByMark: Uint8Array },
): number {
  let unknownCount = 0;
  for (let i = 0; i < tiers.length; i += 1) {
    const tier = tierByMark[marks[i] ?? 0] ?? 0;
    tiers[i] = tier;
    unknownCount += Number(tier === UNKNOWN_TIER);
  }
  return unknownCount;
}

/** Where a part of a list begins in it; undefined when it is none. */
function findPart(list: DocumentList, part: DocumentList): number | undefined {
  if (part.buffer !== list.buffer) return undefined;
  const first = (part.byteOffset - list.byteOffset) / list.BYTES_PER_ELEMENT;
  return first >= 0 && first + part.length <= list.length ? first : undefined;
}

/** Beside the documents of the word. */
export function marksOf(view: SnapshotView, { documents, postingStart = 0 }: QueryWord): Uint16Array {
  return view.stemPostingMarks.subarray(postingStart, postingStart + documents.length);
}

/** Made when first needed; most words have a handful of spellings. */
const tiersByForm: Uint8Array[] = [];

function tiersOfForm(form: number): Uint8Array {
  const tiers = tiersByForm[form] ?? tabulateTiers(form);
  tiersByForm[form] = tiers;
  return tiers;
}

/** By posting mark: the tier of a query that is one word in this spelling. */
function tabulateTiers(form: number): Uint8Array {
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

/** Word by word: where must the phrase begin if it is one? */
function fillTiersFromMarks(
  view: SnapshotView,
  {
    tiers,
    documents,
    whole,
    spellings,
    words,
  }: {
    readonly tiers: Uint8Array;
    readonly documents: DocumentList;
    readonly whole: DocumentList;
    readonly spellings: readonly number[];
    readonly words: readonly QueryWord[];
  },
): void {
  const starts = takeBytes(documents.length);
  for (const [n, word] of words.entries()) {
    const marks = marksOf(view, word);
    const startByMark = startsOfWord(view.wordForms[spellings[n] ?? 0] ?? 0, n);
    const wordBits = findWordBits(view, word, whole);
    let at = 0;
    for (let i = 0; i < documents.length; i += 1) {
      const before = n === 0 ? 0 : (starts[i] ?? 0);
      if (before >= NO_PHRASE) continue;
      const document = documents[i] ?? 0;
      at = wordBits ? positionOf(wordBits, document) : findFrom(word.documents, { from: at, document });
      const mark = marks[at] ?? 0;
      const start = startByMark[mark] ?? 0;
      starts[i] = n === 0 || start === before || start === UNKNOWN_START ? start : NO_PHRASE;
      // Of the last word, which tells whether the term ends with it.
      tiers[i] = phraseTier({ start, isWhole: (mark & MARK_IS_LAST) !== 0 });
    }
  }
  for (let i = 0; i < documents.length; i += 1) {
    if (starts[i] === NO_PHRASE) tiers[i] = MATCH_TIERS.words;
    else if (starts[i] === UNKNOWN_START) tiers[i] = tierOf(view, documents[i] ?? 0, spellings);
  }
}

const MAX_KEPT_STARTS = 64;
const startsByWord = new RecentlyUsed<number, Uint8Array>(MAX_KEPT_STARTS);

/** By posting mark: where a phrase begins whose n-th word this is, in this spelling. */
function startsOfWord(form: number, n: number): Uint8Array {
  const key = n * MARK_COUNT + form;
  const known = startsByWord.get(key);
  if (known) return known;
  const starts = new Uint8Array(MARK_COUNT).fill(NO_PHRASE);
  for (let mark = 0; mark < MARK_COUNT; mark += 1) {
    const position = mark & MARK_POSITION_MAX;
    const isUnclear =
      mark >> MARK_FORM_SHIFT === MARK_FORM_MIXED || position === MARK_POSITION_MAX || (mark & MARK_IS_REPEATED) !== 0;
    if (isUnclear) starts[mark] = UNKNOWN_START;
    else if (mark >> MARK_FORM_SHIFT === form && position >= n) starts[mark] = position - n;
  }
  startsByWord.set(key, starts);
  return starts;
}

function phraseTier({ start, isWhole }: { readonly start: number; readonly isWhole: boolean }): number {
  if (start > 0) return MATCH_TIERS.phrase;
  return isWhole ? MATCH_TIERS.equal : MATCH_TIERS.start;
}

/** From the words of the term itself. */
export function tierOf(view: SnapshotView, document: number, sequence: readonly number[]): number {
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
