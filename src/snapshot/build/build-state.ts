// What a build works on. Terms, words, products and brands get numbers of the snapshot's own ("slots") in order of their
// first appearance; slots never change, so everything kept in slot order only grows and its files are shared between
// generations. Documents are the keywords with a rank, numbered by newest period, then rank: publishing a period puts
// its rows in front and closes the gaps behind them, so no build ever sorts what an earlier one has sorted.
import { join } from 'node:path';
import { columnOf, readParts, verifyParts } from '../format/column-file.ts';
import {
  DOCUMENT_COLUMNS,
  type DocumentColumn,
  GROWING_COLUMNS,
  type GrowingColumn,
  rankColumnName,
  type SnapshotFile,
  type SnapshotManifest,
} from '../format/format.ts';
import type { TextIndex } from '../format/text-column.ts';
import { type GrowingNumbers, type GrowingText, growNumbers, growText } from './growing.ts';
import type { PostingLists } from './posting-lists.ts';

export type DocumentArrays = Record<DocumentColumn, Uint32Array | Uint16Array>;

export interface StatePeriod {
  readonly key: string;
  readonly segment: string;
  /** Ranks by slot, 0 for none; may be shorter than the slots known by now. */
  readonly ranks: Uint32Array;
  /** The file it came from, when an earlier generation wrote it. */
  readonly saved: SnapshotFile | undefined;
  /** Documents whose newest rank is in this period. */
  documentCount: number;
}

export interface SavedPostings {
  readonly documentCount: number;
  readonly stems: PostingLists;
  readonly products: PostingLists;
  readonly wordFirstDocuments: Uint32Array;
}

export interface BuildState {
  /** Oldest first. */
  readonly periods: StatePeriod[];
  documentCount: number;
  documents: DocumentArrays;
  readonly slotTermIds: GrowingNumbers<Uint32Array>;
  readonly terms: GrowingText;
  readonly slotWords: GrowingNumbers<Uint32Array>;
  readonly slotWordEnds: GrowingNumbers<Uint32Array>;
  readonly slotWordCounts: GrowingNumbers<Uint8Array>;
  readonly slotTrigramCounts: GrowingNumbers<Uint8Array>;
  readonly words: GrowingText;
  readonly wordStems: GrowingNumbers<Uint32Array>;
  readonly wordForms: GrowingNumbers<Uint8Array>;
  readonly stems: GrowingText;
  readonly productIds: GrowingNumbers<Uint32Array>;
  readonly asins: GrowingText;
  readonly titles: GrowingText;
  readonly brandIds: GrowingNumbers<Uint32Array>;
  readonly brands: GrowingText;
  readonly originals: GrowingText;
  /** By document: its number in the saved generation, or NONE_32. Documents of new periods stand in front. */
  savedDocuments: Uint32Array;
  /** The posting lists of the saved generation, in its document numbers. */
  readonly savedPostings: SavedPostings | undefined;
  readonly savedIndexes: { readonly terms: TextIndex; readonly asins: TextIndex } | undefined;
  /** Where the saved parts of growing columns are. */
  readonly saved: { readonly directory: string; readonly columns: SnapshotManifest['columns'] };
}

export interface BuildProgress {
  readonly step: 'period' | 'texts' | 'words' | 'columns';
  readonly done: number;
  readonly total: number;
}

export function emptyState(): BuildState {
  const numbers = () => growNumbers(new Uint32Array(0));
  const bytes = () => growNumbers(new Uint8Array(0));
  const text = () => growText({ bytes: new Uint8Array(0), ends: new Uint32Array(0) });
  return {
    periods: [],
    documentCount: 0,
    documents: newDocuments(0),
    slotTermIds: numbers(),
    terms: text(),
    slotWords: numbers(),
    slotWordEnds: numbers(),
    slotWordCounts: bytes(),
    slotTrigramCounts: bytes(),
    words: text(),
    wordStems: numbers(),
    wordForms: bytes(),
    stems: text(),
    productIds: numbers(),
    asins: text(),
    titles: text(),
    brandIds: numbers(),
    brands: text(),
    originals: text(),
    savedDocuments: new Uint32Array(0),
    savedPostings: undefined,
    savedIndexes: undefined,
    saved: { directory: '', columns: {} },
  };
}

