// What a build works on. Terms, words, products and brands get numbers of the snapshot's own ("slots") in order of their
// first appearance; slots never change, so everything kept in slot order only grows and its files are shared between
// generations. Documents are the keywords with a rank, numbered by newest period, then rank: publishing a period puts
// its rows in front and closes the gaps behind them, so no build ever sorts what an earlier one has sorted.
import { type Column, columnOf, readParts, verifyParts, verifySizes } from '../format/column-file.ts';
import {
  DOCUMENT_COLUMNS,
  type DocumentColumn,
  type ElementType,
  GROWING_COLUMNS,
  type GrowingColumn,
  rankColumnName,
  rowIndexName,
  rowsColumnName,
  type SnapshotFile,
  type SnapshotManifest,
  SPARSE_DOCUMENT_COLUMN,
} from '../format/format.ts';
import { decodeSparse, openSparse, type SparseColumn } from '../format/sparse-column.ts';
import type { TextIndex } from '../format/text-column.ts';
import { type GrowingNumbers, type GrowingText, growNumbers, growText } from './growing.ts';
import type { Postings } from './posting-lists.ts';

export type DocumentArrays = Record<DocumentColumn, Uint32Array | Uint16Array>;

export interface StatePeriod {
  readonly key: string;
  readonly segment: string;
  /** By slot; may be shorter than the slots known by now. */
  readonly ranks: SparseColumn;
  /** The file of the ranks that this build writes. */
  readonly file: Uint32Array;
  /** The files it came from, by column, when an earlier generation wrote them. */
  readonly saved: Readonly<Record<string, SnapshotFile>> | undefined;
  /** The files of its rows, by column, when this build wrote them. */
  written?: Readonly<Record<string, SnapshotFile>>;
  /** Documents whose newest rank is in this period. */
  documentCount: number;
}

/** The fields that only grow, and the columns that keep them: one for numbers, two (`-text`, `-ends`) for texts. */
export const GROWING_FIELDS = [
  ['slotTermIds', 'slot-term-id'],
  ['terms', 'term'],
  ['slotWords', 'slot-words'],
  ['slotWordEnds', 'slot-word-ends'],
  ['slotWordCounts', 'slot-word-count'],
  ['slotTrigramCounts', 'slot-trigram-count'],
  ['words', 'word'],
  ['wordStems', 'word-stem'],
  ['wordForms', 'word-form'],
  ['stems', 'stem'],
  ['productIds', 'product-id'],
  ['asins', 'asin'],
  ['titles', 'title'],
  ['titleWords', 'title-word'],
  ['brandIds', 'brand-id'],
  ['brands', 'brand'],
  ['originals', 'original'],
] as const;

type Growing<Name> = Name extends GrowingColumn
  ? GrowingNumbers<(typeof GROWING_COLUMNS)[Name] extends 'u8' ? Uint8Array : Uint32Array>
  : GrowingText;
type GrowingFields = { readonly [Pair in (typeof GROWING_FIELDS)[number] as Pair[0]]: Growing<Pair[1]> };

export interface BuildState extends GrowingFields {
  /** Oldest first. */
  readonly periods: StatePeriod[];
  documentCount: number;
  documents: DocumentArrays;
  /** By product slot: 1 + the index of the newest period that names it. */
  productNewest: Uint16Array;
  /** By document: its number in the saved generation, or NONE_32. Documents of new periods stand in front. */
  savedDocuments: Uint32Array;
  /** The posting lists of the saved generation, in its document numbers. */
  readonly savedPostings: (Postings & { readonly documentCount: number }) | undefined;
  readonly savedIndexes: { readonly terms: TextIndex; readonly asins: TextIndex };
  /** Where the saved parts of growing columns are. */
  readonly saved: { readonly directory: string; readonly columns: SnapshotManifest['columns'] };
}

export async function emptyState(): Promise<BuildState> {
  return await readState('', { periods: [], documentCount: 0, columns: {} });
}

