// Every modifier has a number. The tables say what the generator needs to know of it while it walks millions of terms.

import type { LexiconBuilder } from './byte-sink.ts';
import { hashText } from './hash.ts';
import type { Phrase } from './phrase.ts';
import { stems } from './word-form.ts';

/** How fast popularity falls from one modifier of a list to the next. */
const VALUE_EXPONENT = 0.7;

export interface ValueTable {
  readonly searchPiece: Uint32Array;
  readonly titlePiece: Uint32Array;
  readonly weight: Float32Array;
  readonly words: Uint8Array;
  readonly season: Uint8Array;
  /** Number of the slot that the modifier fills. */
  readonly slot: Uint8Array;
  /** Bits of the words, in two halves: two modifiers that share one would make a term repeat itself. */
  readonly lowBits: Int32Array;
  readonly highBits: Int32Array;
}

export interface ValueTableBuilder {
  /** Numbers of the phrases, in their order. The same list is numbered once. */
  add(list: ValueList): readonly number[];
  stemsOf(value: number): readonly string[];
  build(): ValueTable;
}

interface ValueList {
  readonly key: string;
  readonly slot: number;
  readonly phrases: readonly Phrase[];
}

interface ValueRow {
  readonly phrase: Phrase;
  readonly slot: number;
  readonly weight: number;
  readonly stems: readonly string[];
}

export function createValueTableBuilder(lexicon: LexiconBuilder): ValueTableBuilder {
  const lists = new Map<string, readonly number[]>();
  const rows: ValueRow[] = [];
  return {
    add({ key, slot, phrases }) {
      const known = lists.get(key);
      if (known) return known;
      const numbers = phrases.map((phrase, place) => {
        const weight = Math.log(phrase.factor) - VALUE_EXPONENT * Math.log(1 + place);
        rows.push({ phrase, slot, weight, stems: stems(phrase.text) });
        return rows.length - 1;
      });
      numbers.sort((a, b) => (rows[b]?.weight ?? 0) - (rows[a]?.weight ?? 0));
      lists.set(key, numbers);
      return numbers;
    },
    stemsOf: (value) => rows[value]?.stems ?? [],
    build: () => ({
      searchPiece: Uint32Array.from(rows, (row) => lexicon.add(row.phrase.text)),
      titlePiece: Uint32Array.from(rows, (row) => lexicon.add(escapeCsv(row.phrase.title))),
      weight: Float32Array.from(rows, (row) => row.weight),
      words: Uint8Array.from(rows, (row) => row.phrase.text.split(' ').length),
      season: Uint8Array.from(rows, (row) => row.phrase.season),
      slot: Uint8Array.from(rows, (row) => row.slot),
      lowBits: Int32Array.from(rows, (row) => wordBits(row.stems, 0)),
      highBits: Int32Array.from(rows, (row) => wordBits(row.stems, 32)),
    }),
  };
}

/** Inside a quoted CSV field a quotation mark is written twice. */
export function escapeCsv(text: string): string {
  return text.replaceAll('"', '""');
}

function wordBits(words: readonly string[], from: 0 | 32): number {
  let bits = 0;
  for (const word of words) {
    const bit = (hashText(word) & 63) - from;
    if (bit >= 0 && bit < 32) bits |= 1 << bit;
  }
  return bits;
}
