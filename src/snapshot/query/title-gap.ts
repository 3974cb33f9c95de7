// Whether a word of a document's term stands in none of the titles of its products, compared by stems. Titles are
// lists of word numbers, so each word of the dictionary is parsed and stemmed once, when it is first met; what was found out
// about a document is kept as well. A thread keeps one byte per document and four per word.
import { normalizeTerm } from '../../domain/term.ts';
import { parseWords, stemWord } from '../../domain/words.ts';
import { isEmptyText, type WordVisitor, walkWords } from '../format/coded-text.ts';
import { NONE_32 } from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { findEntry, readText } from '../format/text-column.ts';
import { takeList } from './arena.ts';
import type { DocumentList } from './document-list.ts';

const UNKNOWN = 0;
const NO_GAP = 1;
const GAP = 2;
const NO_TITLE = 3;

/** Of a word that is none, or one that no term has. */
const NO_STEM = NONE_32;
/** Numbers from here on are places in the list of words that fall into several. */
const SEVERAL = 2 ** 31;
/** Documents between two looks at the cancellation flag. */
const CHUNK = 1024;
/** Seldom words that are remembered. */
const MAX_LITERALS = 65_536;

interface TitleGaps {
  readonly gaps: Uint8Array;
  /** By word of titles: 0 for not looked at yet, 1 + its stem, or as above. */
  readonly wordStems: Uint32Array;
  readonly several: (readonly number[])[];
  readonly literals: Map<string, readonly number[]>;
}

const knownGaps = new WeakMap<SnapshotView, TitleGaps>();

/** Tells of a document; null where no title is known. */
export function openTitleGaps(view: SnapshotView): (document: number) => boolean | null {
  const known = gapsOf(view);
  return (document) => {
    const gap = gapOf(view, known, document);
    return gap === NO_TITLE ? null : gap === GAP;
  };
}

/** Those with a gap. */
export function keepTitleGaps(view: SnapshotView, documents: DocumentList, throwIfCancelled: () => void): DocumentList {
  const known = gapsOf(view);
  const kept = takeList(documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i += 1) {
    if (i % CHUNK === 0) throwIfCancelled();
    const document = documents[i] ?? 0;
    kept[count] = document;
    count += Number(gapOf(view, known, document) === GAP);
  }
  return kept.subarray(0, count);
}

function gapsOf(view: SnapshotView): TitleGaps {
  const known = knownGaps.get(view) ?? {
    gaps: new Uint8Array(view.documentCount),
    wordStems: new Uint32Array(view.titles.words.ends.length),
    several: [],
    literals: new Map(),
  };
  knownGaps.set(view, known);
  return known;
}

function gapOf(view: SnapshotView, known: TitleGaps, document: number): number {
  const gap = known.gaps[document] ?? UNKNOWN;
  if (gap !== UNKNOWN) return gap;
  const found = findGap(view, known, document);
  known.gaps[document] = found;
  return found;
}

function findGap(view: SnapshotView, known: TitleGaps, document: number): number {
  const titles = view.products
    .map((column) => column[document] ?? NONE_32)
    .filter((product) => product !== NONE_32 && !isEmptyText(view.titles, product));
  if (titles.length === 0) return NO_TITLE;
  // Those that no title had so far.
  const missing = new Set(listStems(view, view.documentSlots[document] ?? 0));
  const strike = (stems: readonly number[]): boolean => {
    for (const stem of stems) missing.delete(stem);
    return missing.size === 0;
  };
  const visitor: WordVisitor = {
    word: (word) => {
      const stem = known.wordStems[word] || learnWord(view, known, word);
      if (stem === NO_STEM) return false;
      if (stem >= SEVERAL) return strike(known.several[stem - SEVERAL] ?? []);
      return missing.delete(stem - 1) && missing.size === 0;
    },
    literal: (bytes) => strike(stemsOfLiteral(view, known, bytes)),
  };
  return missing.size === 0 || titles.some((title) => walkWords(view.titles, title, visitor)) ? NO_GAP : GAP;
}

function listStems({ slotWords, slotWordEnds, wordStems }: SnapshotView, slot: number): readonly number[] {
  const words = slotWords.subarray(slot === 0 ? 0 : (slotWordEnds[slot - 1] ?? 0), slotWordEnds[slot] ?? 0);
  return Array.from(words, (word) => wordStems[word] ?? NO_STEM);
}

function learnWord(view: SnapshotView, known: TitleGaps, word: number): number {
  const stems = stemsOf(view, readText(view.titles.words, word));
  const [only = NO_STEM] = stems;
  const stem = stems.length > 1 ? SEVERAL + known.several.push(stems) - 1 : only === NO_STEM ? NO_STEM : only + 1;
  known.wordStems[word] = stem;
  return stem;
}

function stemsOfLiteral(view: SnapshotView, { literals }: TitleGaps, bytes: Buffer): readonly number[] {
  const key = bytes.toString('latin1');
  const known = literals.get(key);
  if (known) return known;
  const stems = stemsOf(view, bytes.toString('utf8'));
  if (literals.size >= MAX_LITERALS) literals.clear();
  literals.set(key, stems);
  return stems;
}

/** Those of its stems that a term has. What stands between two spaces of a title is parsed by itself: no rule looks beyond a space. */
function stemsOf(view: SnapshotView, text: string): readonly number[] {
  return parseWords(normalizeTerm(text)).flatMap((word) => findEntry(view.stemIndex, view.stems, stemWord(word)) ?? []);
}
