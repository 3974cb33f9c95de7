// What a build works on. Terms, words, products and brands get numbers of the snapshot's own ("slots") in order of their
// first appearance; slots never change, so everything kept in slot order only grows and its files are shared between
// generations. Documents are the keywords with a rank, numbered by newest period, then rank: publishing a period puts
// its rows in front and closes the gaps behind them, so no build ever sorts what an earlier one has sorted. Only the documents of
// periods that are published are in memory; what is behind them goes from the files of one generation to those of the next.
import {
  type Column,
  type ColumnParts,
  columnOf,
  readInto,
  readParts,
  sizeOf,
  verifyParts,
  verifySizes,
} from '../format/column-file.ts';
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
} from '../format/format.ts';
import { openSparse, type SparseColumn } from '../format/sparse-column.ts';
import {
  continueNumbers,
  continueText,
  type GrowingNumbers,
  type GrowingText,
  growNumbers,
  growText,
} from './growing.ts';
import { runTasks } from './tasks.ts';

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
  /** Oldest first; so many of them are saved. */
  readonly periods: StatePeriod[];
  readonly savedPeriodCount: number;
  /** The documents of the periods that this build publishes, in their order, and how many they are. */
  fresh: DocumentArrays;
  freshCount: number;
  /** A bit for each slot with a rank in one of these periods. */
  renewed: Uint32Array;
  /** 1 + the index of the newest period that names the product, by slot. */
  readonly productNewest: GrowingNumbers<Uint16Array>;
  readonly saved: SavedColumns;
}

/** Where the columns of the generation before are. */
export interface SavedColumns {
  readonly directory: string;
  readonly columns: SnapshotManifest['columns'];
  readonly documentCount: number;
}

/** Texts that a build only adds to; damage in them would be carried on. */
const UNREAD_TEXTS: readonly string[] = ['asin', 'title', 'original'];
/** Long columns of which a build wants to know what stands in some slots; slot-ranges.ts looks through them. */
const GATHERED: readonly string[] = ['term', 'slot-words', 'slot-word-ends'];
const UNREAD_COLUMNS = UNREAD_TEXTS.flatMap((name) => [`${name}-text`, `${name}-ends`]);

const ELEMENT_BYTES: Readonly<Record<ElementType, number>> = { u8: 1, u16: 2, u32: 4 };
/** For what a build adds to a column that it has read. Memory that is never touched is never taken. */
const ROOM_SHARE = 1 / 4;
const MIN_ROOM = 65_536;
/** Columns read at a time: one is checksummed while the next is fetched. */
const CONCURRENT_READS = 3;

export async function emptyState(): Promise<BuildState> {
  return await readState('', { periods: [], documentCount: 0, columns: {} });
}

/** The state in which an earlier build ended. */
export async function readState(
  directory: string,
  { periods, documentCount, columns }: Pick<SnapshotManifest, 'periods' | 'documentCount' | 'columns'>,
): Promise<BuildState> {
  const saved: SavedColumns = { directory, columns, documentCount };
  const growing: Record<string, unknown> = {};
  const statePeriods = new Array<StatePeriod>(periods.length);
  const productNewest = growNumbers<Uint16Array>(new Uint16Array(0));
  const readFields = GROWING_FIELDS.map(([field, name]) => async () => {
    growing[field] = await (name in GROWING_COLUMNS
      ? readNumbers(saved, name, GROWING_COLUMNS[name as GrowingColumn])
      : readTexts(saved, name));
  });
  const readRanks = periods.map((period, i) => async () => {
    statePeriods[i] = await readPeriod(saved, period);
  });
  const readNewest = async () => {
    Object.assign(productNewest, await readNumbers(saved, 'product-newest', 'u16'));
  };
  await runTasks([...readFields, ...readRanks, readNewest], CONCURRENT_READS);
  return {
    ...(growing as unknown as GrowingFields),
    periods: statePeriods,
    savedPeriodCount: periods.length,
    fresh: newDocuments(0),
    freshCount: 0,
    renewed: new Uint32Array(0),
    productNewest,
    saved,
  };
}

