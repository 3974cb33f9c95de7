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
import { takeBytes, takeHalves } from './scratch-room.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { TIER_BY_TIER, type TieredDocuments, UNKNOWN_TIER } from './tier-blocks.ts';
import type { ParsedQuery, QueryWord } from './vocabulary.ts';
import { findWordBits, positionOf } from './word-bits.ts';

/** Beside positions, which are below these: the words do not stand as a phrase, or the marks do not tell. */
const NO_PHRASE = 254;
const UNKNOWN_START = 255;
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

/** What tells the tiers of documents, all of which match the query. */
export function readTiers(view: SnapshotView, plan: TierPlan, documents: DocumentList): TieredDocuments {
  if (plan.kind === 'marks' && plan.words.length === 1) return readTiersOfWord(view, plan, documents);
  const marks = takeHalves(documents.length);
  return { documents, marks, tierByMark: TIER_BY_TIER, fill: openFill(view, plan, { documents, tiers: marks }) };
}

/** The tier of each of them. */
export function listTiers(view: SnapshotView, plan: TierPlan, documents: DocumentList): Uint16Array {
  const { marks, tierByMark, findTier, fill } = readTiers(view, plan, documents);
  fill?.(0, documents.length);
  if (tierByMark === TIER_BY_TIER) return marks;
  const tiers = takeHalves(documents.length);
  for (let i = 0; i < tiers.length; i += 1) {
    const tier = tierByMark[marks[i] ?? 0] ?? 0;
    tiers[i] = tier === UNKNOWN_TIER ? (findTier?.(documents[i] ?? 0) ?? 0) : tier;
  }
  return tiers;
}

/** With one word the mark alone tells the tier. */
function readTiersOfWord(view: SnapshotView, plan: MarkedPlan, documents: DocumentList): TieredDocuments {
  const [word] = plan.words;
  const [spelling = 0] = plan.spellings;
  if (!word) throw new Error('a query that is told by marks has words');
  const list = word.documents;
  const marks = marksOf(view, word);
  const tiered = {
    documents,
    tierByMark: tiersOfForm(view.wordForms[spelling] ?? 0),
    findTier: (document: number): number => tierOf(view, document, plan.spellings),
  };
  // Without filters the documents are a part of the list itself, and the marks need no search.
  const first = findPart(list, documents);
  if (first !== undefined) return { ...tiered, marks: marks.subarray(first, first + documents.length) };
  const found = takeHalves(documents.length);
  const wordBits = findWordBits(view, word, documents);
  const fill = (from: number, to: number): void => {
    for (let i = from, at = 0; i < to; i += 1, at += 1) {
      const document = documents[i] ?? 0;
      // Where little is missing from the list, the next is usually the one.
      if (list[at] !== document) {
        at = wordBits ? positionOf(wordBits, document) : findFrom(list, { from: at, document });
      }
      found[i] = marks[at] ?? 0;
    }
  };
  return { ...tiered, marks: found, fill };
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

/** Finds the tiers of documents from one position to another, and leaves them there. */
type Fill = (from: number, to: number) => void;

interface FilledTiers {
  readonly documents: DocumentList;
  readonly tiers: Uint16Array;
}

function openFill(view: SnapshotView, plan: TierPlan, filled: FilledTiers): Fill {
  if (plan.kind === 'marks') return openFillFromMarks(view, plan, filled);
  const { documents, tiers } = filled;
  if (plan.kind === 'one') return (from, to) => void tiers.fill(plan.tier, from, to);
  return (from, to) => {
    for (let i = from; i < to; i += 1) tiers[i] = tierOf(view, documents[i] ?? 0, plan.spellings);
  };
}

/** Word by word: where must the phrase begin if it is one? */
function openFillFromMarks(
  view: SnapshotView,
  { words, spellings }: MarkedPlan,
  { documents, tiers }: FilledTiers,
): Fill {
  const starts = takeBytes(documents.length);
  const readers = words.map((word, n) => ({
    n,
    list: word.documents,
    marks: marksOf(view, word),
    startByMark: startsOfWord(view.wordForms[spellings[n] ?? 0] ?? 0, n),
    wordBits: findWordBits(view, word, documents),
  }));
  return (from, to) => {
    for (const { n, list, marks, startByMark, wordBits } of readers) {
      let at = 0;
      for (let i = from; i < to; i += 1) {
        const before = n === 0 ? 0 : (starts[i] ?? 0);
        if (before >= NO_PHRASE) continue;
        const document = documents[i] ?? 0;
        at = wordBits ? positionOf(wordBits, document) : findFrom(list, { from: at, document });
        const mark = marks[at] ?? 0;
        const start = startByMark[mark] ?? 0;
        starts[i] = n === 0 || start === before || start === UNKNOWN_START ? start : NO_PHRASE;
        // Of the last word, which tells whether the term ends with it.
        tiers[i] = phraseTier({ start, isWhole: (mark & MARK_IS_LAST) !== 0 });
      }
    }
    for (let i = from; i < to; i += 1) {
      if (starts[i] === NO_PHRASE) tiers[i] = MATCH_TIERS.words;
      else if (starts[i] === UNKNOWN_START) tiers[i] = tierOf(view, documents[i] ?? 0, spellings);
    }
  };
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
