// The brands and categories that stand beside the entries of a list most often. Those of a long list are counted once, when it is written.
import { NONE_16, NONE_32 } from './format.ts';
import {
  type FoundList,
  MAX_UNCOUNTED_ENTRIES,
  NAMES_WORDS,
  type PeriodRows,
  RECORD_BRANDS,
  RECORD_CATEGORIES,
  readWords,
} from './period-rows.ts';

/** Of each kind. More than are ever shown: of names that are equally frequent their texts decide, which a build adds later. */
const MAX_KEPT_NAMES = (NAMES_WORDS - 1) / 2;

/** A brand or a category, and for how many entries it stands beside them. */
export type NamePair = readonly [name: number, count: number];

export interface NamesBeside {
  readonly brands: readonly NamePair[];
  readonly categories: readonly NamePair[];
}

/** A row counts once for a name, however often it has it. */
export class NameCounts {
  readonly #counts: Uint32Array;
  readonly #named: number[] = [];
  readonly #none: number;

  constructor(nameCount: number, none: number) {
    this.#counts = new Uint32Array(nameCount);
    this.#none = none;
  }

  addRow(a: number, b: number, c: number): void {
    if (a !== this.#none) this.#add(a);
    if (b !== this.#none && b !== a) this.#add(b);
    if (c !== this.#none && c !== a && c !== b) this.#add(c);
  }

  drop(name: number): void {
    this.#counts[name] = 0;
  }

  clear(): void {
    for (const name of this.#named) this.#counts[name] = 0;
    this.#named.length = 0;
  }

  /** In no order: so many of the most frequent names, and all that are as frequent as the last of them. */
  listMost(most: number): readonly NamePair[] {
    const counts = Uint32Array.from(this.#named, (name) => this.#counts[name] ?? 0);
    const least = Math.max(1, counts.toSorted().at(-most) ?? 1);
    return this.#named.flatMap((name, i) => ((counts[i] ?? 0) < least ? [] : [[name, counts[i] ?? 0] as const]));
  }

  #add(name: number): void {
    const count = this.#counts[name] ?? 0;
    if (count === 0) this.#named.push(name);
    this.#counts[name] = count + 1;
  }
}

/** Counts what the record names that begins there. */
export function countNames(
  records: Uint32Array,
  at: number,
  { brands, categories }: { readonly brands: NameCounts; readonly categories: NameCounts },
): void {
  const brandsAt = at + RECORD_BRANDS;
  brands.addRow(records[brandsAt] ?? NONE_32, records[brandsAt + 1] ?? NONE_32, records[brandsAt + 2] ?? NONE_32);
  const pair = records[at + RECORD_CATEGORIES] ?? 0;
  categories.addRow(pair & NONE_16, pair >>> 16, records[at + RECORD_CATEGORIES + 1] ?? NONE_16);
}

/** As they stand in the file. */
export function encodeNames(pairs: readonly NamePair[]): Uint32Array {
  const words = new Uint32Array(NAMES_WORDS);
  words.set(pairs.length > MAX_KEPT_NAMES ? [NONE_32] : [pairs.length, ...pairs.flat()]);
  return words;
}

/** Undefined when the list is short, or too many names are equally frequent: then they have to be counted. */
export function findNamesBeside(rows: PeriodRows, { start, count }: FoundList): NamesBeside | undefined {
  if (count <= MAX_UNCOUNTED_ENTRIES) return undefined;
  const words = readWords(rows, { start: start - 2 * NAMES_WORDS, count: 2 * NAMES_WORDS });
  const [brands, categories] = [decodeNames(words), decodeNames(words.subarray(NAMES_WORDS))];
  return brands && categories && { brands, categories };
}

function decodeNames(words: Uint32Array): readonly NamePair[] | undefined {
  const [count = NONE_32] = words;
  if (count === NONE_32) return undefined;
  return Array.from({ length: count }, (_, i) => [words[1 + 2 * i] ?? 0, words[2 + 2 * i] ?? 0]);
}