/** The saved files of a column. */
export function partsOf({ directory, columns }: SavedColumns, name: string): ColumnParts {
  return { directory, parts: columns[name] ?? [] };
}

/** A saved column in memory of so many elements; at least those that it has. */
export async function readColumn<T extends Column = Uint32Array>(
  saved: SavedColumns,
  name: string,
  { type = 'u32', length = 0 }: { readonly type?: ElementType; readonly length?: number } = {},
): Promise<T> {
  const parts = partsOf(saved, name);
  const bytes = new Uint8Array(Math.max(sizeOf(parts.parts), length * ELEMENT_BYTES[type]));
  await readInto(bytes, parts);
  return columnOf(bytes, type) as T;
}

async function readNumbers(saved: SavedColumns, name: string, type: ElementType): Promise<GrowingNumbers<Column>> {
  const count = sizeOf(partsOf(saved, name).parts) / ELEMENT_BYTES[type];
  if (GATHERED.includes(name)) return continueNumbers(count);
  const length = Math.ceil(count * (1 + ROOM_SHARE)) + MIN_ROOM;
  return growNumbers(await readColumn<Column>(saved, name, { type, length }), count);
}

async function readTexts(saved: SavedColumns, name: string): Promise<GrowingText> {
  const text = partsOf(saved, `${name}-text`);
  const count = sizeOf(partsOf(saved, `${name}-ends`).parts) / ELEMENT_BYTES.u32;
  if (UNREAD_TEXTS.includes(name) || GATHERED.includes(name))
    return continueText({ byteCount: sizeOf(text.parts), count });
  const ends = await readNumbers(saved, `${name}-ends`, 'u32');
  return growText({ block: await readParts(text), ends: ends.values as Uint32Array, count });
}

async function readPeriod(
  saved: SavedColumns,
  { key, segment, documentCount }: SnapshotManifest['periods'][number],
): Promise<StatePeriod> {
  const names = [rankColumnName(key), rowsColumnName(key), rowIndexName(key)];
  const files = names.flatMap((name) => saved.columns[name]?.map((part) => [name, part] as const) ?? []);
  if (files.length !== names.length) throw new Error(`the snapshot in ${saved.directory} lacks a file of ${key}`);
  const file = await readColumn(saved, rankColumnName(key));
  return { key, segment, ranks: openSparse(file), file, saved: Object.fromEntries(files), documentCount };
}

/**
 * Rows are most of what lies on disk, and each of their blocks is checked whenever it is read. A build looks through those of the newest
 * period and of every twelfth before it, the next build through others; with more than 48 periods through those of four, so that
 * publishing takes no longer with every period.
 */
const ROW_TURNS = 12;
const MAX_ROWS_READ = 4;

/** Throws when a file is damaged that readState left unread. All others are verified as they are read. */
export async function verifyUnread({ periods, saved }: Pick<BuildState, 'periods' | 'saved'>): Promise<void> {
  const verify = async (name: string, isTurn: boolean): Promise<void> =>
    await (isTurn ? verifyParts : verifySizes)(partsOf(saved, name));
  const turns = Math.max(ROW_TURNS, Math.ceil(periods.length / MAX_ROWS_READ));
  // The build adds a period to the list meanwhile.
  const rows = periods.map(({ key }, i) => ({ key, isTurn: (periods.length - 1 - i) % turns === 0 }));
  for (const name of UNREAD_COLUMNS) await verify(name, true);
  for (const { key, isTurn } of rows) {
    await verify(rowIndexName(key), true);
    await verify(rowsColumnName(key), isTurn);
  }
}

export function newDocuments(count: number): DocumentArrays {
  const entries = Object.entries(DOCUMENT_COLUMNS).map(([name, type]) => [name, newColumn(type, count)]);
  return Object.fromEntries(entries) as DocumentArrays;
}

export function newColumn(type: 'u16' | 'u32', count: number): Uint32Array | Uint16Array {
  return type === 'u32' ? new Uint32Array(count) : new Uint16Array(count);
}
