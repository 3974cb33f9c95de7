// The space of all terms that the vocabulary can make. A term is a noun, a pattern and one modifier for each slot of the
// pattern; written as two integers, template (noun and pattern) and combination (the modifiers in mixed radix). Its text is
// made from them when it is needed, so ten million terms need no strings in memory.

import { createLexiconBuilder, type Lexicon } from './byte-sink.ts';
import { type FamilySource, SLOTS, type Slot } from './family.ts';
import { parseBrands, parsePhrases } from './phrase.ts';
import { TERM_PATTERNS } from './term-pattern.ts';
import { compileTitles, type TitleBook } from './title-book.ts';
import { createValueTableBuilder, escapeCsv, type ValueTable, type ValueTableBuilder } from './value-table.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';
import { misspell, otherNumber, stems } from './word-form.ts';

/** How fast popularity falls from one noun of a family to the next. */
const HEAD_EXPONENT = 0.85;
const HEAD_FLATNESS = 5;

/** What each modifier takes from the popularity of a term besides the weight of its pattern. */
const MODIFIER_COST = 0.5;

export const TOKEN = { head: -1, otherNumber: -2, misspelt: -3, literal: -10 } as const;
export const NO_PIECE = 0xffff_ffff;

export interface TermPattern {
  /** Slots as their number, the noun in its forms as TOKEN, and literal words as TOKEN.literal minus their piece. */
  readonly tokens: Int32Array;
  readonly slots: readonly number[];
  readonly weight: number;
  readonly literalWords: number;
  /** Which form of the noun the pattern needs. */
  readonly form: number;
}

interface HeadTable {
  readonly family: Uint8Array;
  readonly searchPiece: Uint32Array;
  readonly otherPiece: Uint32Array;
  readonly misspeltPiece: Uint32Array;
  readonly titlePiece: Uint32Array;
  readonly weight: Float32Array;
  readonly words: Uint8Array;
  readonly season: Uint8Array;
  readonly isFashion: Uint8Array;
}

export interface TermSpace {
  readonly lexicon: Lexicon;
  readonly families: readonly FamilySource[];
  readonly heads: HeadTable;
  readonly values: ValueTable;
  readonly patterns: readonly TermPattern[];
  /** Modifiers that fit a noun, by falling weight, at noun × SLOTS.length + slot. Empty when the family has none. */
  readonly choices: readonly Uint16Array[];
  readonly titles: TitleBook;
  /** Pieces of the category names of each family. */
  readonly categoryPieces: readonly (readonly number[])[];
}

export function createTermSpace(): TermSpace {
  const vocabulary = readVocabulary();
  const { families } = vocabulary;
  const lexicon = createLexiconBuilder();
  const values = createValueTableBuilder(lexicon);
  // In order of weight, so that a walk can stop at the first pattern that is too rare.
  const patterns = TERM_PATTERNS.map(({ shape, weight }) =>
    compilePattern({ shape, weight, addPiece: (text) => lexicon.add(text) }),
  ).sort((a, b) => b.weight - a.weight);
  const listed = families.flatMap((family, number) =>
    parsePhrases(family.heads).map((phrase, place) => ({ phrase, place, family: number })),
  );
  const familyValues = families.map((family) => SLOTS.map((slot) => addSlot({ values, vocabulary, family, slot })));
  const choices = listed.flatMap(({ phrase, family }) => {
    const words = stems(phrase.text);
    return (familyValues[family] ?? []).map((slotValues) => fittingValues(slotValues, words));
  });
  const optionalPiece = (text: string | undefined) => (text === undefined ? NO_PIECE : lexicon.add(text));
  const heads: HeadTable = {
    family: Uint8Array.from(listed, (head) => head.family),
    searchPiece: Uint32Array.from(listed, (head) => lexicon.add(head.phrase.text)),
    otherPiece: Uint32Array.from(listed, ({ phrase, family }) =>
      optionalPiece(families[family]?.isMass || phrase.isMass ? undefined : otherNumber(phrase.text)),
    ),
    misspeltPiece: Uint32Array.from(listed, (head) => optionalPiece(misspell(head.phrase.text))),
    titlePiece: Uint32Array.from(listed, (head) => lexicon.add(escapeCsv(head.phrase.title))),
    weight: Float32Array.from(listed, ({ phrase, place, family }) => {
      const first = Math.log(families[family]?.weight ?? 1);
      return first - HEAD_EXPONENT * Math.log(1 + place / HEAD_FLATNESS) + 1.4 * Math.log(phrase.factor);
    }),
    words: Uint8Array.from(listed, (head) => head.phrase.text.split(' ').length),
    season: Uint8Array.from(listed, (head) => head.phrase.season),
    isFashion: Uint8Array.from(listed, (head) => (head.phrase.isFashion ? 1 : 0)),
  };
  const titles = compileTitles({ families, lexicon });
  const categoryPieces = families.map((family) => family.categories.map((name) => lexicon.add(escapeCsv(name))));
  const table = values.build();
  return { families, heads, patterns, choices, titles, categoryPieces, values: table, lexicon: lexicon.build() };
}

