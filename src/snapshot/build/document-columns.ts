// The columns in the order of documents. Of the documents that stay their values go from the files of the generation before to the new
// ones; only those of the documents that a build puts in are computed.
import type { Column } from '../format/column-file.ts';
import { readPieces } from '../format/column-file.ts';
import {
  DOCUMENT_COLUMNS,
  type DocumentColumn,
  type ElementType,
  NONE_32,
  SPARSE_DOCUMENT_COLUMN,
} from '../format/format.ts';
import { encodeSparse, openSparse, walkValues } from '../format/sparse-column.ts';
import { listNewcomers, summarize } from '../format/summaries.ts';
import { type BuildState, partsOf, readColumn } from './build-state.ts';
import type { ColumnWriter } from './column-writer.ts';
import { type DocumentChanges, numberOf } from './document-changes.ts';
import { editArray, editColumn } from './edited-column.ts';
import { summarizeSlots } from './fresh-summaries.ts';
import { growNumbers, pushNumber, usedNumbers } from './growing.ts';

const SUMMARY_TYPES = {
  'best-rank': 'u32',
  'worst-rank': 'u32',
  'avg-rank': 'u32',
  'total-periods': 'u16',
  'first-period': 'u16',
} as const satisfies Readonly<Record<string, ElementType>>;

/** Finding a rank by its slot takes so much less than passing all ranks of a period. */
const GATHER_ADVANTAGE = 4;

/** The documents of a build in their new order. */
export interface OrderedDocuments {
  readonly changes: DocumentChanges;
  /** The slot of each. */
  readonly slots: Uint32Array;
  /** By slot: its document, or NONE_32 for terms that no period ranks any more. */
  readonly bySlot: Uint32Array;
  /** Those of the newest period. */
  readonly newestCount: number;
}

export function orderDocuments(
  state: BuildState,
  { changes, savedSlots }: { readonly changes: DocumentChanges; readonly savedSlots: Uint32Array },
): OrderedDocuments {
  const slots = editArray(savedSlots, {
    edits: changes.edits,
    fresh: state.fresh['document-slot'] as Uint32Array,
    out: new Uint32Array(changes.freshCount + changes.savedCount - changes.removed.length),
  });
  const bySlot = new Uint32Array(state.slotTermIds.count).fill(NONE_32);
  for (let document = 0; document < slots.length; document += 1) bySlot[slots[document] ?? 0] = document;
  return { changes, slots, bySlot, newestCount: state.periods.at(-1)?.documentCount ?? 0 };
}

type Task = () => Promise<void>;

export function listDocumentTasks(
  state: BuildState,
  { documents, writer }: { readonly documents: OrderedDocuments; readonly writer: ColumnWriter },
): readonly Task[] {
  const { changes, slots, bySlot } = documents;
  const edit = async (name: string, type: ElementType, fresh: Column): Promise<void> => {
    const saved = readPieces(partsOf(state.saved, name));
    await writer.writeBlocks(name, editColumn({ saved, type, edits: changes.edits, fresh }));
  };
  const bySlotCounts = (counts: Uint8Array): Uint8Array => {
    const fresh = new Uint8Array(state.freshCount);
    for (let document = 0; document < fresh.length; document += 1) fresh[document] = counts[slots[document] ?? 0] ?? 0;
    return fresh;
  };
  const names = (Object.keys(DOCUMENT_COLUMNS) as DocumentColumn[]).filter(
    (name) => name !== SPARSE_DOCUMENT_COLUMN && name !== 'document-slot',
  );
  return [
    async () => await writer.write('document-slot', slots),
    async () => await writer.write('slot-document', bySlot),
    ...names.map((name) => async () => await edit(name, DOCUMENT_COLUMNS[name], state.fresh[name])),
    async () => await writer.write(SPARSE_DOCUMENT_COLUMN, await encodeOriginals(state, documents)),
    async () => await edit('word-count', 'u8', bySlotCounts(state.slotWordCounts.values)),
    async () => await edit('trigram-count', 'u8', bySlotCounts(state.slotTrigramCounts.values)),
    ...listSummaryTasks(state, { documents, writer, edit }),
  ];
}

function listSummaryTasks(
  state: BuildState,
  {
    documents: { slots, bySlot, newestCount },
    writer,
    edit,
  }: {
    readonly documents: OrderedDocuments;
    readonly writer: ColumnWriter;
    readonly edit: (name: string, type: ElementType, fresh: Column) => Promise<void>;
  },
): readonly Task[] {
  const { periods, freshCount, savedPeriodCount, saved } = state;
  const ranks = periods.map((period) => period.ranks);
  const rankCount = ranks.reduce((sum, { valueCount }) => sum + valueCount, 0);
  if (freshCount * ranks.length > GATHER_ADVANTAGE * rankCount) {
    const whole = summarize({ ranks, slotDocuments: bySlot, visibleCount: slots.length, newestCount });
    return Object.entries(whole).map(
      ([name, buffer]) =>
        async () =>
          await writer.write(name, new Uint8Array(buffer)),
    );
  }
  const fresh = summarizeSlots(ranks, slots.subarray(0, freshCount));
  return [
    async () => {
      const isNewestFresh = periods.length > savedPeriodCount;
      const totals = isNewestFresh
        ? fresh['total-periods']
        : await readColumn<Uint16Array>(saved, 'total-periods', { type: 'u16' });
      await writer.write('newcomer', new Uint8Array(listNewcomers(totals, newestCount)));
    },
    ...(Object.keys(SUMMARY_TYPES) as (keyof typeof SUMMARY_TYPES)[]).map(
      (name) => async () => await edit(name, SUMMARY_TYPES[name], fresh[name]),
    ),
  ];
}

async function encodeOriginals(
  { fresh, freshCount, saved }: BuildState,
  { changes: { shifts }, slots }: OrderedDocuments,
): Promise<Uint32Array> {
  const documents = growNumbers(new Uint32Array(0));
  const values = growNumbers(new Uint32Array(0));
  const add = (document: number, value: number): void => {
    if (document < 0 || value === 0) return;
    pushNumber(documents, document);
    pushNumber(values, value);
  };
  for (let document = 0; document < freshCount; document += 1) add(document, fresh.original[document] ?? 0);
  if (saved.documentCount > 0) {
    const column = openSparse(await readColumn(saved, SPARSE_DOCUMENT_COLUMN));
    walkValues(column, (document, value) => add(numberOf(shifts, document), value));
  }
  return encodeSparse(slots.length, { slots: usedNumbers(documents), values: usedNumbers(values) });
}
