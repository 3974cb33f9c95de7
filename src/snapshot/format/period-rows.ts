// What the report of one period names beside ranks: products with shares, brands and categories, by term, and the keywords of each
// product and brand. It is looked up by key, so it stays in a file of which single places are read; in memory is an index that tells
// where, with the checksum of every block. docs/data.md has the layout.
import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DamagedSnapshotError } from './format.ts';

export const BLOCK_WORDS = 1024;
const BLOCK_BYTES = 4 * BLOCK_WORDS;
const HEADER_WORDS = 6;

/** A record by term: products, their shares, brands, and categories in two words. */
export const RECORD_WORDS = 11;
export const RECORD_SHARES = 3;
export const RECORD_BRANDS = 6;
export const RECORD_CATEGORIES = 9;

/** Before the entries of a list: its slot and their number. */
export const LIST_HEAD_WORDS = 2;
/** Of a list with more entries a summary stands before them. */
export const MAX_PLAIN_ENTRIES = 32;
/** Entries at place 1, at place 2, known click shares, their sum in two words, the entry with the best rank, and how many have it. */
const SUMMARY_WORDS = 7;
/** Of a list with still more entries the most frequent names beside them follow: brands, then categories. */
export const MAX_UNCOUNTED_ENTRIES = 256;
/** Of each of both: how many, or NONE_32 where they are too many, and 32 pairs of a name and for how many entries it stands there. */
export const NAMES_WORDS = 1 + 2 * 32;
/** The first list of every stretch of so many words can be found in memory. */
export const SAMPLE_WORDS = 512;
/** Of a stretch that ends with a long list so much is read at once. */
const MAX_STRETCH_WORDS = 3 * BLOCK_WORDS;

/** An entry begins with its term and place in one word; that of a product has a second one, the shares. */
export const ENTRY_WORDS = { products: 2, brands: 1 } as const;
export type ListKind = keyof typeof ENTRY_WORDS;
export const LIST_KINDS = ['products', 'brands'] as const satisfies readonly ListKind[];

/** Words of a list before its entries. */
export function headWords(entryCount: number): number {
  const summaryWords = entryCount > MAX_PLAIN_ENTRIES ? SUMMARY_WORDS : 0;
  return LIST_HEAD_WORDS + summaryWords + (entryCount > MAX_UNCOUNTED_ENTRIES ? 2 * NAMES_WORDS : 0);
}

export interface PeriodRows {
  /** Open for as long as the snapshot is attached. */
  readonly file: number;
  /** 0 when the report names nothing beside ranks. */
  readonly recordCount: number;
  readonly checksums: Uint32Array;
  readonly lists: Readonly<Record<ListKind, ListSection>>;
}

interface ListSection {
  /** In words of the file. */
  readonly start: number;
  readonly end: number;
  /** Pairs: a slot, and where its list begins in the section. */
  readonly samples: Uint32Array;
}

/** What an index is made of. Sections are whole blocks. */
export interface IndexParts {
  readonly recordCount: number;
  readonly recordWords: number;
  readonly listWords: Readonly<Record<ListKind, number>>;
  readonly checksums: Uint32Array;
  readonly samples: Readonly<Record<ListKind, Uint32Array>>;
}

export function encodeIndex(parts: IndexParts): Uint32Array {
  const { recordCount, recordWords, listWords, checksums, samples } = parts;
  const header = [recordCount, recordWords, listWords.products, listWords.brands, samples.products.length];
  const index = new Uint32Array(HEADER_WORDS + checksums.length + samples.products.length + samples.brands.length);
  index.set([...header, samples.brands.length]);
  index.set(checksums, HEADER_WORDS);
  index.set(samples.products, HEADER_WORDS + checksums.length);
  index.set(samples.brands, HEADER_WORDS + checksums.length + samples.products.length);
  return index;
}

export function openPeriodRows(index: Uint32Array, file: number): PeriodRows {
  const [recordCount = 0, recordWords = 0, productWords = 0, brandWords = 0, productSamples = 0, brandSamples = 0] =
    index;
  const blockCount = (recordWords + productWords + brandWords) / BLOCK_WORDS;
  const samplesAt = HEADER_WORDS + blockCount;
  const brandsAt = samplesAt + productSamples;
  const brandStart = recordWords + productWords;
  return {
    file,
    recordCount,
    checksums: index.subarray(HEADER_WORDS, samplesAt),
    lists: {
      products: { start: recordWords, end: brandStart, samples: index.subarray(samplesAt, brandsAt) },
      brands: {
        start: brandStart,
        end: brandStart + brandWords,
        samples: index.subarray(brandsAt, brandsAt + brandSamples),
      },
    },
  };
}

