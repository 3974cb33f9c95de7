// Writing down what the report of a period names beside ranks, as format/period-rows.ts reads it: section by section, so that only one
// of them is in memory at a time.
import { crc32 } from 'node:zlib';
import { MAX_NAMED_BESIDE } from '../../domain/holder.ts';
import { bytesOf, writeBlocks, writeColumn } from '../format/column-file.ts';
import { NONE_16, NONE_32, rowIndexName, rowsColumnName } from '../format/format.ts';
import { countNames, encodeNames, NameCounts } from '../format/names-beside.ts';
import {
  BLOCK_WORDS,
  ENTRY_WORDS,
  encodeIndex,
  headWords,
  LIST_HEAD_WORDS,
  LIST_KINDS,
  type ListKind,
  MAX_PLAIN_ENTRIES,
  MAX_UNCOUNTED_ENTRIES,
  NAMES_WORDS,
  RECORD_BRANDS,
  RECORD_CATEGORIES,
  RECORD_SHARES,
  RECORD_WORDS,
  SAMPLE_WORDS,
} from '../format/period-rows.ts';
import { placeOf, type SparseColumn, valueAt, walkValues } from '../format/sparse-column.ts';
import type { BuildState, DocumentArrays } from './build-state.ts';

interface NamedRows {
  /** By slot. The records stand in the order of its values. */
  readonly ranks: SparseColumn;
  /** Its first documents, as many as there are ranks, are the rows. */
  readonly documents: DocumentArrays;
  /** How many slots there are of each kind. */
  readonly slotCounts: Readonly<Record<ListKind, number>>;
}

const PLACES = [1, 2, 3] as const;
/** Where the slots of each kind stand in a record. */
const SLOTS_AT: Readonly<Record<ListKind, number>> = { products: 0, brands: RECORD_BRANDS };
/** A term and a place share a word. */
const MAX_TERMS = 2 ** 30;

/** Writes the rows of the period that was published last: at once, because those of a long history would not all fit into memory. */
export async function writeNewestRows(state: BuildState, directory: string): Promise<void> {
  const { periods, fresh: documents, productIds, brandIds } = state;
  const period = periods.at(-1);
  if (!period) throw new Error('no period was published');
  const slotCounts = { products: productIds.count, brands: brandIds.count };
  const encoder = new PeriodRowsEncoder({ ranks: period.ranks, documents, slotCounts });
  const [rows, index] = [rowsColumnName(period.key), rowIndexName(period.key)];
  period.written = {
    [rows]: await writeBlocks({ directory, name: `${rows}.0.bin` }, encoder.sections()),
    [index]: await writeColumn({ directory, name: `${index}.0.bin`, column: encoder.index }),
  };
}

/** The sections of the file, one after the other; then `index` has what is kept in memory. */
class PeriodRowsEncoder {
  readonly #rows: NamedRows;
  readonly #checksums: number[] = [];
  readonly #listWords = { products: 0, brands: 0 };
  readonly #samples: Record<ListKind, Uint32Array> = { products: new Uint32Array(0), brands: new Uint32Array(0) };
  #recordWords = 0;

  constructor(rows: NamedRows) {
    if (rows.ranks.length > MAX_TERMS) throw new Error(`a snapshot has at most ${MAX_TERMS} terms`);
    this.#rows = rows;
  }

