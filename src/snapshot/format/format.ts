// The files of a snapshot: raw little-endian arrays, one or more parts per column, and snapshot.json, which names them with
// their sizes and checksums. docs/data.md, "Snapshot files", describes every column for readers other than this code.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { OperatorError } from '../../domain/error.ts';
import { errorCode } from '../../domain/error-code.ts';
import { FREQUENCIES } from '../../domain/period.ts';
import { RANK_SOURCES, type RankSet } from '../../domain/store.ts';
import type { DictionaryFiles } from '../manifest/manifest.ts';

/** Raised whenever a column changes its meaning; a snapshot of another format is rebuilt, never read. */
export const SNAPSHOT_FORMAT = 9;
export const MANIFEST_NAME = 'snapshot.json';

/** No product, brand, document: the value that no id reaches. */
export const NONE_32 = 0xffffffff;
/** No category, and an unknown share. */
export const NONE_16 = 0xffff;

/**
 * A posting mark tells of the word in this term, from the low bits up: its first position, whether that is the last word,
 * whether it stands there more than once, and which spelling of the stem it is. The position of words beyond is the highest
 * one.
 */
export const MARK_POSITION_MAX = 31;
export const MARK_IS_LAST = 32;
export const MARK_IS_REPEATED = 64;
export const MARK_FORM_SHIFT = 7;
/** The spelling when the term has the stem in several, or when it has more spellings than fit: look at the words. */
export const MARK_FORM_MIXED = 511;

/** Of the column word-form: all spellings from this one on share the number, and their marks are mixed. */
export const MAX_WORD_FORM = 255;

/** Of the column trigram-count: this many or more. */
export const MAX_TRIGRAM_COUNT = 255;

export const TRIGRAM_BUCKETS = 65_536;

const ROWS_PREFIX = 'rows-';

export type ElementType = 'u8' | 'u16' | 'u32';

/** Columns in the order of documents; written anew by every build. */
export const DOCUMENT_COLUMNS = {
  'document-slot': 'u32',
  'latest-rank': 'u32',
  original: 'u32',
  'product-1': 'u32',
  'product-2': 'u32',
  'product-3': 'u32',
  'click-share-1': 'u16',
  'click-share-2': 'u16',
  'click-share-3': 'u16',
  'conversion-share-1': 'u16',
  'conversion-share-2': 'u16',
  'conversion-share-3': 'u16',
  'brand-1': 'u32',
  'brand-2': 'u32',
  'brand-3': 'u32',
  'category-1': 'u16',
  'category-2': 'u16',
  'category-3': 'u16',
} as const satisfies Readonly<Record<string, ElementType>>;
export type DocumentColumn = keyof typeof DOCUMENT_COLUMNS;

/** Of these, what is stored as a sparse column, because few documents have it. */
export const SPARSE_DOCUMENT_COLUMN = 'original' satisfies DocumentColumn;

/** Columns that only grow: a build adds a part and shares the older parts with the generation before. */
export const GROWING_COLUMNS = {
  'slot-term-id': 'u32',
  'term-text': 'u8',
  'term-ends': 'u32',
  'slot-words': 'u32',
  'slot-word-ends': 'u32',
  'slot-word-count': 'u8',
  'slot-trigram-count': 'u8',
  'word-text': 'u8',
  'word-ends': 'u32',
  'word-stem': 'u32',
  'word-form': 'u8',
  'stem-text': 'u8',
  'stem-ends': 'u32',
  'product-id': 'u32',
  'asin-text': 'u8',
  'asin-ends': 'u32',
  'title-text': 'u8',
  'title-ends': 'u32',
  'title-word-text': 'u8',
  'title-word-ends': 'u32',
  'brand-id': 'u32',
  'brand-text': 'u8',
  'brand-ends': 'u32',
  'original-text': 'u8',
  'original-ends': 'u32',
} as const satisfies Readonly<Record<string, ElementType>>;
export type GrowingColumn = keyof typeof GROWING_COLUMNS;

/** Columns that only the next build reads. */
const BUILD_ONLY_COLUMNS: ReadonlySet<string> = new Set([
  'slot-term-id',
  'slot-word-count',
  'slot-trigram-count',
  'product-id',
  'brand-id',
]);

/** Whether searches have the column in memory. */
export function isResident(column: string): boolean {
  return !BUILD_ONLY_COLUMNS.has(column) && !column.startsWith(ROWS_PREFIX);
}

export interface SnapshotFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly crc32: number;
}

export interface SnapshotPeriod {
  readonly key: string;
  /** File name of the segment; segments never change, so the name identifies the content. */
  readonly segment: string;
  /** Documents whose newest rank is in this period. */
  readonly documentCount: number;
}

export interface SnapshotManifest extends RankSet {
  readonly format: typeof SNAPSHOT_FORMAT;
  /** Oldest first. */
  readonly periods: readonly SnapshotPeriod[];
  /** File names of the dictionary deltas that went in. */
  readonly dictionaries: DictionaryFiles;
  readonly documentCount: number;
  /** By category id. */
  readonly categories: readonly string[];
  readonly columns: Readonly<Record<string, readonly SnapshotFile[]>>;
}

export function rankColumnName(periodKey: string): string {
  return `rank-${periodKey}`;
}

/** Of a period: what its report names beside ranks, which is read at single places, and the index of it, which is in memory. */
export function rowsColumnName(periodKey: string): string {
  return `${ROWS_PREFIX}${periodKey}`;
}

export function rowIndexName(periodKey: string): string {
  return `row-index-${periodKey}`;
}

/** The manifest with its own checksum, so that a damaged one is never believed. */
export function formatManifest(manifest: SnapshotManifest): string {
  const body = JSON.stringify(manifest);
  return `{"crc32":${crc32(body)},"snapshot":${body}}\n`;
}

/** A snapshot that is not as it was written. No data is lost: it is built from the segments again. */
export class DamagedSnapshotError extends OperatorError {
  constructor(message: string) {
    super(message, { hint: 'It is built from the segments again at the next start or import.' });
    this.name = 'DamagedSnapshotError';
  }
}

/** Undefined when the directory holds no snapshot of this format; throws when it holds a damaged one. */
export async function findManifest(directory: string): Promise<SnapshotManifest | undefined> {
  const path = join(directory, MANIFEST_NAME);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  return text === undefined ? undefined : parseManifest(text, path);
}

function parseManifest(text: string, path: string): SnapshotManifest | undefined {
  const match = /^\{"crc32":([0-9]+),"snapshot":(.*)\}\n$/s.exec(text);
  const body = match?.[2];
  if (body === undefined || crc32(body) !== Number(match?.[1])) {
    throw new DamagedSnapshotError(`The snapshot manifest ${path} is damaged.`);
  }
  const manifest = JSON.parse(body) as SnapshotManifest;
  if (manifest.format !== SNAPSHOT_FORMAT) return undefined;
  if (!FREQUENCIES.includes(manifest.frequency) || !RANK_SOURCES.includes(manifest.source)) return undefined;
  return manifest;
}