/** Blocks that were read last. The next reading may be of the same. A list that is longer than most leaves no memory behind. */
const room = { words: new Uint32Array(4 * BLOCK_WORDS), file: -1, first: 0, end: 0 };
const MAX_KEPT_WORDS = 256 * BLOCK_WORDS;

/** Words of the file, checked; valid until the next reading. */
export function readWords(
  rows: PeriodRows,
  { start, count }: { readonly start: number; readonly count: number },
): Uint32Array {
  const first = Math.floor(start / BLOCK_WORDS);
  const end = Math.ceil((start + count) / BLOCK_WORDS);
  if (room.file !== rows.file || first < room.first || end > room.end) readBlocks(rows, first, end);
  const from = start - room.first * BLOCK_WORDS;
  return room.words.subarray(from, from + count);
}

function readBlocks({ file, checksums }: PeriodRows, first: number, end: number): void {
  if (end > checksums.length) throw damaged('has no such place');
  const wordCount = (end - first) * BLOCK_WORDS;
  const isTooLarge = room.words.length > MAX_KEPT_WORDS && wordCount <= MAX_KEPT_WORDS;
  if (room.words.length < wordCount || isTooLarge) room.words = new Uint32Array(wordCount);
  // Until all of it is checked, nothing of it counts.
  room.file = -1;
  const bytes = new Uint8Array(room.words.buffer, 0, 4 * wordCount);
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, first * BLOCK_BYTES + done);
    if (count === 0) throw damaged('ended while it was read');
    done += count;
  }
  for (let block = first; block < end; block += 1) {
    const at = (block - first) * BLOCK_BYTES;
    if (crc32(bytes.subarray(at, at + BLOCK_BYTES)) !== checksums[block]) throw damaged(`is damaged in block ${block}`);
  }
  Object.assign(room, { file, first, end });
}

/** Descriptors of files are used again: what was read of one that was closed is not of the next. */
export function forgetReadWords(): void {
  room.file = -1;
}

function damaged(fault: string): DamagedSnapshotError {
  return new DamagedSnapshotError(`The rows of a period in a snapshot file cannot be read: it ${fault}.`);
}

/** A list in the file: where its entries begin, how many there are, and its summary where it has one. */
export interface FoundList {
  readonly start: number;
  readonly count: number;
  readonly summary: ListSummary | undefined;
}

export interface ListSummary {
  readonly first: number;
  readonly second: number;
  readonly knownShares: number;
  /** In hundredths. */
  readonly shareSum: number;
  /** The first word of the entry with the lowest rank. */
  readonly best: number;
  /** Entries with the rank of the best one. */
  readonly bestCount: number;
}

export function findList(rows: PeriodRows, kind: ListKind, slot: number): FoundList | undefined {
  const { start, end, samples } = rows.lists[kind];
  const sample = lastSample(samples, slot);
  if (sample < 0) return undefined;
  const from = start + (samples[2 * sample + 1] ?? 0);
  // Every list up to the next sample begins in this stretch. Its end is read, too, because whoever finds a list mostly wants its entries.
  const next = start + (samples[2 * sample + 3] ?? end - start);
  const count = Math.min(next - from, MAX_STRETCH_WORDS);
  const words = readWords(rows, { start: from, count });
  for (let at = 0; at < SAMPLE_WORDS && at < count; ) {
    const entryCount = words[at + 1] ?? 0;
    const found = words[at] ?? 0;
    // Padding ends the section.
    if (entryCount === 0 || found > slot) return undefined;
    const entriesAt = at + headWords(entryCount);
    if (found === slot) {
      const summary = entryCount > MAX_PLAIN_ENTRIES ? readSummary(words, at + LIST_HEAD_WORDS) : undefined;
      return { start: from + entriesAt, count: entryCount, summary };
    }
    at = entriesAt + entryCount * ENTRY_WORDS[kind];
  }
  return undefined;
}

function readSummary(words: Uint32Array, at: number): ListSummary {
  const [first = 0, second = 0, knownShares = 0, low = 0, high = 0, best = 0, bestCount = 0] = words.subarray(at);
  return { first, second, knownShares, shareSum: high * 2 ** 32 + low, best, bestCount };
}

/** The last one whose slot is not above this; -1 when there is none. */
function lastSample(samples: Uint32Array, slot: number): number {
  let low = 0;
  let high = samples.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((samples[2 * middle] ?? 0) <= slot) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