function compilePattern(source: {
  readonly shape: string;
  readonly weight: number;
  readonly addPiece: (text: string) => number;
}): TermPattern {
  const tokens = source.shape.split(' ').map((word) => {
    if (word === '#') return TOKEN.head;
    if (word === '^') return TOKEN.otherNumber;
    if (word === '~') return TOKEN.misspelt;
    if (word.startsWith('{')) return SLOTS.indexOf(word.slice(1, -1) as Slot);
    return TOKEN.literal - source.addPiece(word);
  });
  return {
    tokens: Int32Array.from(tokens),
    slots: tokens.filter((token) => token >= 0),
    weight: source.weight - MODIFIER_COST * tokens.filter((token) => token >= 0).length,
    literalWords: tokens.filter((token) => token <= TOKEN.literal).length,
    form: tokens.find((token) => token < 0 && token > TOKEN.literal) ?? TOKEN.head,
  };
}

interface SlotValues {
  readonly numbers: Uint16Array;
  readonly byStem: ReadonlyMap<string, ReadonlySet<number>>;
}

function addSlot(options: {
  readonly values: ValueTableBuilder;
  readonly vocabulary: Vocabulary;
  readonly family: FamilySource;
  readonly slot: Slot;
}): SlotValues {
  const { values, slot } = options;
  const list = slotList(options);
  const byStem = new Map<string, Set<number>>();
  if (list === undefined) return { numbers: new Uint16Array(0), byStem };
  const phrases = slot === 'brand' || slot === 'model' || slot === 'detail' ? parseBrands(list) : parsePhrases(list);
  const numbers = Uint16Array.from(values.add({ key: `${slot}:${list}`, slot: SLOTS.indexOf(slot), phrases }));
  for (const value of numbers) {
    for (const stem of values.stemsOf(value)) byStem.set(stem, (byStem.get(stem) ?? new Set()).add(value));
  }
  return { numbers, byStem };
}

function slotList({ vocabulary, family, slot }: Parameters<typeof addSlot>[0]): string | undefined {
  if (slot === 'brand') return family.brands;
  if (slot === 'detail') return family.detail;
  if (slot === 'model') return vocabulary.shared('models');
  if (slot === 'lead' || slot === 'tail') {
    return family.hasShoppingWords === false ? undefined : vocabulary.shared(`shopping_${slot}s`);
  }
  return family.slots[slot];
}

/** Leaves out what the noun says already: nobody types "wireless wireless earbuds". */
function fittingValues({ numbers, byStem }: SlotValues, words: readonly string[]): Uint16Array {
  const repeated = words.flatMap((word) => [...(byStem.get(word) ?? [])]);
  return repeated.length === 0 ? numbers : numbers.filter((value) => !repeated.includes(value));
}
