// Every column of a build, written out: growing ones as a further part, the others whole. While the disk takes one column others are
// computed.
import { type Column, readParts, readPieces, sizeOf } from '../format/column-file.ts';
import { NONE_32, rankColumnName, type SnapshotManifest } from '../format/format.ts';
import { indexCells, insertTexts, type TextIndex, viewText } from '../format/text-column.ts';
import { buildBrandIndex } from './brand-index.ts';
import { type BuildState, GROWING_FIELDS, partsOf, readColumn } from './build-state.ts';
import { ColumnWriter } from './column-writer.ts';
import { numberOf } from './document-changes.ts';
import { listDocumentTasks, type OrderedDocuments } from './document-columns.ts';
import { editColumn } from './edited-column.ts';
import { addedBytes, addedNumbers, currentText, type GrowingText, usedNumbers } from './growing.ts';
import { type FreshEntries, PostingMerger } from './posting-lists.ts';
import { buildTrigramPostings, listPlaceEntries, listStemEntries } from './postings.ts';
import { gatherTerms, gatherWords } from './slot-ranges.ts';
import { runTasks } from './tasks.ts';
import { buildTrendColumns, type TrendSource } from './trend-columns.ts';

/** Each holds a few megabytes, those of posting lists and hash tables more. */
const CONCURRENT_COLUMNS = 3;

type Task = () => Promise<void>;

interface Written {
  readonly documents: OrderedDocuments;
  readonly writer: ColumnWriter;
}

export async function writeColumns({
  state,
  documents,
  directory,
  signal,
}: {
  readonly state: BuildState;
  readonly documents: OrderedDocuments;
  readonly directory: string;
  readonly signal: AbortSignal | undefined;
}): Promise<SnapshotManifest['columns']> {
  const writer = new ColumnWriter({ saved: state.saved, directory, signal });
  const written = { documents, writer };
  await runTasks(
    [
      ...listPostingTasks(state, written),
      ...listIndexTasks(state, written),
      ...listDocumentTasks(state, written),
      ...listGrowingTasks(state, written),
      ...listPeriodTasks(state, written),
    ],
    CONCURRENT_COLUMNS,
  );
  return writer.columns;
}

function listGrowingTasks(state: BuildState, { writer }: Written): readonly Task[] {
  const grow = (name: string, added: readonly Column[]) => async () => await writer.grow(name, added);
  return GROWING_FIELDS.flatMap(([field, name]): Task[] => {
    const column: GrowingText | BuildState['slotWords'] | BuildState['wordForms'] = state[field];
    if ('values' in column) return [grow(name, [addedNumbers(column)])];
    return [grow(`${name}-text`, addedBytes(column)), grow(`${name}-ends`, [addedNumbers(column.ends)])];
  });
}

function listPeriodTasks({ periods }: BuildState, { writer }: Written): readonly Task[] {
  return periods.map(({ key, file, saved, written }) => async () => {
    const isSaved = saved !== undefined;
    for (const [name, part] of Object.entries(saved ?? written ?? {})) await writer.take(name, part, { isSaved });
    if (!isSaved) await writer.writeOnce(rankColumnName(key), file);
  });
}

function listPostingTasks(state: BuildState, { documents, writer }: Written): readonly Task[] {
  const { changes } = documents;
  const merge = async (name: string, listCount: number, fresh: FreshEntries): Promise<PostingMerger> => {
    const savedCount = sizeOf(partsOf(state.saved, `${name}-ends`).parts) / Uint32Array.BYTES_PER_ELEMENT;
    const ends = await readColumn(state.saved, `${name}-ends`, { length: listCount });
    const merger = new PostingMerger({ ends, savedCount }, { fresh, changes });
    await writer.writeBlocks(`${name}s`, merger.merge(readPieces(partsOf(state.saved, `${name}s`))));
    await writer.write(`${name}-ends`, merger.ends);
    return merger;
  };
  return [
    async () => {
      const fresh = documents.slots.subarray(0, state.freshCount);
      const stems = listStemEntries(state, await gatherWords(state, fresh));
      const merger = await merge('stem-posting', state.stems.ends.count, stems);
      const saved = readPieces(partsOf(state.saved, 'stem-posting-marks'));
      const marks = editColumn({ saved, type: 'u16', edits: merger.planEdits(), fresh: stems.marks });
      await writer.writeBlocks('stem-posting-marks', marks);
      await writer.write('word-first-document', await joinFirstDocuments(state, documents, stems.wordFirstDocuments));
    },
    async () => {
      await merge('product-posting', state.productIds.count, listPlaceEntries(state, 'product'));
    },
    async () => {
      await merge('brand-posting', state.brandIds.count, listPlaceEntries(state, 'brand'));
    },
  ];
}

/** A first document that moved to the front took its words along. */
async function joinFirstDocuments(
  { saved }: BuildState,
  { changes: { shifts } }: OrderedDocuments,
  fresh: Uint32Array,
): Promise<Uint32Array> {
  const older = await readColumn(saved, 'word-first-document');
  return fresh.map((document, word) => {
    const before = older[word] ?? NONE_32;
    return document !== NONE_32 || before === NONE_32 ? document : numberOf(shifts, before);
  });
}

function listIndexTasks(state: BuildState, { documents, writer }: Written): readonly Task[] {
  return [
    async () => await writer.write('product-newest', usedNumbers(state.productNewest)),
    async () => await writer.write('term-index', await extendIndex(state, 'term', state.terms)),
    async () => await writer.write('asin-index', await extendIndex(state, 'asin', state.asins)),
    async () => await writer.write('word-index', await extendIndex(state, 'word', state.words)),
    async () => await writer.write('stem-index', await extendIndex(state, 'stem', state.stems)),
    async () => await writer.write('brand-index', buildBrandIndex(state.brands)),
    async () => {
      const { ends, words } = buildTrigramPostings(state);
      await writer.write('trigram-ends', ends);
      await writer.write('trigram-words', words);
    },
    async () => {
      const columns = buildTrendColumns(await trendSource(state, documents));
      for (const [name, column] of Object.entries(columns)) await writer.write(name, column);
    },
  ];
}

/** The saved index with the texts that were added; when it has no room for them, one of all texts. */
async function extendIndex({ saved }: BuildState, name: string, texts: GrowingText): Promise<TextIndex> {
  const { ends } = texts;
  const cells = indexCells(ends.count);
  const isRoomy = sizeOf(partsOf(saved, `${name}-index`).parts) === cells * Uint32Array.BYTES_PER_ELEMENT;
  const index = isRoomy ? await readColumn(saved, `${name}-index`) : new Uint32Array(cells);
  if (!isRoomy && ends.first > 0) {
    const block = await readParts(partsOf(saved, `${name}-text`));
    insertTexts(index, viewText(block, await readColumn(saved, `${name}-ends`)), { from: 0, to: ends.first });
  }
  const firstAdded = isRoomy ? ends.savedCount : ends.first;
  insertTexts(index, currentText(texts), {
    from: firstAdded - ends.first,
    to: ends.count - ends.first,
    shift: ends.first,
  });
  return index;
}

async function trendSource(state: BuildState, { slots, newestCount }: OrderedDocuments): Promise<TrendSource> {
  const { periods, savedPeriodCount, fresh, saved } = state;
  return {
    newestCount,
    documentSlots: slots,
    latestRanks: periods.length > savedPeriodCount ? fresh['latest-rank'] : await readColumn(saved, 'latest-rank'),
    previousRanks: periods.at(-2)?.ranks,
    terms: await gatherTerms(state, slots.subarray(0, newestCount)),
  };
}
