// Putting a period's rows in front of the documents.

import { DOCUMENT_COLUMNS, type DocumentColumn, NONE_16, NONE_32 } from '../format/format.ts';
import { encodeSparse, openSparse } from '../format/sparse-column.ts';
import { type BuildState, type DocumentArrays, newDocuments } from './build-state.ts';
import { type GrowingNumbers, pushNumber, pushText } from './growing.ts';
import type { Segment } from './parquet-reader.ts';

const DOCUMENT_NAMES = Object.keys(DOCUMENT_COLUMNS) as readonly DocumentColumn[];
const PRODUCT_COLUMNS = ['product-1', 'product-2', 'product-3'] as const satisfies readonly DocumentColumn[];
/** The columns whose ids become slots of the snapshot. */
const SLOTTED_COLUMNS = [
  { kind: 'products', ids: 'productIds', columns: PRODUCT_COLUMNS },
  { kind: 'brands', ids: 'brandIds', columns: ['brand-1', 'brand-2', 'brand-3'] },
] as const;

/** The product of each place, and its shares. */
const SHARED_COLUMNS = [
  ['product-1', 'click-share-1', 'conversion-share-1'],
  ['product-2', 'click-share-2', 'conversion-share-2'],
  ['product-3', 'click-share-3', 'conversion-share-3'],
] as const;

/** Slots by dictionary id, so that an id is looked up in one step. */
export interface SlotMaps {
  readonly terms: SlotMap;
  readonly products: SlotMap;
  readonly brands: SlotMap;
}

export interface SlotMap {
  /** NONE_32 where the id has no slot yet. */
  slots: Uint32Array;
}

export function openSlotMaps(state: BuildState): SlotMaps {
  return {
    terms: openSlotMap(state.slotTermIds),
    products: openSlotMap(state.productIds),
    brands: openSlotMap(state.brandIds),
  };
}

export function publishPeriod(
  state: BuildState,
  {
    key,
    segment,
    rows,
    maps,
  }: { readonly key: string; readonly segment: string; readonly rows: Segment; readonly maps: SlotMaps },
): void {
  const slots = slotsOf({ ids: rows.termIds, map: maps.terms, known: state.slotTermIds });
  const ranks = new Uint32Array(state.slotTermIds.count);
  for (let row = 0; row < rows.rowCount; row += 1) {
    const slot = slots[row] ?? 0;
    if (ranks[slot] !== 0) throw new Error(`segment ${segment} holds term ${rows.termIds[row]} twice`);
    ranks[slot] = rows.ranks[row] ?? 0;
  }
  const kept = keptDocuments(state, ranks);
  const documents = newDocuments(rows.rowCount + kept.length);
  fillNewDocuments({ state, documents, rows, slots, maps });
  for (const name of DOCUMENT_NAMES) {
    const source = state.documents[name];
    const target = documents[name];
    for (let i = 0, at = rows.rowCount; i < kept.length; i += 1, at += 1) target[at] = source[kept[i] ?? 0] ?? 0;
  }
  const savedDocuments = new Uint32Array(rows.rowCount + kept.length).fill(NONE_32);
  for (let i = 0; i < kept.length; i += 1) {
    savedDocuments[rows.rowCount + i] = state.savedDocuments[kept[i] ?? 0] ?? NONE_32;
  }
  state.savedDocuments = savedDocuments;
  state.documents = documents;
  state.documentCount = rows.rowCount + kept.length;
  markProducts(state, rows.rowCount);
  const file = encodeSparse(ranks);
  state.periods.push({ key, segment, ranks: openSparse(file), file, saved: undefined, documentCount: rows.rowCount });
}

/** The products of the new period, which is behind those that there are. */
function markProducts(state: BuildState, rowCount: number): void {
  const { documents, productIds, periods } = state;
  const newest = new Uint16Array(productIds.count);
  newest.set(state.productNewest);
  for (const column of PRODUCT_COLUMNS) {
    for (const product of documents[column].subarray(0, rowCount)) {
      if (product !== NONE_32) newest[product] = periods.length + 1;
    }
  }
  state.productNewest = newest;
}