  *sections(): Generator<Uint8Array> {
    if (!namesAnything(this.#rows)) return;
    const records = encodeRecords(this.#rows);
    this.#recordWords = records.length;
    yield this.#checked(records);
    const terms = listTerms(this.#rows.ranks);
    for (const kind of LIST_KINDS) {
      const { words, samples } = encodeLists(this.#rows, { kind, records, terms });
      this.#listWords[kind] = words.length;
      this.#samples[kind] = samples;
      yield this.#checked(words);
    }
  }

  get index(): Uint32Array {
    return encodeIndex({
      recordCount: this.#recordWords === 0 ? 0 : this.#rows.ranks.valueCount,
      recordWords: this.#recordWords,
      listWords: this.#listWords,
      checksums: Uint32Array.from(this.#checksums),
      samples: this.#samples,
    });
  }

  #checked(words: Uint32Array): Uint8Array {
    const bytes = bytesOf(words);
    for (let at = 0; at < bytes.length; at += 4 * BLOCK_WORDS) {
      this.#checksums.push(crc32(bytes.subarray(at, at + 4 * BLOCK_WORDS)));
    }
    return bytes;
  }
}

function namesAnything({ ranks, documents }: NamedRows): boolean {
  return PLACES.some((place) =>
    ([`product-${place}`, `brand-${place}`, `category-${place}`] as const).some((name) => {
      const none = name.startsWith('category') ? NONE_16 : NONE_32;
      return documents[name].subarray(0, ranks.valueCount).some((value) => value !== none);
    }),
  );
}

function encodeRecords({ ranks, documents }: NamedRows): Uint32Array {
  const records = newSection(ranks.valueCount * RECORD_WORDS);
  const slots = documents['document-slot'];
  const starts = new Uint32Array(ranks.valueCount);
  for (let row = 0; row < starts.length; row += 1) starts[row] = RECORD_WORDS * placeOf(ranks, slots[row] ?? 0);
  const put = (offset: number, low: Uint32Array | Uint16Array, high?: Uint32Array | Uint16Array): void => {
    for (let row = 0; row < starts.length; row += 1) {
      const value = high ? ((low[row] ?? 0) | ((high[row] ?? 0) << 16)) >>> 0 : (low[row] ?? 0);
      records[(starts[row] ?? 0) + offset] = value;
    }
  };
  for (const [i, place] of PLACES.entries()) {
    put(i, documents[`product-${place}`]);
    put(RECORD_SHARES + i, documents[`click-share-${place}`], documents[`conversion-share-${place}`]);
    put(RECORD_BRANDS + i, documents[`brand-${place}`]);
  }
  put(RECORD_CATEGORIES, documents['category-1'], documents['category-2']);
  put(RECORD_CATEGORIES + 1, documents['category-3']);
  return records;
}

/** The slots of the records, in their order. */
function listTerms(ranks: SparseColumn): Uint32Array {
  const terms = new Uint32Array(ranks.valueCount);
  let count = 0;
  walkValues(ranks, (slot) => {
    terms[count] = slot;
    count += 1;
  });
  return terms;
}

interface ListSource {
  readonly kind: ListKind;
  readonly records: Uint32Array;
  readonly terms: Uint32Array;
}

function encodeLists(
  rows: NamedRows,
  source: ListSource,
): { readonly words: Uint32Array; readonly samples: Uint32Array } {
  const { kind } = source;
  // First how many entries each slot has, then where its next one goes.
  const entries = new Uint32Array(rows.slotCounts[kind]);
  visitEntries(source, (slot) => {
    entries[slot] = (entries[slot] ?? 0) + 1;
  });
  const { words, samples } = layOutLists(entries, ENTRY_WORDS[kind]);
  const hasShares = kind === 'products';
  visitEntries(source, (slot, packed, shares) => {
    const at = entries[slot] ?? 0;
    words[at] = packed;
    if (hasShares) words[at + 1] = shares;
    entries[slot] = at + ENTRY_WORDS[kind];
  });
  summarizeLists(words, rows, source);
  return { words, samples };
}

/** In the order of terms. A slot that a record names twice has one entry, at the better place. */
function visitEntries(
  { kind, records, terms }: ListSource,
  visit: (slot: number, packed: number, shares: number) => void,
): void {
  const slotsAt = SLOTS_AT[kind];
  for (let record = 0, at = slotsAt; record < terms.length; record += 1, at += RECORD_WORDS) {
    const term = (terms[record] ?? 0) * 4;
    const sharesAt = at - slotsAt + RECORD_SHARES;
    const first = records[at] ?? NONE_32;
    const second = records[at + 1] ?? NONE_32;
    const third = records[at + 2] ?? NONE_32;
    if (first !== NONE_32) visit(first, term + 1, records[sharesAt] ?? 0);
    if (second !== NONE_32 && second !== first) visit(second, term + 2, records[sharesAt + 1] ?? 0);
    if (third !== NONE_32 && third !== first && third !== second) visit(third, term + 3, records[sharesAt + 2] ?? 0);
  }
}

/** Room for every list, with its slot and number of entries; `entries` then has where those go. */
function layOutLists(
  entries: Uint32Array,
  entryWords: number,
): { readonly words: Uint32Array; readonly samples: Uint32Array } {
  let wordCount = 0;
  for (let slot = 0; slot < entries.length; slot += 1) wordCount += sizeOf(entries[slot] ?? 0, entryWords);
  const words = newSection(wordCount);
  const samples: number[] = [];
  let nextSample = 0;
  for (let slot = 0, at = 0; slot < entries.length; slot += 1) {
    const count = entries[slot] ?? 0;
    if (count === 0) continue;
    if (at >= nextSample) {
      samples.push(slot, at);
      nextSample = at + SAMPLE_WORDS;
    }
    words[at] = slot;
    words[at + 1] = count;
    entries[slot] = at + headWords(count);
    at += sizeOf(count, entryWords);
  }
  return { words, samples: Uint32Array.from(samples) };
}

function sizeOf(count: number, entryWords: number): number {
  return count === 0 ? 0 : headWords(count) + count * entryWords;
}

/** Fills in what stands before the entries. */
function summarizeLists(words: Uint32Array, { ranks, slotCounts }: NamedRows, { kind, records }: ListSource): void {
  const entryWords = ENTRY_WORDS[kind];
  const brands = new NameCounts(slotCounts.brands, NONE_32);
  const categories = new NameCounts(NONE_16, NONE_16);
  const beside = { brands, categories };
  for (let at = 0; at < words.length; ) {
    const [slot = 0, count = 0] = words.subarray(at, at + LIST_HEAD_WORDS);
    if (count === 0) return;
    const from = at + headWords(count);
    const entries = words.subarray(from, from + count * entryWords);
    at = from + entries.length;
    if (count <= MAX_PLAIN_ENTRIES) continue;
    const summary = summarize(entries, { kind, ranks });
    if (count <= MAX_UNCOUNTED_ENTRIES) {
      words.set(summary, from - summary.length);
      continue;
    }
    for (let entry = 0; entry < entries.length; entry += entryWords) {
      countNames(records, RECORD_WORDS * placeOf(ranks, (entries[entry] ?? 0) >>> 2), beside);
    }
    if (kind === 'brands') brands.drop(slot);
    words.set([...summary, ...takeNames(brands), ...takeNames(categories)], from - summary.length - 2 * NAMES_WORDS);
  }
}

function takeNames(counts: NameCounts): Uint32Array {
  const words = encodeNames(counts.listMost(MAX_NAMED_BESIDE));
  counts.clear();
  return words;
}

function summarize(
  entries: Uint32Array,
  { kind, ranks }: { readonly kind: ListKind; readonly ranks: SparseColumn },
): readonly number[] {
  const places = [0, 0, 0, 0];
  let known = 0;
  let sum = 0;
  let best = { packed: 0, rank: Number.POSITIVE_INFINITY, count: 0 };
  for (let at = 0; at < entries.length; at += ENTRY_WORDS[kind]) {
    const packed = entries[at] ?? 0;
    places[packed & 3] = (places[packed & 3] ?? 0) + 1;
    const share = kind === 'products' ? (entries[at + 1] ?? 0) & NONE_16 : NONE_16;
    if (share !== NONE_16) {
      known += 1;
      sum += share;
    }
    const rank = valueAt(ranks, packed >>> 2);
    if (rank < best.rank) best = { packed, rank, count: 1 };
    else if (rank === best.rank) best.count += 1;
  }
  const [, first = 0, second = 0] = places;
  return [first, second, known, sum % 2 ** 32, Math.floor(sum / 2 ** 32), best.packed, best.count];
}

/** Whole blocks. */
function newSection(wordCount: number): Uint32Array {
  return new Uint32Array(Math.ceil(wordCount / BLOCK_WORDS) * BLOCK_WORDS);
}