/** The state in which an earlier build ended. */
export async function readState(
  directory: string,
  { periods, documentCount, columns }: Pick<SnapshotManifest, 'periods' | 'documentCount' | 'columns'>,
): Promise<BuildState> {
  async function read<Kind extends Column = Uint32Array>(name: string, type: ElementType = 'u32'): Promise<Kind> {
    return columnOf(await readParts({ directory, parts: columns[name] ?? [] }), type) as Kind;
  }
  const growing: [string, unknown][] = [];
  for (const [field, name] of GROWING_FIELDS) {
    if (name in GROWING_COLUMNS) {
      growing.push([field, growNumbers(await read(name, GROWING_COLUMNS[name as GrowingColumn]))]);
      continue;
    }
    const parts = columns[`${name}-text`] ?? [];
    const isUnread = UNREAD_COLUMNS.some((unread) => unread === `${name}-text`);
    const block = isUnread ? undefined : await readParts({ directory, parts });
    const byteCount = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    growing.push([field, growText({ block, ends: await read(`${name}-ends`), byteCount })]);
  }
  const documents = newDocuments(0);
  for (const [name, type] of Object.entries(DOCUMENT_COLUMNS)) {
    const column = await read<Uint32Array | Uint16Array>(name, type);
    const isSparse = name === SPARSE_DOCUMENT_COLUMN && column.length > 0;
    documents[name as DocumentColumn] = isSparse ? decodeSparse(openSparse(Uint32Array.from(column))) : column;
  }
  return {
    ...(Object.fromEntries(growing) as unknown as GrowingFields),
    periods: await readPeriods(directory, { periods, columns }),
    documentCount,
    documents,
    productNewest: await read<Uint16Array>('product-newest', 'u16'),
    savedDocuments: new Uint32Array(documentCount).map((_, document) => document),
    savedPostings: documentCount === 0 ? undefined : { documentCount, ...(await readPostings(read)) },
    savedIndexes: { terms: await read('term-index'), asins: await read('asin-index') },
    saved: { directory, columns },
  };
}

async function readPostings(
  read: <Kind extends Column = Uint32Array>(name: string, type?: ElementType) => Promise<Kind>,
): Promise<Postings> {
  return {
    stems: {
      ends: await read('stem-posting-ends'),
      documents: await read('stem-postings'),
      marks: await read<Uint16Array>('stem-posting-marks', 'u16'),
    },
    products: {
      ends: await read('product-posting-ends'),
      documents: await read('product-postings'),
      marks: undefined,
    },
    wordFirstDocuments: await read('word-first-document'),
  };
}

/** Titles and imported spellings are only ever appended, so their large blocks stay on disk; damage in them would be carried on. */
const UNREAD_COLUMNS = ['title-text', 'original-text'] as const satisfies readonly GrowingColumn[];

/**
 * Rows are most of what lies on disk, and each of their blocks is checked whenever it is read. A build looks through those of the newest
 * period and of every twelfth before it, the next build through others, so that publishing takes hardly longer with
 * every period.
 */
const ROW_TURNS = 12;

/** Throws when a file is damaged that readState left unread. All others are verified as they are read. */
export async function verifyUnread({ periods, saved: { directory, columns } }: BuildState): Promise<void> {
  const partsOf = (name: string) => ({ directory, parts: columns[name] ?? [] });
  // The build adds a period to the list meanwhile.
  const rows = periods.map(({ key }, i) => ({ key, isTurn: (periods.length - 1 - i) % ROW_TURNS === 0 }));
  for (const name of UNREAD_COLUMNS) await verifyParts(partsOf(name));
  for (const { key, isTurn } of rows) {
    await verifyParts(partsOf(rowIndexName(key)));
    await (isTurn ? verifyParts : verifySizes)(partsOf(rowsColumnName(key)));
  }
}

export function newDocuments(count: number): DocumentArrays {
  const entries = Object.entries(DOCUMENT_COLUMNS).map(([name, type]) => [name, newColumn(type, count)]);
  return Object.fromEntries(entries) as DocumentArrays;
}

export function newColumn(type: 'u16' | 'u32', count: number): Uint32Array | Uint16Array {
  return type === 'u32' ? new Uint32Array(count) : new Uint16Array(count);
}

async function readPeriods(
  directory: string,
  { periods: saved, columns }: Pick<SnapshotManifest, 'periods' | 'columns'>,
): Promise<StatePeriod[]> {
  const periods: StatePeriod[] = [];
  for (const { key, segment, documentCount } of saved) {
    const names = [rankColumnName(key), rowsColumnName(key), rowIndexName(key)];
    const files = names.flatMap((name) => columns[name]?.map((part) => [name, part] as const) ?? []);
    if (files.length !== names.length) throw new Error(`the snapshot in ${directory} lacks a file of ${key}`);
    const file = new Uint32Array(await readParts({ directory, parts: columns[rankColumnName(key)] ?? [] }));
    periods.push({ key, segment, ranks: openSparse(file), file, saved: Object.fromEntries(files), documentCount });
  }
  return periods;
}