/** The documents without a rank in the new period, in their order; the periods' counts are lowered to match. */
function keptDocuments(state: BuildState, ranks: Uint32Array): Uint32Array {
  const kept = new Uint32Array(state.documentCount);
  const slots = state.documents['document-slot'];
  let keptCount = 0;
  let document = 0;
  for (const period of [...state.periods].reverse()) {
    const keptBefore = keptCount;
    for (const end = document + period.documentCount; document < end; document += 1) {
      if (ranks[slots[document] ?? 0] === 0) {
        kept[keptCount] = document;
        keptCount += 1;
      }
    }
    period.documentCount = keptCount - keptBefore;
  }
  return kept.subarray(0, keptCount);
}

function fillNewDocuments({
  state,
  documents,
  rows,
  slots,
  maps,
}: {
  readonly state: BuildState;
  readonly documents: DocumentArrays;
  readonly rows: Segment;
  readonly slots: Uint32Array;
  readonly maps: SlotMaps;
}): void {
  documents['document-slot'].set(slots);
  documents['latest-rank'].set(rows.ranks);
  for (const [name, values] of rows.columns) documents[name].set(values);
  for (const [product, ...shares] of SHARED_COLUMNS) dropShares(documents, { product, shares, count: rows.rowCount });
  for (const { kind, ids: known, columns } of SLOTTED_COLUMNS) {
    for (const name of columns) {
      const ids = documents[name].subarray(0, rows.rowCount);
      ids.set(slotsOf({ ids, map: maps[kind], known: state[known] }));
    }
  }
  if (rows.originals.size === 0) return;
  for (let row = 0; row < rows.rowCount; row += 1) {
    const original = rows.originals.get(rows.termIds[row] ?? 0);
    if (original !== undefined) documents.original[row] = pushText(state.originals, original) + 1;
  }
}

/** A share without a product is nobody's: no answer shows it, so no sum may have it. */
function dropShares(
  documents: DocumentArrays,
  options: { readonly product: DocumentColumn; readonly shares: readonly DocumentColumn[]; readonly count: number },
): void {
  const products = documents[options.product];
  for (const name of options.shares) {
    const shares = documents[name];
    for (let row = 0; row < options.count; row += 1) if (products[row] === NONE_32) shares[row] = NONE_16;
  }
}

/** The slot of each id; an id that is new gets the next one. */
function slotsOf({
  ids,
  map,
  known,
}: {
  readonly ids: Uint32Array | Uint16Array;
  readonly map: SlotMap;
  readonly known: GrowingNumbers<Uint32Array>;
}): Uint32Array {
  const slots = new Uint32Array(ids.length);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] ?? 0;
    if (id === NONE_32) {
      slots[i] = NONE_32;
      continue;
    }
    if (id >= map.slots.length) extendMap(map, id + 1);
    let slot = map.slots[id] ?? NONE_32;
    if (slot === NONE_32) {
      slot = known.count;
      map.slots[id] = slot;
      pushNumber(known, id);
    }
    slots[i] = slot;
  }
  return slots;
}

function openSlotMap(known: GrowingNumbers<Uint32Array>): SlotMap {
  const map: SlotMap = { slots: new Uint32Array(0) };
  let maxId = -1;
  for (let slot = 0; slot < known.count; slot += 1) maxId = Math.max(maxId, known.values[slot] ?? 0);
  extendMap(map, maxId + 1);
  for (let slot = 0; slot < known.count; slot += 1) map.slots[known.values[slot] ?? 0] = slot;
  return map;
}

function extendMap(map: SlotMap, length: number): void {
  const extended = new Uint32Array(Math.max(length, Math.ceil(map.slots.length * 1.5))).fill(NONE_32);
  extended.set(map.slots);
  map.slots = extended;
}
