// The tiers of best_match, mostly told by the marks beside the postings, without a look at the terms.
import { MATCH_TIERS } from '../../domain/ranking.ts';
import {
  MARK_FORM_MIXED,
  MARK_FORM_SHIFT,
  MARK_IS_LAST,
  MARK_IS_REPEATED,
  MARK_POSITION_MAX,
  MAX_WORD_FORM,
} from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { takeHalves, takeList } from './arena.ts';
import { type DocumentList, findPositions } from './document-list.ts';
import { TIER_BY_TIER, type TieredDocuments, UNKNOWN_TIER } from './tier-blocks.ts';
import type { ParsedQuery, QueryWord } from './vocabulary.ts';
import { findWordBits, listPositions } from './word-bits.ts';

const MARK_COUNT = 65_536;
/** What a mark says beside the spelling. */
const MARK_PLACE = (1 << MARK_FORM_SHIFT) - 1;

/** Where a phrase can begin, a bit for each place; beside them that all marks are clear, and that the term ends with the phrase. */
const ALL_BITS = 0xffffffff;
const IS_SURE = 1 << 31;
const IS_WHOLE = 1 << 30;
const STARTS = ALL_BITS & ~(IS_SURE | IS_WHOLE);
const MAX_START = 29;
/** A mark that does not tell: anywhere. */
const UNCLEAR = ALL_BITS & ~IS_SURE;

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
  const marks = marksOf(view, word);
  const tiered = {
    documents,
    tierByMark: tiersOfForm(view.wordForms[spelling] ?? 0),
    findTier: (document: number): number => tierOf(view, document, plan.spellings),
  };
  // Without filters the documents are a part of the list itself, and the marks need no search.
  const first = findPart(word.documents, documents);
  if (first !== undefined) return { ...tiered, marks: marks.subarray(first, first + documents.length) };
  const found = takeHalves(documents.length);
  const positionsOf = openPositions(view, word, documents);
  const fill = (from: number, to: number): void => {
    const positions = positionsOf(from, to);
    for (let i = from; i < to; i += 1) found[i] = marks[positions[i - from] ?? 0] ?? 0;
  };
  return { ...tiered, marks: found, fill };
}

/** Finds where documents, all of which have the word, stand in its list. */
function openPositions(
  view: SnapshotView,
  word: QueryWord,
  documents: DocumentList,
): (from: number, to: number) => Uint32Array {
  const wordBits = findWordBits(view, word, documents);
  return (from, to) => {
    const part = documents.subarray(from, to);
    return wordBits ? listPositions(wordBits, part) : findPositions(word.documents, part);
  };
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
    tiers[mark] = phraseTier({ isAtStart: position === 0, isWhole: false });
    tiers[mark | MARK_IS_REPEATED] = phraseTier({ isAtStart: position === 0, isWhole: false });
    tiers[mark | MARK_IS_LAST] = phraseTier({ isAtStart: position === 0, isWhole: true });
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

/**
 * Word by word: where can the phrase begin? Every place is a bit, and what all words agree on is left, without a branch for
 * words that stand here and there.
 */
function openFillFromMarks(
  view: SnapshotView,
  { words, spellings }: MarkedPlan,
  { documents, tiers }: FilledTiers,
): Fill {
  const readers = words.map((word, n) => ({
    positionsOf: openPositions(view, word, documents),
    marks: marksOf(view, word),
    form: view.wordForms[spellings[n] ?? 0] ?? 0,
    startsByPlace: startsOf(n, words.length),
  }));
  return (from, to) => {
    const starts = takeList(to - from).fill(ALL_BITS);
    for (const { positionsOf, ...reader } of readers) keepStarts(starts, positionsOf(from, to), reader);
    for (let i = from; i < to; i += 1) {
      const left = starts[i - from] ?? 0;
      if ((left & STARTS) === 0) tiers[i] = MATCH_TIERS.words;
      else if ((left & IS_SURE) === 0) tiers[i] = tierOf(view, documents[i] ?? 0, spellings);
      else tiers[i] = phraseTier({ isAtStart: (left & STARTS) === 1, isWhole: (left & IS_WHOLE) !== 0 });
    }
  };
}

/** Of the places where phrases can begin, leaves those that the word's marks agree with. */
function keepStarts(
  starts: Uint32Array,
  positions: Uint32Array,
  {
    marks,
    form,
    startsByPlace,
  }: { readonly marks: Uint16Array; readonly form: number; readonly startsByPlace: Uint32Array },
): void {
  for (let i = 0; i < starts.length; i += 1) {
    const mark = marks[positions[i] ?? 0] ?? 0;
    const markForm = mark >>> MARK_FORM_SHIFT;
    const possible = (startsByPlace[mark & MARK_PLACE] ?? 0) & (0 - Number(markForm === form));
    starts[i] = (starts[i] ?? 0) & (possible | (UNCLEAR & (0 - Number(markForm === MARK_FORM_MIXED))));
  }
}

/** By the number of the word, the last one of a query and the others. */
const startsOfLast: Uint32Array[] = [];
const startsOfOthers: Uint32Array[] = [];

function startsOf(n: number, wordCount: number): Uint32Array {
  const isLast = n === wordCount - 1;
  const known = isLast ? startsOfLast : startsOfOthers;
  const starts = known[n] ?? tabulateStarts({ n, isLast });
  known[n] = starts;
  return starts;
}

/** By the place in a posting mark: where a phrase can begin whose n-th word this is, if it stands there in the right spelling. */
function tabulateStarts({ n, isLast }: { readonly n: number; readonly isLast: boolean }): Uint32Array {
  return Uint32Array.from({ length: MARK_PLACE + 1 }, (_, place) => {
    const position = place & MARK_POSITION_MAX;
    if (position > MAX_START || (place & MARK_IS_REPEATED) !== 0) return UNCLEAR;
    if (position < n) return 0;
    const isWhole = !isLast || (place & MARK_IS_LAST) !== 0;
    return IS_SURE | (isWhole ? IS_WHOLE : 0) | (1 << (position - n));
  });
}

function phraseTier({ isAtStart, isWhole }: { readonly isAtStart: boolean; readonly isWhole: boolean }): number {
  if (!isAtStart) return MATCH_TIERS.phrase;
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