/** The state in which an earlier build ended. */
export async function readState(directory: string, manifest: SnapshotManifest): Promise<BuildState> {
  async function read(name: string, type: 'u8' | 'u16' | 'u32') {
    return columnOf(await readParts({ directory, parts: manifest.columns[name] ?? [] }), type);
  }
  async function numbers(name: GrowingColumn): Promise<GrowingNumbers<Uint32Array>> {
    return growNumbers((await read(name, GROWING_COLUMNS[name])) as Uint32Array);
  }
  async function bytes(name: GrowingColumn): Promise<GrowingNumbers<Uint8Array>> {
    return growNumbers((await read(name, GROWING_COLUMNS[name])) as Uint8Array);
  }
  async function text(name: 'term' | 'word' | 'stem' | 'asin' | 'brand'): Promise<GrowingText> {
    const block = (await read(`${name}-text`, 'u8')) as Uint8Array;
    return growText({ bytes: block, ends: (await read(`${name}-ends`, 'u32')) as Uint32Array });
  }
  // Titles and imported spellings are only ever appended, so their large blocks stay on disk.
  async function unreadText(name: 'title' | 'original'): Promise<GrowingText> {
    return growText({ bytes: new Uint8Array(0), ends: (await read(`${name}-ends`, 'u32')) as Uint32Array });
  }
  const documents = newDocuments(0);
  for (const [name, type] of Object.entries(DOCUMENT_COLUMNS)) {
    documents[name as DocumentColumn] = (await read(name, type)) as Uint32Array | Uint16Array;
  }
  return {
    periods: await readPeriods(directory, manifest),
    documentCount: manifest.documentCount,
    documents,
    slotTermIds: await numbers('slot-term-id'),
    terms: await text('term'),
    slotWords: await numbers('slot-words'),
    slotWordEnds: await numbers('slot-word-ends'),
    slotWordCounts: await bytes('slot-word-count'),
    slotTrigramCounts: await bytes('slot-trigram-count'),
    words: await text('word'),
    wordStems: await numbers('word-stem'),
    wordForms: await bytes('word-form'),
    stems: await text('stem'),
    productIds: await numbers('product-id'),
    asins: await text('asin'),
    titles: await unreadText('title'),
    brandIds: await numbers('brand-id'),
    brands: await text('brand'),
    originals: await unreadText('original'),
    savedDocuments: new Uint32Array(manifest.documentCount).map((_, document) => document),
    savedPostings: {
      documentCount: manifest.documentCount,
      stems: {
        ends: (await read('stem-posting-ends', 'u32')) as Uint32Array,
        documents: (await read('stem-postings', 'u32')) as Uint32Array,
        marks: (await read('stem-posting-marks', 'u16')) as Uint16Array,
      },
      products: {
        ends: (await read('product-posting-ends', 'u32')) as Uint32Array,
        documents: (await read('product-postings', 'u32')) as Uint32Array,
        marks: undefined,
      },
      wordFirstDocuments: (await read('word-first-document', 'u32')) as Uint32Array,
    },
    savedIndexes: {
      terms: (await read('term-index', 'u32')) as Uint32Array,
      asins: (await read('asin-index', 'u32')) as Uint32Array,
    },
    saved: { directory, columns: manifest.columns },
  };
}

/** Columns that a build links without looking at them; damage in them would be carried on. */
const UNREAD_COLUMNS = ['title-text', 'original-text'] as const satisfies readonly GrowingColumn[];

/** Throws when a column is damaged that readState left unread. All others are verified as they are read. */
export async function verifyUnread({ saved: { directory, columns } }: BuildState): Promise<void> {
  for (const name of UNREAD_COLUMNS) await verifyParts({ directory, parts: columns[name] ?? [] });
}

export function newDocuments(count: number): DocumentArrays {
  const entries = Object.entries(DOCUMENT_COLUMNS).map(([name, type]) => [
    name,
    type === 'u32' ? new Uint32Array(count) : new Uint16Array(count),
  ]);
  return Object.fromEntries(entries) as DocumentArrays;
}

async function readPeriods(directory: string, manifest: SnapshotManifest): Promise<StatePeriod[]> {
  const periods: StatePeriod[] = [];
  for (const { key, segment, documentCount } of manifest.periods) {
    const parts = manifest.columns[rankColumnName(key)] ?? [];
    const [saved] = parts;
    if (!saved) throw new Error(`the snapshot in ${join(directory)} has no ranks for ${key}`);
    const ranks = new Uint32Array(await readParts({ directory, parts }));
    periods.push({ key, segment, ranks, saved, documentCount });
  }
  return periods;
}
