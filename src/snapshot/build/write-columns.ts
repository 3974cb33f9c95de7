// Every column of a build, written out: growing ones as a further part, the others whole.

import { type Column, sharePart, writeColumn, writeGrownColumn } from '../format/column-file.ts';
import {
  DOCUMENT_COLUMNS,
  type DocumentColumn,
  rankColumnName,
  type SnapshotFile,
  SPARSE_DOCUMENT_COLUMN,
} from '../format/format.ts';
import { encodeSparse } from '../format/sparse-column.ts';
import { summarize } from '../format/summaries.ts';
import { buildTextIndex, type TextIndex } from '../format/text-column.ts';
import { buildBrandIndex } from './brand-index.ts';
import { type BuildState, GROWING_FIELDS } from './build-state.ts';
import { addedBytes, addedNumbers, currentText, type GrowingText } from './growing.ts';
import { buildBrandPostings, buildPostings, buildTrigramPostings, invertSlots } from './postings.ts';
import { buildTrendColumns, type TrendSource } from './trend-columns.ts';

type Columns = Record<string, readonly SnapshotFile[]>;
/** In blocks, one behind the other. */
type AddedColumn = readonly [string, readonly Column[]];
type WholeColumn = () => readonly (readonly [string, Column])[];

export async function writeColumns({
  state,
  directory,
  signal,
}: {
  readonly state: BuildState;
  readonly directory: string;
  readonly signal: AbortSignal | undefined;
}): Promise<Columns> {
  const columns: Columns = {};
  for (const [name, added] of growingColumns(state)) {
    const older = { directory: state.saved.directory, parts: state.saved.columns[name] ?? [] };
    columns[name] = await writeGrownColumn({ directory, name, older, added });
  }
  for (const { key, file, saved, written } of state.periods) {
    for (const [name, part] of Object.entries(saved ?? written ?? {})) columns[name] = [part];
    for (const part of Object.values(saved ?? {}))
      await sharePart({ from: state.saved.directory, to: directory, part });
    const name = rankColumnName(key);
    columns[name] ??= [await writeColumn({ directory, name: `${name}.0.bin`, column: file })];
  }
  for (const compute of wholeColumns(state)) {
    signal?.throwIfAborted();
    for (const [name, column] of compute()) {
      columns[name] = [await writeColumn({ directory, name: `${name}.bin`, column })];
    }
  }
  return columns;
}

function growingColumns(state: BuildState): readonly AddedColumn[] {
  return GROWING_FIELDS.flatMap(([field, name]): AddedColumn[] => {
    const column: GrowingText | BuildState['slotWords'] | BuildState['wordForms'] = state[field];
    if ('values' in column) return [[name, [addedNumbers(column)]]];
    return [
      [`${name}-text`, addedBytes(column)],
      [`${name}-ends`, [addedNumbers(column.ends)]],
    ];
  });
}

/** Computed one after the other, so that no more than one group is in memory at a time. */
function wholeColumns(state: BuildState): readonly WholeColumn[] {
  const { savedIndexes } = state;
  return [
    () =>
      (Object.keys(DOCUMENT_COLUMNS) as DocumentColumn[]).map((name) => [name, documentColumn(state, name)] as const),
    () => [['product-newest', state.productNewest]],
    () => {
      const slotDocuments = invertSlots(state);
      return [['slot-document', slotDocuments], ...summaryColumns(state, slotDocuments)];
    },
    () => [
      ['word-count', inDocumentOrder(state, state.slotWordCounts.values)],
      ['trigram-count', inDocumentOrder(state, state.slotTrigramCounts.values)],
    ],
    () => [
      ['term-index', indexOf(state.terms, savedIndexes.terms)],
      ['word-index', indexOf(state.words)],
    ],
    () => [
      ['stem-index', indexOf(state.stems)],
      ['asin-index', indexOf(state.asins, savedIndexes.asins)],
    ],
    () => [['brand-index', buildBrandIndex(state.brands)]],
    () => {
      const { stems, products, wordFirstDocuments } = buildPostings(state);
      return [
        ['stem-posting-ends', stems.ends],
        ['stem-postings', stems.documents],
        ['stem-posting-marks', stems.marks],
        ['word-first-document', wordFirstDocuments],
        ['product-posting-ends', products.ends],
        ['product-postings', products.documents],
      ];
    },
    () => {
      const { ends, documents } = buildBrandPostings(state);
      return [
        ['brand-posting-ends', ends],
        ['brand-postings', documents],
      ];
    },
    () => {
      const { ends, words } = buildTrigramPostings(state);
      return [
        ['trigram-ends', ends],
        ['trigram-words', words],
      ];
    },
    () => Object.entries(buildTrendColumns(trendSource(state))),
  ];
}

function summaryColumns({ periods, documentCount }: BuildState, slotDocuments: Uint32Array) {
  const buffers = summarize({
    ranks: periods.map(({ ranks }) => ranks),
    slotDocuments,
    visibleCount: documentCount,
    newestCount: periods.at(-1)?.documentCount ?? 0,
  });
  return Object.entries(buffers).map(([name, buffer]) => [name, new Uint8Array(buffer)] as const);
}

function documentColumn({ documents }: BuildState, name: DocumentColumn): Column {
  const column = documents[name];
  return name === SPARSE_DOCUMENT_COLUMN ? encodeSparse(Uint32Array.from(column)) : column;
}

function indexOf(texts: GrowingText, savedIndex?: TextIndex): TextIndex {
  const saved = savedIndex && { index: savedIndex, count: texts.ends.savedCount };
  return buildTextIndex(currentText(texts), texts.ends.count, saved);
}

function trendSource({ periods, documents, terms }: BuildState): TrendSource {
  return {
    newestCount: periods.at(-1)?.documentCount ?? 0,
    documentSlots: documents['document-slot'],
    latestRanks: documents['latest-rank'],
    previousRanks: periods.at(-2)?.ranks,
    terms: currentText(terms),
  };
}

function inDocumentOrder(state: BuildState, bySlot: Uint8Array): Uint8Array {
  const column = new Uint8Array(state.documentCount);
  const slots = state.documents['document-slot'];
  for (let document = 0; document < column.length; document += 1) column[document] = bySlot[slots[document] ?? 0] ?? 0;
  return column;
}
